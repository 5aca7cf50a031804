"""The experiments of the lesson on a table for the public, and what its figures and sentences show."""

import re
from itertools import combinations
from math import comb, log, sqrt, tanh
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from lessons import lesson

import ldpnb
from ldpnb import Blocks
from ldpnb.attributes import best_block_size, information, junction_tree, marginals, pair_variance, triangulated
from ldpnb_book import datasets
from ldpnb_book.studies import publish as study

PAGE = Path(__file__).resolve().parent.parent / "notebooks" / "22_public_table.py"


@pytest.fixture(scope="module")
def page():
    given = {name: getattr(ldpnb, name) for name in ldpnb.__all__}
    text = PAGE.read_text("utf-8")
    names = lesson(text).namespace(**given)
    exec(re.search(r"(?ms)^NOISE = \{.*?^\}", text)[0], names)
    a = datasets.fair()
    some = [a["affair"], a["marriage"] >= 4, a["children"] >= 1, a["age"] >= 25, a["education"] >= 14]
    names["readers"] = np.stack([*some, a["occupation"] >= 4], 1).astype(int)
    names.update(n=6366, d=6, SETS=[s for k in (1, 2) for s in combinations(range(6), k)])
    return names


def heard(page, eps, size, rng):
    """What the page's server makes of the package's reports."""
    client = Blocks(sizes=(2,) * 6, size=size, epsilon=eps)
    reports = client.perturb(page["readers"], rng=rng)
    blocks = [tuple(b) for b in client.blocks.tolist()]
    cells = [tuple(v >> k & 1 for k in reversed(range(size))) for v in range(2**size)]
    said = [(blocks[b], cells[v]) for b, v in zip(reports["block"].tolist(), reports["value"].tolist(), strict=True)]
    return page["hear_blocks"](said, eps)


def test_the_true_graph_has_a_ring_that_needs_one_shortcut(page):
    """At the threshold of the page; with 0.14 there is none, and no edge is added."""
    pairs = list(combinations(range(6), 2))
    strength = {s: sqrt(2 * information(t)) for s, t in marginals(page["readers"], (2,) * 6, pairs).items()}
    for phi, added in ((0.12, {(3, 4)}), (0.14, set())):
        edges = [pair for pair in pairs if strength[pair] >= phi]
        cliques, more = page["triangulate"](edges, 6)
        assert set(more) == added == {*triangulated(edges, 6)} - {*edges}
        assert cliques == sorted(junction_tree(edges, 6).cliques)
    assert len([s for s in pairs if strength[s] >= 0.12]) == 8


def test_the_junction_tree_shares_as_much_as_the_package_s(page):
    """All graphs on five attributes; triangulations may differ, so cliques of the package's are given to both."""
    pairs, rng = list(combinations(range(5), 2)), np.random.default_rng(1)
    for _ in range(200):
        edges = [pair for pair in pairs if rng.random() < 0.5]
        theirs = junction_tree(edges, 5)
        ours = page["junction_tree"](sorted(theirs.cliques))
        assert sum(len(s) for _, s in ours) == sum(map(len, theirs.separators))


def test_rows_follow_the_clique_tables(page):
    """A hundred thousand rows: a share is known to 0.0016, and six times that is allowed; they are not those of P."""
    P = np.random.default_rng(3).random((2, 3, 2))
    P[1, 2] = 0.0  # a row of the second clique that is empty
    P /= P.sum()
    of = {(0, 1): P.sum(2), (1, 2): P.sum(0)}
    rows = page["synthesise"]([((0, 1), ()), ((1, 2), (1,))], of.get, 100_000, np.random.default_rng(4))
    Q = of[0, 1][..., None] * (of[1, 2] / of[1, 2].sum(1, keepdims=True))
    seen = marginals(rows, (2, 3, 2), [(0, 1, 2)])[0, 1, 2]
    assert np.abs(seen - Q).max() < 0.01 < np.abs(seen - P).max()


def test_worth_and_best_size_are_those_of_the_package(page):
    for eps in (0.3, 0.89, 0.91, 2.5, 2.52, 5.0):
        for d in (6, 16):
            size = page["best"](d, eps)
            assert size == best_block_size((2,) * d, eps)
            assert 1 / page["worth"](2, size, d, eps) == pytest.approx(pair_variance((2,) * d, size, eps))


def test_the_best_size_grows_at_the_thresholds_of_the_exercise(page):
    for b in range(2, 6):
        r = sqrt((b + 1) / (b - 1))
        bound = log(1 + 2**b * (2 - r) / (r - 1))
        assert [page["best"](16, bound + x) for x in (-1e-6, 1e-6)] == [b, b + 1]
        assert bound == pytest.approx({2: 0.90, 3: 2.51}.get(b, bound), abs=0.005)


def test_one_parity_is_better_than_a_block_below_about_two_and_lopub_for_attributes(page):
    noise = page["NOISE"]
    assert noise["LoPub"](1.0, 16) == pytest.approx(tanh(1 / 32) ** -4 - 1)
    gap = [e for e in np.arange(0.4, 6, 0.01) if noise["one parity"](e, 16) < noise["random block"](e, 16)]
    assert max(gap) == pytest.approx(1.8, abs=0.05)
    assert all(noise["LoPub"](e, 16) > 1.0 * noise["random block"](e, 16) for e in np.arange(0.4, 10, 0.1))
    better = [e for e in np.arange(0.02, 10, 0.01) if noise["LoPub"](16 * e, 16) < noise["random block"](e, 16)]
    assert min(better) < 0.4 and len(better) == len(np.arange(min(better), 10, 0.01))
    assert all(
        (noise["LoPub"](16 * e, 16) < noise["one parity"](e, 16)) == (e > 0.172) for e in (0.1, 0.17, 0.175, 1.0)
    )
    assert noise["one parity"](2.0, 6) == pytest.approx(comb(7, 2) / tanh(1) ** 2 - 1)


def test_releases_have_the_stated_errors(page):
    """Forty releases of 15 tables: mean square error over the stated one, known to 4 %; a control at ε = 1.6."""
    rng, pairs = np.random.default_rng(5), list(combinations(range(6), 2))
    true = marginals(page["readers"], (2,) * 6, pairs)
    worth = {eps: page["worth"](2, 3, 6, eps) for eps in (1.6, 2.0)}
    page_errors = {eps: sqrt(worth[eps] / worth[2.0]) for eps in worth}  # to those at ε = 2, which are stated

    def ratio(eps):
        found = []
        for _ in range(40):
            estimate = heard(page, eps, 3, rng)
            tables = [(estimate(pair), true[pair]) for pair in pairs]
            found.append(np.mean([((f - t) / (e * page_errors[eps])) ** 2 for (f, e), t in tables]))
        return np.mean(found), np.std(found) / sqrt(len(found))

    right, spread = ratio(2.0)
    assert abs(right - 1) < 6 * spread + 0.05  # the population is fixed, which makes errors a little smaller
    wrong, spread = ratio(1.6)
    assert wrong - 1 > 6 * spread


def test_blocks_with_maximum_entropy_beat_independent_columns_and_lopub(page):
    rng, found = np.random.default_rng(6), []
    for _ in range(10):
        estimate = heard(page, 2.0, 3, rng)
        rows = page["by_entropy"](estimate, lambda a: page["worth"](a, 3, 6, 2.0), 6366, rng)
        found.append(rows)
    each = [study.distances({"x": rows}, page["readers"], orders=(2, 3)).to_numpy().ravel() for rows in found]
    means = np.mean(each, 0)
    assert means[0] < 0.04 and means[1] < 0.07 and means[2:] == pytest.approx([0.063, 0.128], abs=0.001)


def test_lopub_at_two_is_worse_than_independent_columns(page):
    rng, clients = np.random.default_rng(8), [ldpnb.GRR(k=2, epsilon=2 / 6)] * 6
    for _ in range(5):
        reports = [c.perturb(x, rng=rng) for c, x in zip(clients, page["readers"].T, strict=True)]
        rows = page["by_tree"](page["likely"](np.stack(reports, 1), 2.0), 6366, rng)
        found = study.distances({"x": rows}, page["readers"], orders=(2, 3))
        assert (found.loc["x"] > found.loc["independent columns"]).all()


def test_lopub_s_entropy_only_matches_dropping_every_edge(page):
    """Five surveys: LoPub's tree is the worst, entropy is at most 0.02 from no edges (80 surveys: 0.084 and 0.081)."""
    rng, eta = np.random.default_rng(11), page["flip"]([[(0,), (1,)]] * 6, 2.0)
    found, eta = [], float(eta)
    assert 1 / ((1 - 2 * eta) ** 2 * sqrt(6366)) == pytest.approx(0.46, abs=0.005)
    for _ in range(5):
        bits = page["readers"] ^ (rng.random(page["readers"].shape) < eta)
        reports = [tuple(map(int, one)) for one in bits]
        shares, estimate = page["likely"](reports, 2.0), page["hear"](reports, [[(0,), (1,)]] * 6, 2.0)
        alone = page["junction_tree"]([(j,) for j in range(6)])
        made = {"tree": page["by_tree"](shares, 6366, rng), "none": page["synthesise"](alone, shares, 6366, rng)}
        made["entropy"] = page["by_entropy"](estimate, lambda a: (1 - 2 * eta) ** (2 * a), 6366, rng)
        found.append(study.distances(made, page["readers"], orders=(2,))[2])
    mean = sum(found) / len(found)
    assert mean["tree"] > mean["none"] + 0.01 and abs(mean["entropy"] - mean["none"]) < 0.02
    assert min(mean["entropy"], mean["none"]) > mean["independent columns"]


def test_the_penalty_matters_little(page):
    """Eight releases by blocks; 1, 5 and 25 times the variance, in pairs: means within 25 % (20 surveys: 7 %)."""
    rng, found = np.random.default_rng(12), []
    for _ in range(8):
        estimate, m = heard(page, 2.0, 3, rng), []
        for s in page["SETS"]:
            cells, _ = estimate(s)
            m.append((cells * (-1) ** np.indices(cells.shape).sum(0)).sum())
        variances = [1 / (6366 * page["worth"](len(s), 3, 6, 2.0)) for s in page["SETS"]]
        fits = {p: ldpnb.max_entropy(6, page["SETS"], m, variances, penalty=2.0 * p) for p in (1, 5, 25)}
        made = {str(p): fit.sample(6366, rng) for p, fit in fits.items()}
        found.append(study.distances(made, page["readers"], orders=(2,))[2])
    mean = sum(found) / len(found)
    assert max(mean["1"], mean["5"], mean["25"]) < 1.25 * min(mean["1"], mean["5"], mean["25"])


def test_a_difference_of_rows_and_its_naive_error():
    rows = np.array([[1, 0]] * 3 + [[0, 0]] + [[1, 1]] * 2 + [[0, 1]] * 6)
    gap, error = study.difference(rows)
    assert gap == 0.5 and error == pytest.approx(sqrt(3 / 16 / 4 + 3 / 16 / 8))


def test_tables_show_the_truth_beside_the_estimate():
    people = np.array([[0, 1], [1, 1], [1, 1], [1, 0]])
    exact = np.array([[0.0, 0.25], [0.25, 0.5]])
    shown = study.beside(lambda A: (exact, np.full((2, 2), 0.01)), people, ["a", "b"], (0, 1)).data
    assert "0.500" in shown and "0.500 ± 0.010" in shown
    cells = study.pairs(lambda A: (exact, np.full((2, 2), 0.01)), people, people)
    assert np.allclose(cells["true"], cells["estimate"]) and (cells["rows"] == cells["true"]).all()


def test_pictures_name_all_attributes_cliques_and_separators():
    left, right = plt.subplots(1, 2)[1]
    study.draw_graph(left, ["a", "b", "c", "d"], [(0, 1), (1, 2), (2, 3), (0, 3)], [(0, 2)])
    assert {"a", "d", "3"} <= {text.get_text() for text in left.texts}
    assert [one.get_linestyle() for one in left.lines] == ["-"] * 4 + ["--"]
    turned = plt.subplots()[1]
    study.draw_graph(turned, ["a", "b", "c", "d"], [], order=(0, 2, 3, 1))
    places = {text.get_text(): text.get_position() for text in turned.texts}
    assert np.allclose([places[j] for j in "0231"], [(0, 1), (1, 0), (0, -1), (-1, 0)], atol=1e-9)
    study.draw_tree(right, [((0, 1, 2), ()), ((0, 2, 3), (0, 2)), ((4,), ())])
    assert [text.get_text() for text in right.texts] == ["0 1 2", "0 2", "0 2 3", "4"] and len(right.lines) == 1
    with plt.rc_context({"axes.prop_cycle": plt.cycler(linestyle=["--", ":"])}):
        below = plt.subplots()[1]
        study.draw_tree(below, [((0, 1), ()), ((1, 2), (1,)), ((2, 3), (2,))])
    assert [one.get_linestyle() for one in below.lines] == ["-", "-"]
    plt.close("all")
