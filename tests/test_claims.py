"""The ledger as it is, and the pages built from it."""

import ast
import importlib.util
import re
from functools import cache
from pathlib import Path

import dossier
import pytest

from ldpnb_book.ledger import Claim, Erratum, read_claims

ROOT = Path(__file__).resolve().parent.parent
CLAIMS = ROOT / "book" / "claims"
PLACES = ("§", "abstract", "references")
PAPERS = {paper.key: paper for paper in read_claims(CLAIMS)}


def pages_of(key, folder=ROOT / "notebooks" / "papers"):
    """The pages about a paper: its dossier, the main page first, then its parts ``<key>_<part>.py``."""
    return [folder / f"{key}.py", *sorted(folder.glob(f"{key}_*.py"))]


def read(path):
    """The prose of a page, and its code."""
    return re.sub("^# ?", "", path.read_text("utf-8"), flags=re.MULTILINE)


PAGES = {key: "\n".join(map(read, pages_of(key))) for key in PAPERS}  # each paper's pages as one text


def extension():
    spec = importlib.util.spec_from_file_location("claims_extension", ROOT / "book" / "_ext" / "claims.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def unsettled(root):
    """Return what is wrong between ledger and chapters; no chapter at all is fine."""
    found = extension().settled(root)
    listed = {claim.id for paper in read_claims(root / "book" / "claims") for claim in paper.claims}
    if not any((root / "notebooks").rglob("*.py")):
        return []
    return [
        *(f"{claim} is settled but not in the ledger" for claim in sorted(found.keys() - listed)),
        *(f"{claim} is not settled" for claim in sorted(listed - found.keys())),
        *(f"{claim} is settled {len(found[claim])} times" for claim in sorted(found) if len(found[claim]) > 1),
    ]


def strange_keys(root):
    """Return the calls of settle whose keys, as the chapters write them, are not those of the ledger."""
    claims = {claim.id: claim for paper in read_claims(root / "book" / "claims") for claim in paper.claims}
    found = []
    for path in sorted((root / "notebooks").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "settle":
                claim = claims[node.args[0].value]
                given = dict(zip(["holds"], node.args[1:], strict=False)) | {k.arg: k.value for k in node.keywords}
                for part in ("holds", "instead"):
                    keys = [ast.literal_eval(key) for key in given[part].keys] if part in given else []
                    if sorted(keys) != sorted(getattr(claim, part)):
                        found.append(f"{claim.id}: {part} {keys}")
    return found


# ------------------------------------------------------------------------------------------- as it is


def test_ledger_is_well_formed():
    papers = read_claims(CLAIMS)
    assert papers
    for paper in papers:
        for claim in paper.claims:
            assert re.fullmatch(r"[a-z]+\d{4}\.[a-z0-9]+(-[a-z0-9]+)*", claim.id)
            assert claim.place.startswith(PLACES)
            for key, condition in (claim.holds | claim.instead).items():
                assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", key) and len(key) <= 24, f"{claim.id}: {key}"
                assert len(condition.says) <= 90, f"{claim.id}: {key} must fit a line"
        assert all(slip.place.startswith(PLACES) for slip in paper.slips)


def test_every_claim_is_settled_once():
    assert unsettled(ROOT) == []


def test_chapters_use_the_keys_of_the_ledger():
    assert strange_keys(ROOT) == []


@pytest.mark.parametrize(
    ("page", "directive"),
    [("ledger", "ledger"), ("errata", "errata"), ("concordance", "concordance"), ("concordance", "exhibits")],
)
def test_every_paper_is_on_every_page(page, directive):
    text = (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
    assert sorted(re.findall(rf"```{{{directive}}} (\w+)\n```", text)) == sorted(PAPERS)
    assert sorted(re.findall(rf"^\({page}-(\w+)\)=$", text, re.MULTILINE)) == sorted(PAPERS)


@cache
def in_the_book():
    return extension().settled(ROOT), extension().targets(ROOT)


@pytest.mark.parametrize("key", sorted(PAPERS))
def test_parts_of_a_paper_are_listed_and_treated(key):
    assert PAPERS[key].sections and PAPERS[key].exhibits
    assert extension().astray(PAPERS[key], *in_the_book()) == []


def test_what_is_certainly_wrong_fails_somewhere_and_its_correction_holds():
    for paper in PAPERS.values():
        for claim in paper.claims:
            if claim.erratum and claim.erratum.grade == "certain":
                assert not any(c.found for c in claim.holds.values()) and claim.instead, claim.id


def on_page(text):
    """Return (role, claim) for every claim that a page names."""
    return re.findall(r"\{(holds|partly|corrected|undecided)\}`(?:[^`<]*<)?([\w.-]+)>?`", text)


# A dossier that is written to the end, with its `account`, has a badge for each claim and settles each with a control,
# on any of its pages; the others name the claims that do not simply hold.
WRITTEN = [key for key, text in PAGES.items() if f":::{{account}} {key}" in text]


@pytest.mark.parametrize("key", PAPERS)
def test_a_page_says_what_the_ledger_says(key):
    verdicts = {claim.id: claim.verdict for paper in PAPERS.values() for claim in paper.claims}
    roles, text = extension().ROLES, PAGES[key]
    assert f"(paper-{key})=" in text
    assert len(on_page(text)) == len(re.findall(r"\{(?:holds|partly|corrected|undecided)\}`", text))
    assert [(role, claim) for role, claim in on_page(text) if verdicts.get(claim) not in roles[role]] == []


@pytest.mark.parametrize("key", PAPERS)
def test_the_page_of_a_paper_names_every_claim_that_does_not_simply_hold(key):
    named = [claim for _, claim in on_page(PAGES[key])] + extension().BADGE.findall(PAGES[key])
    if key in WRITTEN:
        named = [claim for claim in named if claim.partition(".")[0] == key]  # those of others may be named as well
        assert sorted(set(named)) == sorted(claim.id for claim in PAPERS[key].claims)
    else:
        assert f":::{{verdicts}} {key}\n:::" in PAGES[key]
        assert {c.id for c in PAPERS[key].claims if c.verdict != "reproduced"} - set(named) == set()


def uncontrolled(text, verdicts):
    """Claims that a dossier settles without a control, though what is printed does not fail the same test."""
    return [
        node.args[0].value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "settle"
        if verdicts[node.args[0].value] not in ("corrected", "undecidable")
        if "control" not in {keyword.arg for keyword in node.keywords}
    ]


def test_dossiers_settle_with_controls():
    verdicts = {claim.id: claim.verdict for paper in PAPERS.values() for claim in paper.claims}
    for page in (page for key in PAPERS for page in pages_of(key)):
        assert uncontrolled(page.read_text("utf-8"), verdicts) == [], page.name
    assert uncontrolled('settle("p.a", {"x": True})', {"p.a": "reproduced"}) == ["p.a"]
    assert uncontrolled('settle("p.a", {"x": True}, control=c)', {"p.a": "reproduced"}) == []


@pytest.mark.parametrize("key", WRITTEN)
def test_a_written_dossier_settles_all_claims_of_its_paper(key):
    where, pages = extension().settled(ROOT), {f"notebooks/papers/{page.stem}" for page in pages_of(key)}
    elsewhere = {c.id: [s.document for s in where[c.id] if s.document not in pages] for c in PAPERS[key].claims}
    assert {claim: documents for claim, documents in elsewhere.items() if documents} == {}


def test_every_page_of_a_paper_belongs_to_it_and_the_other_settles_nothing():
    folder = ROOT / "notebooks" / "papers"
    wild = folder / "wild.py"  # about other people's clients
    assert set(folder.glob("*.py")) - {wild} == {page for key in PAPERS for page in pages_of(key)}
    assert not re.search(r"\b(settle|close)\(|\{(badge|account)\}", wild.read_text("utf-8"))


def test_a_dossier_may_have_parts(tmp_path):
    for name in ("p2018.py", "p2018_means.py", "p2018_counts.py", "p2018b.py", "q2019.py"):
        (tmp_path / name).write_text("# %% [markdown]\n# # A page\n", "utf-8")
    assert [page.name for page in pages_of("p2018", tmp_path)] == ["p2018.py", "p2018_counts.py", "p2018_means.py"]
    assert [page.name for page in pages_of("q2019", tmp_path)] == ["q2019.py"]


@pytest.mark.parametrize(
    ("badge", "claim", "fault"),
    [
        ("Reproduced", {"verdict": "reproduced"}, None),
        ("Reproduced · on a stand-in", {"verdict": "reproduced"}, None),
        ("Reproduced · certain", {"verdict": "reproduced"}, "p.a has no grade"),
        ("Corrected", {"verdict": "corrected", "grade": "probable"}, "p.a: the grade is probable"),
        ("Corrected · certain", {"verdict": "corrected", "grade": "probable"}, "p.a: the grade is probable"),
        ("Corrected · probable misprint", {"verdict": "corrected", "grade": "probable"}, None),
        ("Reproduced", {"verdict": "undecidable"}, "p.a is undecidable"),
        ("Right", {"verdict": "reproduced"}, "p.a is reproduced"),
        ("Definition", None, None),
        ("Slip · probable misprint", None, None),
        ("Slip · sure", None, "'Slip · sure' needs a claim"),
        ("Reproduced", None, "'Reproduced' needs a claim"),
    ],
)
def test_a_badge_says_what_the_ledger_says(badge, claim, fault):
    if claim is not None:
        grade = claim.pop("grade", None)
        erratum = grade and Erratum(grade=grade, printed="x", right="y")
        claim = Claim(id="p.a", place="§1", claim="c", erratum=erratum, **claim)
    assert dossier.wrong(badge, claim) == fault


def test_a_claim_of_a_dossier_leads_to_its_badge(root):
    (root / "notebooks" / "papers").mkdir()
    (root / "notebooks" / "01_x.py").unlink()
    (root / "notebooks" / "papers" / "p2018.py").write_text(
        "# %% [markdown]\n# (p-a)=\n# ## A\n# {badge}`Reproduced <p2018.a>`\n# (p-b)=\n# ## B\n"
        '# %%\nsettle("p2018.a", holds={"x": True})\nsettle("p2018.b", holds={"x": True})\n',
        encoding="utf-8",
    )
    found = extension().settled(root)
    assert [(s.document, s.label) for c in ("p2018.a", "p2018.b") for s in found[c]] == [
        ("notebooks/papers/p2018", "p-a"),
        ("notebooks/papers/p2018", "p-b"),
    ]


# --------------------------------------------------------------------------------------------- controls

LEDGER = """
paper: {key: p2018, title: T, authors: A, cite: c, read: whole}
claims:
  - {id: p2018.a, place: §1, claim: c, verdict: reproduced, holds: {x: {true: c}}}
  - {id: p2018.b, place: §2, claim: c, verdict: reproduced, holds: {x: {true: c}}}
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
    ("text", "shown"),
    [
        ("p = e^ε/(e^ε+2) of k_max²", "p = e⟨^ε⟩/(e⟨^ε⟩+2) of k⟨_max⟩²"),
        ("3^(d−j) state_j", "3⟨^d−j⟩ state⟨_j⟩"),
        ("F^011_011 = F_011", "F⟨^011⟩⟨_011⟩ = F⟨_011⟩"),
        ("nothing to set: ε², (a, b)", "nothing to set: ε², (a, b)"),
    ],
)
def test_what_is_raised_or_lowered(text, shown):
    marks = {"superscript": "⟨^%s⟩", "subscript": "⟨_%s⟩", "#text": "%s"}
    assert "".join(marks[node.tagname] % node.astext() for node in extension()._set(text)) == shown


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
    last = extension()._places(Path("notebooks/x.py"), ["# %% [markdown]", *above.splitlines(), "# %%", "settle"])[-1]
    assert (last.label, last.heading) == link


@pytest.mark.parametrize(
    "place, sections, exhibits",
    [
        ("§4.1.1, Table 4", ["§4.1.1"], ["Table 4"]),
        ("§1 and §3.2, Table 1", ["§1", "§3.2"], ["Table 1"]),
        ("§3.2, Table 2, and abstract", ["§3.2", "abstract"], ["Table 2"]),
        ("references, [10]", ["references"], []),
        ("§4.5, Fig. 5-9, and §4.2 (3)", ["§4.5", "§4.2"], ["Fig. 5-9"]),
        ("§4.4, Figs. 5-1 to 5-8", ["§4.4"], ["Fig. 5-1", "Fig. 5-8"]),
        ("§6.2.2, Fig. 9(a)–(c)", ["§6.2.2"], ["Fig. 9"]),
        ("§4.2, Fig. 5a", ["§4.2"], ["Fig. 5"]),
        ("§3.2.2, Algorithm 2 (Fig. 3-2 and 3-3)", ["§3.2.2"], ["Algorithm 2", "Fig. 3-2", "Fig. 3-3"]),
        ("§1.3, property 1", ["§1.3"], ["Property 1"]),
        ("§2.1.1, Definition 2.1, Tables 2-1 and 2-2", ["§2.1.1"], ["Definition 2.1", "Table 2-1", "Table 2-2"]),
        ("§5.2.2, Algorithm 2, line 15, and step 3", ["§5.2.2"], ["Algorithm 2"]),
        ("in the middle", [], []),
    ],
)
def test_a_place_is_read(place, sections, exhibits):
    assert (extension().sections_of(place), extension().exhibits_of(place)) == (sections, exhibits)


def test_no_chapter_at_all_is_fine(root):
    (root / "notebooks" / "01_x.py").unlink()
    assert unsettled(root) == []


def parted(root, sections, exhibits=""):
    """What is wrong with the planted paper if these are its parts."""
    parts = f"sections:\n{sections}\nexhibits:\n{exhibits}\n" if exhibits else f"sections:\n{sections}\n"
    (root / "book" / "claims" / "p2018.yml").write_text(LEDGER + parts, encoding="utf-8")
    (paper,) = read_claims(root / "book" / "claims")
    claims = extension()
    return claims.astray(paper, claims.settled(root), claims.targets(root))


ONE, TWO = "  - {place: §1, about: a}", "  - {place: §2, about: b}"


@pytest.mark.parametrize(
    "sections, exhibits, wrong",
    [
        ([ONE, TWO], [], []),
        ([ONE, TWO, "  - {place: §3, about: c, why: nothing in it}"], [], []),
        ([ONE, TWO, "  - {place: §3, about: c, here: [sec-one, fig-one]}"], [], []),
        ([ONE], [], ["p2018.b: section §2 is not listed"]),
        ([ONE, TWO, "  - {place: §3, about: c}"], [], ["§3: not treated, and no reason"]),
        ([ONE, "  - {place: §2, about: b, why: dull}"], [], ["§2: treated, and a reason why not"]),
        ([ONE, TWO, "  - {place: §3, about: c, here: [sec-nine]}"], [], ["§3: no label sec-nine"]),
        ([ONE, TWO], ["  - {place: Fig. 1, about: f, here: [fig-two]}"], ["Fig. 1: no label fig-two"]),
    ],
)
def test_parts_that_are_missing_or_lead_nowhere_are_found(root, sections, exhibits, wrong):
    chapter = root / "notebooks" / "01_x.py"
    figure = '\n# %% mystnb={"figure": {"name": "fig-one"}}\n'
    chapter.write_text(chapter.read_text(encoding="utf-8") + figure, encoding="utf-8")
    assert parted(root, "\n".join(sections), "\n".join(exhibits)) == wrong


def test_a_figure_that_a_claim_is_about_has_to_be_listed(root):
    path = root / "book" / "claims" / "p2018.yml"
    claimed = LEDGER.replace("place: §2", 'place: "§2, Figs. 3 and 4"')
    path.write_text(
        f"{claimed}sections:\n{ONE}\n{TWO}\nexhibits:\n  - {{place: Fig. 3, about: f, why: lost}}\n", "utf-8"
    )
    (paper,) = read_claims(root / "book" / "claims")
    claims = extension()
    assert claims.astray(paper, claims.settled(root), claims.targets(root)) == ["p2018.b: Fig. 4 is not listed"]


def test_targets_are_labels_of_chapters_and_pages_and_figures(root):
    (root / "book" / "papers").mkdir()
    (root / "book" / "papers" / "a.md").write_text("(page-a)=\n# Page A\n", encoding="utf-8")
    found = extension().targets(root)
    assert {label: (s.document, s.heading) for label, s in found.items()} == {
        "page-a": ("book/papers/a", "Page A"),
        "sec-one": ("notebooks/01_x", "Section one"),
        "sec-two": ("notebooks/01_x", "Section two"),
    }


def test_each_of_several_labels_of_a_heading_has_that_heading(root):
    text = "# %% [markdown]\n# # Title\n#\n# ## Before\n#\n# (a)=\n# (b)=\n# (c)=\n# ### After\n"
    (root / "notebooks" / "02_y.py").write_text(text, "utf-8")
    found = extension().targets(root)
    assert {label: (found[label].label, found[label].heading) for label in "abc"} == {x: (x, "After") for x in "abc"}


def test_planted_violations_are_found(root):
    chapter = root / "notebooks" / "02_y.py"
    chapter.write_text('# %%\nsettle("p2018.a", holds={"x": True})\nsettle("p2018.c")\n', encoding="utf-8")
    assert unsettled(root) == ["p2018.c is settled but not in the ledger", "p2018.a is settled 2 times"]
    (root / "notebooks" / "01_x.py").unlink()
    assert "p2018.b is not settled" in unsettled(root)
    chapter.write_text("# %%\nfor name in names:\n    settle(name, holds={})\n", encoding="utf-8")
    with pytest.raises(ValueError, match="02_y.py:3: settle must be called with a literal identifier"):
        unsettled(root)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ('settle("p2018.a", holds={"x": True, "y": True})', ["p2018.a: holds ['x', 'y']"]),
        ('settle("p2018.a", {"x": False, "x": True})', ["p2018.a: holds ['x', 'x']"]),
        ('settle("p2018.a", {"y": True}, instead={"x": True})', ["p2018.a: holds ['y']", "p2018.a: instead ['x']"]),
        ('settle("p2018.a")', ["p2018.a: holds []"]),
        ('settle("p2018.a", {"x": True})', []),
    ],
)
def test_planted_keys_are_found(root, call, found):
    (root / "notebooks" / "01_x.py").write_text(call, encoding="utf-8")
    assert strange_keys(root) == found
