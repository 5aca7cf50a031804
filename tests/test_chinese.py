"""The extension for Chinese: abstracts in every format, tags where nobody wrote them, and words for the search."""

import re
from io import StringIO
from pathlib import Path

import chinese
import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = """
import sys
sys.path.insert(0, {folder!r})
extensions = ["myst_parser", "chinese"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
html_theme = "basic"
"""
PAGE = """# A page

Here is <span lang="zh-Hans">聚合</span>, in Chinese.

:::{zh}
随机响应是**最早**的本地机制。
方差见{ref}`tail`，记作 $x^2$。
OUE 的方差最小。
:::

(tail)=
## Tail

Untagged words: 扰动、估计 and *机制*, but not `代码`.
"""


@pytest.fixture
def built(tmp_path):
    """Build a page in a format, without any warning; return the folder."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "conf.py").write_text(CONFIGURATION.format(folder=str(ROOT / "book" / "_ext")), "utf-8")

    def build(page, builder):
        (source / "index.md").write_text(page, "utf-8")
        out, said = tmp_path / builder, StringIO()
        with patch_docutils(), docutils_namespace():
            app = Sphinx(source, source, out, tmp_path / "trees", builder, status=None, warning=said, freshenv=True)
            app.build()
        assert (said.getvalue(), app.statuscode) == ("", 0)
        return out

    return build


def untagged(page):
    """Text with Chinese that is in no element with a Chinese tag, code left out."""
    found = page.find_all(string=re.compile(f"[{chinese.HAN}]"))
    return [text for text in found if not text.find_parent(lang=re.compile("^zh")) and not text.find_parent("code")]


@pytest.mark.parametrize("builder", ["html", "singlehtml"])
def test_an_abstract_in_html(built, builder):
    page = BeautifulSoup((built(PAGE, builder) / "index.html").read_text("utf-8"), "html.parser")
    assert page.html["lang"] == "en"
    (block,) = page.find_all("details")
    assert (block["lang"], block.get("open"), block.summary.get_text()) == ("zh-Hans", None, "中文摘要")
    assert [p.get_text() for p in block.find_all("p")] == [
        "随机响应是最早的本地机制。方差见Tail，记作 \\(x^2\\)。OUE 的方差最小。",
    ]
    assert block.strong and block.find("a", href=re.compile("#tail$")) and block.find(class_="math")
    assert not block.find_all(id=True) and not block.find_all(re.compile("h[1-6]"))


@pytest.mark.parametrize(("builder", "file"), [("text", "index.txt"), ("latex", "projectnamenotset.tex")])
def test_an_abstract_in_other_formats_is_a_plain_block(built, builder, file):
    text = (built(PAGE, builder) / file).read_text("utf-8")
    assert text.index("Here is") < text.index("中文摘要") < text.index("本地机制。方差见") < text.index("Untagged")


def test_an_abstract_needs_words(built):
    with pytest.raises(AssertionError, match='Content block expected for the "zh" directive'):
        built("# A page\n\n:::{zh}\n:::\n", "html")


def test_chinese_that_nobody_tagged_gets_a_tag(built):
    page = BeautifulSoup((built(PAGE, "html") / "index.html").read_text("utf-8"), "html.parser")
    spans = [span.get_text() for span in page.find_all("span", lang="zh-Hans")]
    assert sorted(spans) == sorted(["聚合", "扰动、估计", "机制"])
    assert page.find("code").get_text() == "代码"
    assert untagged(page) == []


def test_missing_tags_are_seen():
    assert untagged(BeautifulSoup("<p lang='en'>Some 扰动 <i lang='zh'>聚合</i> <code>代码</code></p>", "html.parser"))


def index(text):
    return chinese.Search({}).split(text)


def test_english_and_chinese_are_split_and_stemmed():
    assert index("k-RR, OUE机制: 2 words_too") == ["k", "RR", "OUE", "机", "制", "机制", "2", "words_too"]
    assert index("熵") == ["熵"]
    assert index("频率预言机") == [*"频率预言机", "频率", "率预", "预言", "言机"]
    assert index("频率，预言") == [*"频率", "频率", *"预言", "预言"]  # no pair across a comma
    assert chinese.Search({}).stem("Mechanisms") == "mechan"


def test_the_search_page_gets_the_splitter_and_the_stemmer(built):
    out = built(PAGE, "html")
    script = (out / "_static" / "language_data.js").read_text("utf-8")
    assert chinese.Search.js_splitter_code.strip() in script and "var Stemmer" in script
    terms = (out / "searchindex.js").read_text("utf-8")
    assert '"\\u968f\\u673a": 0' in terms and '"untag": 0' in terms
