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

// Whatever scrolls sideways in a box of its own can be reached with Tab, and then scrolled with the arrow keys.
(() => {
  const reach = () => {
    for (const box of document.querySelectorAll(".bd-article :is(figure, .pst-scrollable-table-container)"))
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
  };
  addEventListener("load", reach);
  addEventListener("resize", reach);
})();
