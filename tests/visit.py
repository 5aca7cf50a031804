"""A page of the built book in a real browser with the network off, and what can be complained of.

A check looks at one open page and returns its complaints. tests/test_browser.py runs each on planted faulty pages that
it must catch.
"""

import functools
import io
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from PIL import Image

WIDTHS = {"light": (1280, 400), "dark": (400, 1280)}  # the first is the one a page is loaded at
PATIENCE = 20_000  # milliseconds for anything the browser is asked to do


@dataclass
class Visit:
    """A page and what happened since it was opened."""

    page: object
    scheme: str
    abroad: list[str] = field(default_factory=list)  # requests that are not local; they are aborted
    failed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)  # uncaught exceptions
    console: list[str] = field(default_factory=list)

    def open(self, address):
        """Go to a page, forget the last one, and wait until its mathematics and fonts are set."""
        for record in (self.abroad, self.failed, self.errors, self.console):
            record.clear()
        self.page.goto(address)
        self.settle()

    def settle(self):
        self.page.evaluate("async () => { await window.MathJax?.startup?.promise; await document.fonts.ready }")

    def resize(self, width):
        self.page.set_viewport_size({"width": width, "height": 900})


@contextmanager
def visiting(browser, home, scheme="light", width=1280):
    """Open a window of a new reader, for whom only what lies under `home` exists."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    context.set_default_timeout(PATIENCE)
    visit = Visit(context.new_page(), scheme)

    def refuse(route):
        visit.abroad.append(route.request.url)
        route.abort()

    context.route(re.compile(rf"^(?!{re.escape(home)}|data:|blob:)"), refuse)
    page = visit.page
    page.on("requestfailed", lambda request: visit.failed.append(request.url))
    page.on("response", lambda r: visit.failed.append(f"{r.status} {r.url}") if r.status >= 400 else None)
    page.on("pageerror", lambda error: visit.errors.append(str(error)))
    page.on("console", lambda m: visit.console.append(m.text) if m.type in ("error", "warning") else None)
    try:
        yield visit
    finally:
        context.close()


# --- checks of a page


def all_local(visit):
    return [f"asks for {url}" for url in visit.abroad]


def all_there(visit):
    return [f"does not get {url}" for url in visit.failed if url not in visit.abroad]


def no_errors(visit):
    return [f"raises {error}" for error in visit.errors] + [f"says {line}" for line in visit.console]


def math_set(visit):
    # a macro that MathJax does not know is no error to it: it is set in red
    return visit.page.evaluate(
        r"""() => {
        const found = [];
        for (const e of document.querySelectorAll('mjx-merror, merror, [data-mjx-error]'))
            found.push('has the math error ' + (e.dataset.mjxError || e.textContent));
        for (const e of document.querySelectorAll('mjx-container [style*="color: red"]'))
            found.push('has the unknown macro ' + e.textContent);
        for (const e of document.querySelectorAll('.math'))
            if (!e.querySelector('mjx-container')) found.push('leaves unset ' + e.textContent);
        const raw = /\\[()[\]]|\$\$|\$[^\s$][^$]*\$|\\(begin|frac|varepsilon|eps)\b/;
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const text = texts.currentNode;
            if (raw.test(text.data) && !text.parentElement.closest('pre, code, script, style, .math, mjx-container'))
                found.push('shows raw mathematics: ' + text.data.trim().slice(0, 80));
        }
        if (raw.test(document.title)) found.push('shows raw mathematics in its title: ' + document.title);
        return [...new Set(found)];
        }"""
    )


def images_there(visit):
    return visit.page.evaluate(
        """async () => {
        const found = [];
        for (const image of document.images) {
            image.loading = 'eager';
            await image.decode().catch(() => {});
            const name = image.src.slice(0, 100);
            if (!image.naturalWidth) found.push('does not show the image ' + name);
            if (!image.alt.trim()) found.push('has no alternative text for ' + name);
        }
        return found;
        }"""
    )


def no_sideways(visit):
    # what scrolls in its own box is no fault; what stands out of the page is named
    return visit.page.evaluate(
        """() => {
        const root = document.documentElement;
        if (root.scrollWidth <= innerWidth) return [];
        const boxed = e => {
            for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
                if (getComputedStyle(p).overflowX !== 'visible') return true;
            return false;
        };
        const wide = [...document.body.querySelectorAll('*')]
            .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !boxed(e));
        const name = e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + ' ' + e.className;
        return [`is ${root.scrollWidth} pixels wide in a window of ${innerWidth}: `
            + wide.slice(0, 3).map(name).join(' | ')];
        }"""
    )


def luminance(rgb):
    """Relative luminance of colours (…, 3) of 0 to 255, as the contrast rules define it."""
    share = np.asarray(rgb) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def right_ground(visit):
    colour = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    ground = luminance([float(x) for x in re.findall(r"[\d.]+", colour)[:3]])
    right = ground > 0.8 if visit.scheme == "light" else ground < 0.05
    return [] if right else [f"has the background {colour} in the {visit.scheme}"]


def figures_readable(visit):
    # a figure's ground is its commonest brightness: in the dark it must be dark, and the ink must stand out from it
    found = []
    for figure in visit.page.locator("main img:not(.keep-colours, .toggler)").all():
        if not figure.is_visible():
            continue
        pixels = np.asarray(Image.open(io.BytesIO(figure.screenshot(animations="disabled"))).convert("RGB"))
        light = luminance(pixels).ravel()
        ground = np.median(light)
        inks = np.quantile(light, [0.005, 0.995])
        contrast = max((max(ink, ground) + 0.05) / (min(ink, ground) + 0.05) for ink in inks)
        name = (figure.get_attribute("src") or "")[:100]
        if ground > 0.1:
            found.append(f"has a figure on bright ground in the dark: {name}")
        if contrast < 4.5:
            found.append(f"has a figure whose ink has a contrast of {contrast:.1f}: {name}")
    return found


# Highlighted code and signatures repeat a dozen classes thousands of times, entries of the reference are set alike, and
# glyphs take the colour of their text: one of each class and sixty entries of a kind are enough, and axe, whose time
# grows with the square of a page, is several times as fast.
THIN = """() => {
    const entries = {};
    for (const entry of document.querySelectorAll('dl.py'))
        if ((entries[entry.className] = (entries[entry.className] || 0) + 1) > 60) entry.remove();
    const seen = new Set();
    for (const span of document.querySelectorAll('pre span, dt.sig span'))
        if (seen.has(span.className)) span.replaceWith(...span.childNodes); else seen.add(span.className);
    document.querySelectorAll('mjx-math').forEach(math => math.remove());
}"""


@functools.cache
def axe():
    return Path(find_spec("axe_playwright_python").submodule_search_locations[0], "axe.min.js").read_text("utf-8")


def _axe(visit, options):
    if not visit.page.evaluate("'axe' in window"):
        visit.page.evaluate(axe())
    return visit.page.evaluate(
        """async options => {
        const found = [];
        for (const rule of (await axe.run(document, options)).violations)
            if (['moderate', 'serious', 'critical'].includes(rule.impact))
                for (const node of rule.nodes)
                    found.push(`fails ${rule.id} (${rule.impact}): ${node.target[0]}: `
                        + node.failureSummary.replace(/\\s+/g, ' '));
        return found;
        }""",
        # no preload: axe would ask for the style sheets again, from addresses that do not exist
        {"resultTypes": ["violations"], "preload": False, **options},
    )


# What scrolls, shows, and neither is a stop of the Tab key nor has a link that is one.  Axe, which takes a second to
# read a page before it looks for this one thing, has to look only where there is any.
UNREACHED = """() => [...document.querySelectorAll('*')].some(e => {
    const wide = e.scrollWidth > e.clientWidth, high = e.scrollHeight > e.clientHeight;
    if (!(wide || high)) return false;
    const style = getComputedStyle(e), moves = /auto|scroll/;
    if (!(wide && moves.test(style.overflowX)) && !(high && moves.test(style.overflowY))) return false;
    const shown = {visibilityProperty: true};
    const stop = x => x.tabIndex >= 0 && x.checkVisibility(shown) && !x.closest('[inert]');
    return e.checkVisibility(shown) && !stop(e) && ![...e.querySelectorAll('a[href]')].some(stop);
})"""


def scrollable_by_keyboard(visit):
    unreached = visit.page.evaluate(UNREACHED)
    return _axe(visit, {"runOnly": ["scrollable-region-focusable"]}) if unreached else []


def accessible(visit):
    # the last check of a page, for it thins it
    visit.page.evaluate(THIN)
    return _axe(visit, {"rules": {"label-content-name-mismatch": {"enabled": True}}})


def chinese_tagged(visit):
    # a screen reader has to know what to read in Chinese, a browser in which fonts to show it
    return visit.page.evaluate(
        """() => {
        const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const text = texts.currentNode;
            if (/\\p{Script=Han}/u.test(text.data) && !text.parentElement.closest('[lang|=zh], script, style'))
                found.push('has untagged Chinese: ' + text.data.trim().slice(0, 40));
        }
        return [...new Set(found)];
        }"""
    )


NETWORK = (all_local, all_there, no_errors)
LOADED = (*NETWORK, math_set, images_there, chinese_tagged, right_ground, no_sideways)


def complaints(visit, checks):
    return [complaint for check in checks for complaint in check(visit)]
