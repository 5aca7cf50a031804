"""Nothing that the book holds vanishes unnoticed, and nothing lies about that no page uses."""

import re
from pathlib import Path

import pytest

from ldpnb_book.ledger import read_claims

ROOT = Path(__file__).resolve().parent.parent
PAPERS = read_claims(ROOT / "book" / "claims")
# So many claims, slips, sections and exhibits each paper has at least: more may be found, none is dropped.
LEAST = {
    "ren2019": (37, 24, 25, 23),
    "sun2021": (25, 14, 15, 17),
    "wang2024": (45, 12, 21, 24),
    "ye2018": (133, 10, 26, 35),
    "zhang2018": (59, 18, 31, 50),
}
ALGORITHMS = {"ren2019": 4, "sun2021": 1, "wang2024": 2, "ye2018": 0, "zhang2018": 3}  # with numbers of their own
CHAPTERS = {p.relative_to(ROOT).as_posix(): p.read_text("utf-8") for p in sorted((ROOT / "notebooks").rglob("*.py"))}
TEXTS = CHAPTERS | {p.name: p.read_text("utf-8") for p in [ROOT / "README.md", *sorted((ROOT / "book").glob("*.md"))]}


def lost(papers):
    """Complaints on papers of which the ledger has less than it had."""
    found = []
    for paper in papers:
        parts = {"claims": paper.claims, "slips": paper.slips, "sections": paper.sections, "exhibits": paper.exhibits}
        for least, (what, there) in zip(LEAST[paper.key], parts.items(), strict=True):
            found += [f"{paper.key}: {len(there)} {what}, there were {least}"] if len(there) < least else []
    return found


def test_the_ledger_loses_nothing():
    assert {paper.key for paper in PAPERS} == LEAST.keys()
    assert lost(PAPERS) == []


def test_a_lost_claim_is_noticed(tmp_path):
    text = (ROOT / "book" / "claims" / "sun2021.yml").read_text("utf-8")
    first, second = [found.start() for found in re.finditer(r"^  - id: ", text, re.MULTILINE)][:2]
    (tmp_path / "sun2021.yml").write_text(text[:first] + text[second:], "utf-8")
    assert lost(read_claims(tmp_path)) == ["sun2021: 24 claims, there were 25"]


def boxed(label, text):
    """Whether what stands under a label, up to the next one, has a box of an algorithm."""
    part = re.search(rf"^# \({label}\)=\n((?:(?!# \([\w-]+\)=$).*\n)*)", text, re.MULTILINE)
    return bool(part) and re.search(r"^# :+\{prf:algorithm\}", part[1], re.MULTILINE) is not None


def test_the_algorithms_of_the_papers_stand_in_boxes():
    dossiers = "\n".join(text for name, text in CHAPTERS.items() if name.startswith("notebooks/papers/"))
    for paper in PAPERS:
        listed = [e for e in paper.exhibits if re.fullmatch(r"Algorithm \d+", e.place)]
        assert len(listed) == ALGORITHMS[paper.key]
        for exhibit in listed:
            assert any(boxed(label, dossiers) for label in exhibit.here), f"{paper.key}: {exhibit.place}"


@pytest.mark.parametrize("kind", ["prf:algorithm", "prf:theorem"])
@pytest.mark.parametrize("between", ["", "# (other)=\n"])
def test_a_box_elsewhere_is_none(kind, between):
    text = f"# (alg)=\n# ## Algorithm 1\n{between}# :::{{{kind}}} A\n# :::\n"
    assert boxed("alg", text) == (kind == "prf:algorithm" and not between)


def cited(texts):
    """Keys of the works that some texts cite."""
    roles = re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", "\n".join(texts))
    return {key.strip() for keys in roles for key in keys.split(",")}


def recorded(texts):
    """Patterns of the records that some chapters read."""
    names = re.findall(r'\brecorded\(\s*f?"([^"]+)"', "\n".join(texts))
    return {re.sub(r"\\\{.*?\\\}", ".*", re.escape(name)) for name in names}


def test_every_work_of_the_bibliography_is_cited():
    listed = set(re.findall(r"^@\w+\{(\S+),$", (ROOT / "book" / "references.bib").read_text("utf-8"), re.MULTILINE))
    assert len(listed) > 50
    assert sorted(listed - cited(TEXTS.values())) == []
    assert cited(["{cite:t}`a2020,b2021` and {cite}`c2022`"]) == {"a2020", "b2021", "c2022"}


def test_every_record_is_read():
    records = {path.stem for path in (ROOT / "book" / "recorded").glob("*.json")}
    assert len(records) > 30
    patterns = recorded(CHAPTERS.values())
    assert sorted(name for name in records if not any(re.fullmatch(p, name) for p in patterns)) == []
    (pattern,) = recorded(['x = recorded(\n    f"a.b-{name}", f)'])
    assert re.fullmatch(pattern, "a.b-c") and not re.fullmatch(pattern, "a.c-b")


def test_every_picture_is_shown():
    pictures = {path.name for path in (ROOT / "book" / "images").iterdir()}
    assert sorted(name for name in pictures if not any(name in text for text in TEXTS.values())) == []
