from itertools import combinations, product
from math import log

import numpy as np
import pytest

from ldpnb.attributes import tables
from ldpnb.attributes.bitflip import BitFlip, BloomFlip
from ldpnb.attributes.records import counted
from ldpnb.attributes.tables import (
    Symbols,
    entropy,
    expectation,
    inflation,
    information,
    information_bias,
    inverted,
    likeliest,
    symbols,
)
from ldpnb.oracles.grr import GRR
from ldpnb.verify import laws


def records(mechanism):
    """All records; the first two differ in every attribute."""
    found = list(product(*(range(size) for size in mechanism.sizes)))
    return np.array(sorted(found, key=lambda r: r != tuple(size - 1 for size in mechanism.sizes)))


# ------------------------------------------------------------------------------------------------------- symbols

CLIENTS = [
    BitFlip(sizes=(3,), f=0.4),
    BitFlip(sizes=(2,), f=0.9),
    BitFlip(sizes=(4,), f=0.6),
    BloomFlip(sizes=(3,), f=0.5, bits=4, hashes=2, seed=3),
    (GRR(k=4, epsilon=1.3),),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
@pytest.mark.parametrize("listed", [10, 0])
def test_symbols_and_scores_are_those_of_the_laws(client, listed, monkeypatch):
    """Likelihoods, merging and unbiased scores, all against the exact laws of the reports."""
    monkeypatch.setattr(tables, "LISTED", listed)
    flips = not isinstance(client, tuple)
    found = laws(client, np.arange(client.sizes[0])[:, None]) if flips else laws(client[0], np.arange(4))
    reports = sorted(found[0])
    read = symbols(client, np.array(reports) if flips else np.array(reports)[:, None])
    assert read.sizes == (len(found),)
    code, channel, score = read.codes[:, 0], read.channels[0], read.scores[0]
    rows = np.array([[float(one[y]) for one in found] for y in reports])
    listed_rows = np.zeros_like(channel)
    np.add.at(listed_rows, code, rows)
    np.testing.assert_allclose(listed_rows.sum(0), 1, rtol=1e-12)
    np.testing.assert_allclose(listed_rows.T @ score, np.eye(len(found)), atol=1e-12)
    np.testing.assert_allclose(score.sum(1), 1, rtol=1e-12)
    if listed or not flips:
        np.testing.assert_allclose(channel, listed_rows, rtol=1e-12)
    unit, true = (x / x.max(1, keepdims=True) for x in (channel, rows))
    np.testing.assert_allclose(unit[code], true, rtol=1e-12)
    assert len(np.unique(unit.round(9), axis=0)) == len(channel)  # proportional reports have been merged


def test_a_binary_attribute_is_randomized_response_with_erasures():
    q = 0.3
    channel = symbols(BitFlip(sizes=(2,), f=2 * q), np.zeros((1, 2), bool)).channels[0]
    votes = channel[np.abs(channel[:, 0] - channel[:, 1]) > 1e-9]
    assert channel.shape == (3, 2)
    np.testing.assert_allclose(votes.sum(0), 1 - 2 * q * (1 - q), rtol=1e-12)
    np.testing.assert_allclose(votes.max(0) / votes.min(0), ((1 - q) / q) ** 2, rtol=1e-12)


@pytest.mark.parametrize(
    "client, reports",
    [
        (CLIENTS[0], np.zeros((2, 2), bool)),
        (CLIENTS[0], np.zeros((2, 3))),
        (CLIENTS[4], [[4]]),
        (CLIENTS[4], [[0, 0]]),
        (CLIENTS[4], [0]),
        ((1,), [[0]]),
        ((), [[]]),
    ],
)
def test_bad_reports_have_no_symbols(client, reports):
    with pytest.raises(ValueError, match="must .*, got"):
        symbols(client, reports)


# -------------------------------------------------------------------------------------------------------- tables


def population(sizes, n, seed=0):
    """Dependent attributes."""
    rng = np.random.default_rng(seed)
    common = rng.random(n)
    return np.stack([((0.6 * common + 0.4 * rng.random(n)) * size).astype(int) for size in sizes], 1)


def collected(client, n=333, seed=1):
    x = population(client.sizes, n, seed)
    reports = client.perturb(x, rng=np.random.default_rng(seed))
    return reports, symbols(client, reports)


def likelihoods(client, reports, one):
    """People by cells, from Hamming distances to the codes, bit by bit."""
    q, ends = float(client.flip), np.cumsum([code.shape[1] for code in client.codes])
    cells = np.array(list(product(*(range(client.sizes[j]) for j in one))))
    wrong = right = 0
    for j, value in zip(one, cells.T, strict=True):
        code = client.codes[j]
        differ = (reports[:, None, ends[j] - code.shape[1] : ends[j]] != code).sum(2)[:, value]
        wrong, right = wrong + differ, right + code.shape[1] - differ
    return q**wrong * (1 - q) ** right


def ascent(likelihood, p):
    """Steps of Algorithm 2, person by person."""
    while True:
        posterior = likelihood * p
        p = (posterior / posterior.sum(1, keepdims=True)).mean(0)
        yield p


MIXED = BitFlip(sizes=(2, 3, 2, 4), f=0.4)
SETS = [(0, 2), (1,), (0, 1, 2), (2, 3), (0, 2), (0, 3), (1, 3), (0, 1, 2, 3)]  # (0, 3) is solved with (2, 3)
WAYS = [{}, {"WORDS": 0}, {"DENSE": 0}, {"LISTED": 3}, {"DENSE": 0, "WIDE": 0}]


@pytest.mark.parametrize("n", [1, 63, 64, 65, 3000])
def test_joint_symbols_are_counted(n):
    _, found = collected(BitFlip(sizes=(2,) * 5, f=0.4), n)
    for m in (1, 2, 3, 4):
        sets = list(combinations(range(5), m))[::-1]
        for one, row in zip(sets, counted(found.codes.T, (3,) * 5, sets), strict=True):
            table = np.zeros((3,) * m, int)
            np.add.at(table, tuple(found.codes[:, list(one)].T), 1)
            assert np.array_equal(row, table.ravel())


@pytest.mark.parametrize("way", WAYS[:-1], ids=str)
@pytest.mark.parametrize("client", [MIXED, BloomFlip(sizes=(2, 3, 2, 4), f=0.4, bits=4, hashes=2, seed=6)], ids=str)
def test_expectation_takes_the_steps_of_the_algorithm(client, way, monkeypatch):
    for name, value in way.items():
        monkeypatch.setattr(tables, name, value)
    reports, found = collected(client, 100)
    rng = np.random.default_rng(2)
    start = [rng.random([client.sizes[j] for j in one]) + 0.1 for one in SETS]
    for first in (None, start):
        got = expectation(found, SETS, stop="gap", delta=0, start=first, steps=7)
        assert np.all(got.steps == 7)
        for i, one in enumerate(SETS):
            assert got.tables[i].shape == tuple(client.sizes[j] for j in one)
            likelihood = likelihoods(client, reports, one)
            k = likelihood.shape[1]
            p = np.full(k, 1 / k) if first is None else start[i].ravel() / start[i].sum()
            steps = ascent(likelihood, p)
            for _ in range(7):
                p = next(steps)
            np.testing.assert_allclose(got.tables[i].ravel(), p, rtol=1e-9)
            gap = (likelihood / (likelihood @ p)[:, None]).mean(0).max() - 1
            assert got.gap[i] == pytest.approx(gap, rel=1e-6)


@pytest.mark.parametrize("way", [{}, {"DENSE": 0}], ids=str)
@pytest.mark.parametrize("stop", ["paper", "change", "gap"])
def test_expectation_stops_when_the_rule_says(stop, way, monkeypatch):
    for name, value in way.items():
        monkeypatch.setattr(tables, name, value)
    reports, found = collected(MIXED)
    sets, delta = [(0, 2), (0, 1), (2, 3), (0, 1, 2)], 2e-3
    starts = [np.full((2, 2), 0.25), np.arange(1.0, 7).reshape(2, 3), np.full((2, 4), 0.125), np.ones((2, 3, 2))]
    got = expectation(found, sets, stop=stop, delta=delta, start=starts)
    for i, one in enumerate(sets):
        likelihood = likelihoods(MIXED, reports, one)
        before = starts[i].ravel() / starts[i].sum()
        step = 0
        for p in ascent(likelihood, before):
            step += 1
            gap = (likelihood / (likelihood @ p)[:, None]).mean(0).max() - 1
            rule = {"paper": p.max() - before.max(), "change": np.abs(p - before).max(), "gap": gap}[stop]
            if rule <= delta:
                break
            before = p
        assert got.steps[i] == step
        np.testing.assert_allclose(got.tables[i].ravel(), p, rtol=1e-9)
    assert len(set(got.steps)) > 1


@pytest.mark.parametrize("f, steps, information_left", [(0.1, 5, 0.1926), (0.5, 21, 0.1753), (0.9, 1, 0.0)])
def test_printed_rule_stops_early_under_much_noise(f, steps, information_left):
    """Frequencies exact to 1e-7: from p = (.4, .1, .1, .4), whose information is .1927 nats."""
    channel = symbols(BitFlip(sizes=(2,), f=f), np.zeros((1, 2), bool)).channels[0]
    expected = channel @ np.array([[0.4, 0.1], [0.1, 0.4]]) @ channel.T
    codes = np.repeat(np.stack(np.unravel_index(range(9), (3, 3)), 1), np.rint(expected.ravel() * 1e6).astype(int), 0)
    exact = Symbols(codes, (channel, channel), (channel, channel))
    got = expectation(exact, [(0, 1)], stop="paper")
    assert got.steps[0] == steps
    assert information(got.tables[0]) == pytest.approx(information_left, abs=1e-4)
    np.testing.assert_allclose(likeliest(exact, [(0, 1)], gap=1e-13).tables[0], [[0.4, 0.1], [0.1, 0.4]], atol=1e-4)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("f", [0.2, 0.7])
def test_likeliest_is_certified(way, f, monkeypatch):
    for name, value in way.items():
        monkeypatch.setattr(tables, name, value)
    client = BitFlip(sizes=MIXED.sizes, f=f)
    reports, found = collected(client, 200)
    got, best = likeliest(found, SETS), likeliest(found, SETS[:4], gap=1e-8, steps=30_000)
    assert np.all(got.gap <= 0.05 / len(reports)) and np.all(best.gap <= 1e-8)
    for i, one in enumerate(SETS):
        likelihood = likelihoods(client, reports, one)
        p = got.tables[i].ravel()
        assert p.sum() == pytest.approx(1, abs=1e-9) and got.tables[i].shape == tuple(client.sizes[j] for j in one)
        gap = (likelihood / (likelihood @ p)[:, None]).mean(0).max() - 1
        assert got.gap[i] == pytest.approx(max(gap, 0), abs=1e-9)
        if i < 4:
            short = np.log(likelihood @ best.tables[i].ravel()).mean() - np.log(likelihood @ p).mean()
            assert -1e-8 <= short <= got.gap[i] + 1e-12


def test_extrapolated_steps_are_few_where_plain_ones_are_many(monkeypatch):
    _, found = collected(BitFlip(sizes=(2, 2, 3), f=0.8), 2000)
    monkeypatch.setattr(tables, "DENSE", 0)
    plain = expectation(found, [(0, 1, 2)], stop="gap", delta=0.05 / 2000, steps=30_000)
    monkeypatch.setattr(tables, "WIDE", 0)
    fast = likeliest(found, [(0, 1, 2)])
    assert plain.gap[0] <= 0.05 / 2000 and fast.steps[0] < plain.steps[0] / 3
    with pytest.raises(RuntimeError, match="steps = 3 left a gap of"):
        likeliest(found, [(0, 1, 2)], steps=3)


@pytest.mark.parametrize("way", [{}, {"DENSE": 0}, {"LISTED": 3}], ids=str)
def test_inverted_tables_are_means_of_products_and_agree(way, monkeypatch):
    for name, value in way.items():
        monkeypatch.setattr(tables, name, value)
    reports, found = collected(MIXED)
    got = inverted(found, SETS)
    q, ends = float(MIXED.flip), np.cumsum(MIXED.sizes)
    z = (reports - q) / (1 - 2 * q)
    z = [part - (part.sum(1, keepdims=True) - 1) / part.shape[1] for part in np.split(z, ends[:-1], axis=1)]
    for one, table, variance in zip(SETS, got.tables, got.variances, strict=True):
        each = np.ones((len(reports), 1))
        for j in one:
            each = (each[:, :, None] * z[j][:, None]).reshape(len(reports), -1)
        np.testing.assert_allclose(table.ravel(), each.mean(0), atol=1e-11)
        np.testing.assert_allclose(variance.ravel(), each.var(0, ddof=1) / len(reports), rtol=1e-9)
        assert table.shape == variance.shape == tuple(MIXED.sizes[j] for j in one)
    whole = got.tables[-1]
    np.testing.assert_allclose(got.tables[2], whole.sum(3), atol=1e-11)
    np.testing.assert_allclose(got.tables[3].sum(1), got.tables[0].sum(0), atol=1e-11)
    np.testing.assert_allclose(got.tables[1], whole.sum((0, 2, 3)), atol=1e-11)


def test_nothing_linear_tells_dependent_codes_apart():
    client = BloomFlip(sizes=(5,), f=0.3, bits=4, hashes=2, seed=20)
    _, found = collected(client, 3000)
    with pytest.raises(ValueError, match="symbols must be of affinely independent codes"):
        inverted(found, [(0,)])
    assert likeliest(found, [(0,)]).tables[0].sum() == pytest.approx(1)  # patterns do


def test_clients_of_one_size_but_two_epsilons_are_kept_apart():
    clients = (GRR(k=3, epsilon=1), GRR(k=3, epsilon=2), GRR(k=3, epsilon=1), GRR(k=2, epsilon=1))
    rng = np.random.default_rng(3)
    x = population((3, 3, 3, 2), 500)
    reports = np.stack([client.perturb(column, rng=rng) for client, column in zip(clients, x.T, strict=True)], 1)
    found, sets = symbols(clients, reports), list(combinations(range(4), 2))
    together = likeliest(found, sets, gap=1e-10)
    for one, table in zip(sets, together.tables, strict=True):
        a, b = (
            [[float(clients[j].support[int(v != y)]) for v in range(clients[j].k)] for y in reports[:, j]] for j in one
        )
        likelihood = np.einsum("na,nb->nab", a, b).reshape(500, -1)
        assert (likelihood / (likelihood @ table.ravel())[:, None]).mean(0).max() - 1 <= 1e-9


def test_one_person():
    _, found = collected(MIXED, 1)
    assert np.all(np.isnan(inverted(found, [(0, 1)]).variances[0]))
    assert likeliest(found, [(0, 1)]).tables[0].shape == (2, 3)


def test_bad_arguments_are_refused():
    _, found = collected(MIXED, 20)
    for bad in ([()], [(1, 0)], [(0, 0)], [(0, 4)], [(-1, 0)], [(0.5,)], [0]):
        for method in (likeliest, inverted, lambda s, sets: expectation(s, sets, stop="gap")):
            with pytest.raises(ValueError, match="sets must .*, got"):
                method(found, bad)
    with pytest.raises(ValueError, match="reports must be a plain array, got a masked one"):
        symbols(MIXED, np.ma.masked_array(np.zeros((3, 11), bool), mask=True))
    nobody = symbols(MIXED, np.zeros((0, 11), bool))
    with pytest.raises(ValueError, match="symbols must be of at least one person"):
        likeliest(nobody, [(0,)])
    for name, value in (
        ("stop", "Paper"),
        ("delta", -1e-9),
        ("delta", float("nan")),
        ("steps", 0),
        ("start", [np.ones((2, 3)), np.ones((2, 3))]),
        ("start", [np.ones((3, 2))]),
        ("start", [[[1, 0, 1], [1, 1, 1]]]),
        ("start", [[[1, np.inf, 1], [1, 1, 1]]]),
    ):
        with pytest.raises(ValueError, match=f"{name} must .*, got"):
            expectation(found, [(0, 1)], **({"stop": "gap"} | {name: value}))
    for name, value in (("gap", 0), ("gap", float("nan")), ("steps", 0)):
        with pytest.raises(ValueError, match=f"{name} must .*, got"):
            likeliest(found, [(0, 1)], **{name: value})


# --------------------------------------------------------------------------------------------------- information


def test_entropy_and_information_of_known_tables():
    assert entropy([0.5, 0.5]) == pytest.approx(log(2)) and entropy([1, 0, 0]) == 0
    assert entropy(np.full((2, 3), 1 / 6)) == pytest.approx(log(6))
    assert information(np.eye(3) / 3) == pytest.approx(log(3))
    assert information(np.outer([0.2, 0.8], [0.1, 0.3, 0.6])) == pytest.approx(0, abs=1e-15)
    parity = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]]]) / 4  # each bit is the sum of the others
    for axis in (-3, -2, -1, 0, 1, 2):
        assert information(parity, axis) == pytest.approx(log(2))
    assert information(parity.sum(0)) == pytest.approx(0, abs=1e-15)


def test_information_is_that_of_the_definition_for_stacks_of_tables():
    p = np.random.default_rng(0).dirichlet(np.ones(24), (5, 2)).reshape(5, 2, 2, 3, 4)
    p[0, 0, 0] = 0
    p[0, 0] /= p[0, 0].sum()
    for axis in (0, 1, 2, -1):
        others = tuple(x for x in range(-3, 0) if x != axis % 3 - 3)
        product_of = p.sum(others, keepdims=True) * p.sum(axis % 3 - 3, keepdims=True)
        expected = (p * np.log(np.where(p > 0, p, 1) / np.where(p > 0, product_of, 1))).sum((-3, -2, -1))
        np.testing.assert_allclose(information(p, axis, axes=3), expected, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(entropy(p, axes=3)[1, 1], -(p[1, 1] * np.log(p[1, 1])).sum(), rtol=1e-12)
    np.testing.assert_allclose(information(p.sum((-1, -2)), axes=1), 0, atol=1e-14)


@pytest.mark.parametrize("bad", [[0.5, 0.6], [1.5, -0.5], [np.nan, 1]])
def test_what_is_no_table_has_no_entropy(bad):
    with pytest.raises(ValueError, match="tables must .*, got"):
        entropy(bad)
    with pytest.raises(ValueError, match="axes must be .*, got"):
        entropy([1.0], axes=2)
    with pytest.raises(ValueError, match="axis must be .*, got"):
        information(np.eye(2) / 2, 2)


@pytest.mark.parametrize(
    "client",
    [
        BitFlip(sizes=(2, 3, 4), f=0.6),
        (GRR(k=2, epsilon=1), GRR(k=3, epsilon=2), GRR(k=4, epsilon=1)),
        BloomFlip(sizes=(2, 3, 2), f=0.5, bits=4, hashes=2, seed=3),
    ],
    ids=str,
)
def test_bias_of_information_is_that_of_second_order(client):
    """From the exact variances of all cells of the tables, of three attributes and of parts of them."""
    sizes = [c.k for c in client] if isinstance(client, tuple) else client.sizes
    nothing = np.zeros((1, 3), int) if isinstance(client, tuple) else np.zeros((1, client.report_bits), bool)
    found = symbols(client, nothing)

    def spread(one):
        """Σ n Var/p at uniform, independent values."""
        z, law_of, cells = np.ones((1, 1)), np.ones(1), 1
        for j in one:
            z, law_of = np.kron(z, found.scores[j]), np.kron(law_of, found.channels[j].mean(1))
            cells *= sizes[j]
        return ((law_of @ z**2 - 1 / cells**2) * cells).sum()

    np.testing.assert_allclose(inflation(client), [spread([j]) for j in range(3)], rtol=1e-9)
    for child, parents in ((0, [1]), (2, [0, 1]), (1, [0, 2]), (0, [])):
        bias = (spread(sorted([child, *parents])) - spread([child]) - spread(parents)) / 2000
        assert information_bias(client, child, parents, 1000) == pytest.approx(bias, rel=1e-9, abs=1e-15)


def test_bias_has_the_closed_forms():
    f, e = 0.6, np.exp(1.3)
    assert inflation(BitFlip(sizes=(2,), f=f))[0] == pytest.approx((1 - f + f * f / 2) / (1 - f) ** 2)
    q = f / 2
    assert inflation(BitFlip(sizes=(5,), f=f))[0] == pytest.approx(4 * (1 + 5 * q * (1 - q) / (1 - 2 * q) ** 2))
    assert inflation([GRR(k=5, epsilon=1.3)])[0] == pytest.approx(4 * ((e + 4) / (e - 1)) ** 2)
    with pytest.raises(ValueError, match="n must be"):
        information_bias(MIXED, 0, [1], 0)
    with pytest.raises(ValueError, match="parents must .*, got"):
        information_bias(MIXED, 0, [4], 10)
