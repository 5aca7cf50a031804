"""Chinese in an English book: the directive ``zh`` for abstracts, tags for screen readers, and the search.

Chinese is written without spaces. So the search knows a text by all pairs of neighbouring characters, and by all
single ones; a query is its pairs, or its character if it has only one. English is stemmed as before.
"""

import re

from docutils import nodes
from sphinx.search.en import SearchEnglish
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

TITLE = "中文摘要"
TAG = "language-zh-Hans"  # docutils makes lang="zh-Hans" of this class
# Blocks of Unicode: the digit 〇, the unified ideographs with extensions A and B to H, the compatibility ideographs.
BLOCKS = (0x3007, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)
HAN = "".join(f"{chr(first)}-{chr(last)}" for first, last in BLOCKS)  # for use in [ ]
MARKS = "、。〈-】〔-〟！（），：；？“”‘’…—"


class zh(nodes.container):  # noqa: N801, builders that have no visitor of this name take that of container
    """A block in Chinese: on a page closed, until a reader opens it."""


class zh_title(nodes.rubric):  # noqa: N801, the same for rubric
    """Its title, which is no heading of a section."""


class Zh(SphinxDirective):
    """An abstract in Chinese."""

    has_content = True

    def run(self):
        self.assert_has_content()
        block = zh("", zh_title("", TITLE), classes=["zh", TAG])
        self.set_source_info(block)
        self.state.nested_parse(self.content, self.content_offset, block)
        close_up(block)
        return [block]


def close_up(block):
    """Drop line breaks behind a Chinese character or mark: a browser would show each as a space."""
    last = ""
    for text in list(block.findall(nodes.Text)):
        if text == "\n" and re.match(f"[{HAN}{MARKS}]", last):
            text.parent.remove(text)
        else:
            last = text[-1:]


def element(name):
    """Return what opens and what closes an element of a page."""

    def visit(self, node):
        self.body.append(self.starttag(node, name, ""))

    def depart(self, node):
        self.body.append(f"</{name}>\n")

    return visit, depart


class Tags(SphinxPostTransform):
    """Tag the Chinese that no author tagged, as that of the ledger and of the bibliography."""

    default_priority = 900  # when citations and references are in place
    formats = ("html",)
    RUNS = re.compile(f"([{HAN}](?:[{HAN}{MARKS}]*[{HAN}])?)")

    def run(self, **kwargs):
        for text in list(self.document.findall(nodes.Text)):
            if self.RUNS.search(text) and not tagged(text):
                parts = self.RUNS.split(text)  # the runs are the odd ones
                made = [nodes.inline("", p, classes=[TAG]) if i % 2 else nodes.Text(p) for i, p in enumerate(parts)]
                text.parent.replace(text, [part for part in made if part.astext()])


def tagged(text):
    """Whether a text has its tag already, or stands where none can be: in code, mathematics or raw HTML."""
    before = text.parent.index(text) - 1
    if before >= 0 and isinstance(text.parent[before], nodes.raw) and 'lang="zh' in text.parent[before].astext():
        return True
    node = text.parent
    while node is not None:
        if isinstance(node, nodes.FixedTextElement | nodes.literal | nodes.math) or TAG in node.get("classes", ()):
            return True
        node = node.parent
    return False


class Search(SearchEnglish):
    """English and Chinese in one index."""

    WORDS = re.compile(f"[{HAN}]+|[^\\W{HAN}]+")
    # The theme loads this behind Sphinx's own script. Its second half has a hit quoted and marked by the whole of what
    # was typed, where a page has that, and only then by its pairs.
    js_splitter_code = r"""
var splitQuery = (query) =>
  (query.match(/[HAN]+|(?:(?![HAN])[\p{Letter}\p{Number}_\p{Emoji_Presentation}])+/gu) || []).flatMap((word) => {
    const signs = [...word];
    return /^[HAN]{2}/u.test(word) ? signs.slice(1).map((sign, i) => signs[i] + sign) : [word];
  });

if (typeof Search !== "undefined") {
  let typed = [];
  const { _parseQuery, makeSearchSummary } = Search;
  Search._parseQuery = (query) => {
    const parsed = _parseQuery(query);
    typed = query.match(/[HAN]+/gu) || [];
    parsed[3] = new Set([...typed, ...parsed[3]]);
    localStorage.setItem("sphinx_highlight_terms", [...parsed[3]].join(" "));
    return parsed;
  };
  Search.makeSearchSummary = (text, words, anchor) => makeSearchSummary(text, [...words, ...typed], anchor);
}
""".replace("HAN", "".join(f"\\u{{{first:x}}}-\\u{{{last:x}}}" for first, last in BLOCKS))

    def split(self, input):
        found = []
        for word in self.WORDS.findall(input):
            chinese = re.match(f"[{HAN}]", word)
            found += [*word, *map("".join, zip(word, word[1:], strict=False))] if chinese else [word]
        return found


def setup(app):
    app.add_directive("zh", Zh)
    app.add_node(zh, html=element("details"))
    app.add_node(zh_title, html=element("summary"))
    app.add_post_transform(Tags)
    app.add_search_language(Search)  # in place of that for English
    return {"parallel_read_safe": True, "parallel_write_safe": True}
