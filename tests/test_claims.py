"""The ledger as it is, and the pages built from it."""

import importlib.util
import re
from pathlib import Path

import pytest

from ldpnb.book import read_claims

ROOT = Path(__file__).resolve().parent.parent
CLAIMS = ROOT / "book" / "claims"
PLACES = ("§", "abstract", "references")


def extension():
    spec = importlib.util.spec_from_file_location("claims_extension", ROOT / "book" / "_ext" / "claims.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def unsettled(root):
    """Return what is wrong between ledger and chapters; no chapter at all is fine."""
    found = extension().settled(root)
    listed = {claim.id for paper in read_claims(root / "book" / "claims") for claim in paper.claims}
    if not any((root / "notebooks").glob("*.py")):
        return []
    return [
        *(f"{claim} is settled but not in the ledger" for claim in sorted(found.keys() - listed)),
        *(f"{claim} is not settled" for claim in sorted(listed - found.keys())),
        *(f"{claim} is settled {len(found[claim])} times" for claim in sorted(found) if len(found[claim]) > 1),
    ]


# ------------------------------------------------------------------------------------------- as it is


def test_ledger_is_well_formed():
    papers = read_claims(CLAIMS)
    assert papers
    for paper in papers:
        for claim in paper.claims:
            assert re.fullmatch(r"[a-z]+\d{4}\.[a-z0-9]+(-[a-z0-9]+)*", claim.id)
            assert claim.place.startswith(PLACES)
            longest = max(map(len, [*claim.holds, *claim.instead]), default=0)
            assert longest <= 90, f"{claim.id}: conditions must fit a line"
        assert all(slip.place.startswith(PLACES) for slip in paper.slips)


def test_every_claim_is_settled_once():
    assert unsettled(ROOT) == []


@pytest.mark.parametrize("page", ["ledger", "errata", "concordance"])
def test_every_paper_is_on_every_page(page):
    text = (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
    assert re.findall(rf"```{{{page}}} (\w+)\n```", text) != []
    assert set(re.findall(rf"```{{{page}}} (\w+)\n```", text)) == {path.stem for path in CLAIMS.glob("*.yml")}


# --------------------------------------------------------------------------------------------- controls

LEDGER = """
paper: {key: p2018, title: T, authors: A, cite: c, read: whole}
claims:
  - {id: p2018.a, place: §1, claim: c, verdict: reproduced, holds: {x: true}}
  - {id: p2018.b, place: §2, claim: c, verdict: reproduced, holds: {x: true}}
"""

CHAPTER = """# %% [markdown]
# # A chapter
#
# (sec-one)=
# ## Section one
# Here we call `settle("p2018.z")` in words only.

# %%
# (not-a-label)=
# settle("p2018.y")
settle("p2018.a", holds={"x": True})

# %% [markdown]
# (sec-two)=
#
# ## Section two

# %%
book.settle("p2018.b", holds={"x": True})
"""


@pytest.fixture
def root(tmp_path):
    (tmp_path / "book" / "claims").mkdir(parents=True)
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "book" / "claims" / "p2018.yml").write_text(LEDGER, encoding="utf-8")
    (tmp_path / "notebooks" / "01_x.py").write_text(CHAPTER, encoding="utf-8")
    return tmp_path


def test_a_call_belongs_to_the_nearest_label_and_heading(root):
    assert unsettled(root) == []
    a, b = (places for _, places in sorted(extension().settled(root).items()))
    assert [(s.document, s.label, s.heading) for s in a] == [("notebooks/01_x", "sec-one", "Section one")]
    assert [(s.document, s.label, s.heading) for s in b] == [("notebooks/01_x", "sec-two", "Section two")]


@pytest.mark.parametrize(
    "above, link",
    [
        ("", (None, "x")),
        ("# # Title", (None, "Title")),
        ("# (sec-a)=\n# # Title\n#\n# ## Part", ("sec-a", "Title")),  # no label of its own: the labelled one above
        ("# # Title\n#\n# (chk-a)=\n# Some text.", ("chk-a", "Title")),
        ("# (sec-a)=\n# # Title\n#\n# ## Part\n# (chk-a)=\n# Some text.\n#\n# ## More", ("chk-a", "Part")),
    ],
)
def test_the_link_text_names_what_the_link_leads_to(above, link):
    last = extension()._places("x", ["# %% [markdown]", *above.splitlines(), "# %%", "settle"])[-1]
    assert (last.label, last.heading) == link


def test_no_chapter_at_all_is_fine(root):
    (root / "notebooks" / "01_x.py").unlink()
    assert unsettled(root) == []


def test_planted_violations_are_found(root):
    chapter = root / "notebooks" / "02_y.py"
    chapter.write_text('# %%\nsettle("p2018.a", holds={"x": True})\nsettle("p2018.c")\n', encoding="utf-8")
    assert unsettled(root) == ["p2018.c is settled but not in the ledger", "p2018.a is settled 2 times"]
    (root / "notebooks" / "01_x.py").unlink()
    assert "p2018.b is not settled" in unsettled(root)
    chapter.write_text("# %%\nfor name in names:\n    settle(name, holds={})\n", encoding="utf-8")
    with pytest.raises(ValueError, match="02_y.py:3: settle must be called with a literal identifier"):
        unsettled(root)
