// Paper: black on white whatever the screen, and folded solutions open; folded code stays folded, as in the PDF.
(() => {
  const root = document.documentElement, paper = matchMedia("print"), undo = [];
  const toPaper = () => {
    if (undo.length) return;
    const theme = root.dataset.theme;
    root.dataset.theme = "light";
    undo.push(() => { root.dataset.theme = theme; });
    for (const fold of document.querySelectorAll("details:not([open], .hide)")) {
      fold.open = true;
      undo.push(() => { fold.open = false; });
    }
  };
  const toScreen = () => undo.splice(0).forEach(again => again());
  paper.addEventListener("change", () => (paper.matches ? toPaper : toScreen)());
  addEventListener("beforeprint", toPaper);
  addEventListener("afterprint", toScreen);
  if (paper.matches) addEventListener("load", toPaper);
})();

// Keyboard: of the formulas only those that stand by themselves are stops of the Tab key. MathJax would make a stop of
// each letter in a sentence, hundreds in a chapter; its menu, which opens on any stop, brings them back.
addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  document.querySelectorAll('mjx-container[display="true"]').forEach(formula => { formula.tabIndex = 0; });
});

// What a button shows is its name, for those who hear it and those who speak to it; the theme gives two of its buttons
// other names, and leaves the title above the list of pages outside of all landmarks.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".search-button-field").forEach(button => button.removeAttribute("aria-label"));
  for (const button of document.querySelectorAll(".theme-switch-button")) {
    const mode = document.createElement("span");
    mode.className = "visually-hidden";
    mode.textContent = `${button.getAttribute("aria-label")}: `;
    button.removeAttribute("aria-label");
    button.prepend(mode);
  }
  for (const title of document.querySelectorAll(".navbar-brand")) {
    title.parentElement.setAttribute("role", "navigation");
    title.parentElement.setAttribute("aria-label", "Title page");
  }
});

// The theme takes the focus from its buttons when they are pressed, which throws a keyboard's reader to the top of the
// page, and gives it to nobody when Escape closes a list of pages or of headings.
document.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (button && event.detail === 0)  // pressed by a key
    setTimeout(() => { if (document.activeElement === document.body) button.focus({preventScroll: true}); });
});
addEventListener("load", () => {
  for (const side of ["primary", "secondary"])
    document.getElementById(`pst-${side}-sidebar-modal`)?.addEventListener("keydown", event => {
      if (event.key === "Escape") setTimeout(() => document.querySelector(`.${side}-toggle`)?.focus(), 50);
    });
});

// The search quotes a page around a word's stem, and a stem need not be part of the word (unary, unari): look for the
// words as they were typed, too.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const quote = Search.makeSearchSummary;
  Search.makeSearchSummary = (html, stems, anchor) => {
    const typed = (new URLSearchParams(location.search).get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
    return quote(html, [...stems, ...typed], anchor);
  };
});

// What a link's title says (a term of the glossary, an entry of the bibliography) stands in a box beside the link when
// it is pointed at or reached by the keyboard; Escape closes it. Without this script the browser shows the title.
document.addEventListener("DOMContentLoaded", () => {
  const box = document.body.appendChild(Object.assign(document.createElement("div"), {id: "meaning", hidden: true}));
  box.setAttribute("role", "tooltip");
  let shown = null;
  const close = () => {
    if (shown) shown.removeAttribute("aria-describedby");
    shown = null;
    box.hidden = true;
  };
  const open = link => {
    if (link === shown) return;
    close();
    shown = link;
    box.textContent = link.dataset.meaning;
    box.hidden = false;
    link.setAttribute("aria-describedby", box.id);
    const {left, top, bottom} = link.getClientRects()[0];  // of its first line
    const above = bottom + box.offsetHeight + 8 > innerHeight && top > box.offsetHeight + 8;
    box.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - box.offsetWidth - 8))}px`;
    box.style.top = `${above ? top - box.offsetHeight : bottom}px`;
  };
  for (const link of document.querySelectorAll("article a.internal[title]")) {
    link.dataset.meaning = link.title;
    link.removeAttribute("title");
    link.addEventListener("pointerenter", () => open(link));
    link.addEventListener("focus", () => open(link));
    link.addEventListener("blur", close);
    link.addEventListener("pointerleave", event => { if (event.relatedTarget !== box) close(); });
  }
  box.addEventListener("pointerleave", close);
  addEventListener("keydown", event => { if (event.key === "Escape") close(); });
  addEventListener("scroll", close, {passive: true});
});
