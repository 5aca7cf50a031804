"""Names of 1.0.0 that have moved still answer, and say of mechanisms what they said."""

from importlib import import_module

import numpy as np
import pytest

from ldpnb import (
    GRR,
    IOH,
    OUE,
    PCE,
    PCKVGRR,
    PCKVUE,
    Hierarchy,
    Laplace,
    PairSampling,
    PrivKV,
    Records,
    SampledGRR,
    StateEncoding,
    StateEncodingSplit,
    Wheel,
    WheelKV,
    core,
    keyvalue,
    numbers,
    sets,
)
from ldpnb.core import Mechanism
from ldpnb.keyvalue import encoding
from ldpnb.numbers import MeanEst, Piecewise
from ldpnb.oracles import (
    BitReports,
    FrequencyOracle,
    HadamardBit,
    HadamardResponse,
    MatrixMechanism,
    OneBit,
    PureProtocol,
    SHist,
    SubsetSelection,
    frequency,
    hadamard,
)
from ldpnb.oracles.base import ItemOracle, Supporting
from ldpnb.sets import sampling

RR = GRR(k=3, epsilon=1.0)
UNARY = OUE(k=3, epsilon=1.0)
SUBSET = SubsetSelection(k=4, epsilon=1.0)
BIT = HadamardBit(k=3, epsilon=1.0)
RANDOM_BIT = SHist(k=3, epsilon=1.0, m=8)
RESPONSE = HadamardResponse(k=3, epsilon=1.0)
MATRIX = MatrixMechanism(channel=[[0.75, 0.25], [0.25, 0.75]])
LEVELS = Hierarchy.of(4, 1.0)
OWN_EPSILON = PCE(k=3, levels=(1.0,))
NUMBER = Laplace(epsilon=1.0)
VECTOR = MeanEst(d=2, epsilon=1.0)
SETS = SampledGRR(d=2, ell=1, epsilon=1.0)
SIGNED = PCKVGRR(d=2, ell=1, epsilon=1.0)
SIGNS = PCKVUE(d=2, ell=1, epsilon=1.0)
STATE = StateEncoding(d=2, epsilon=1.0)
STATES = StateEncodingSplit(d=2, epsilon=1.0)
TWICE = PrivKV(d=2, key_epsilon=1.0, value_epsilon=1.0)
WHEEL = Wheel(epsilon=1.0, m=1)
WHEEL_KV = WheelKV(epsilon=1.0, m=1)
INDEX = IOH.of(("a", "b"), GRR, 1.0)
PAIRS = PairSampling.of(("a", "b"), GRR, 1.0)
ITEMS = (RR, UNARY, SUBSET, BIT, RANDOM_BIT, RESPONSE, MATRIX, LEVELS, OWN_EPSILON, NUMBER, SETS)
ALL = (*ITEMS, VECTOR, SIGNED, SIGNS, STATE, STATES, TWICE, WHEEL, WHEEL_KV, INDEX, PAIRS)


@pytest.mark.parametrize(
    "kind, members",
    [
        (PureProtocol, (RR, UNARY, SUBSET, BIT, RANDOM_BIT)),
        (BitReports, (UNARY, SUBSET)),
        (OneBit, (BIT, RANDOM_BIT)),
        (FrequencyOracle, (RR, UNARY, SUBSET, BIT, RANDOM_BIT, RESPONSE, MATRIX, LEVELS)),
        (Supporting, (RR, UNARY, SUBSET, BIT, RANDOM_BIT, SETS, WHEEL)),
        (numbers.Number, (NUMBER,)),
        (numbers.Numbers, (VECTOR,)),
        (sets.SetSampling, (SETS,)),
        (keyvalue.KnownKeys, (SIGNED, SIGNS, STATE, STATES, TWICE)),
        (keyvalue.PadAndSample, (SIGNED, SIGNS)),
        (keyvalue.OpenSets, (WHEEL, WHEEL_KV)),
        (keyvalue.Encoded, (INDEX, PAIRS)),
    ],
)
def test_instances_are_told(kind, members):
    assert [one for one in ALL if isinstance(one, kind)] == [*members]


def test_names_answer_where_they_were():
    assert frequency.GRR is GRR and frequency.OUE is OUE
    assert frequency.PureProtocol is PureProtocol is ItemOracle
    assert hadamard.OneBit is OneBit
    assert core.Records is Records
    assert sampling.SetSampling is sets.SetMechanism
    assert sampling.every_set(1).sizes.tolist() == [0, 1]
    assert encoding.Encoded is keyvalue.Encoded
    assert issubclass(Piecewise, numbers.Number)
    keys, _ = core.pad_and_sample(Records.of({0}), 1, 1, np.random.default_rng(0))
    assert keys.tolist() == [0]


@pytest.mark.parametrize("hook", sorted(Mechanism.__abstractmethods__))
def test_a_class_that_leaves_out_a_hook_cannot_be_built(hook):
    every = {name: lambda self, *_: None for name in Mechanism.__abstractmethods__}
    assert type("Whole", (Mechanism,), every)()
    del every[hook]
    with pytest.raises(TypeError, match=hook):
        type("Part", (Mechanism,), every)()


def test_the_workshop_of_the_book_says_where_it_went():
    said = r"^ldpnb\.book is ldpnb_book now, .* install it with python -m pip install \. \./book in the book's"
    for name in ("book", "book.gallery", "book.studies.ren2019"):
        with pytest.raises(ModuleNotFoundError, match=said):
            import_module(f"ldpnb.{name}")
    with pytest.raises(ModuleNotFoundError, match=said):
        from ldpnb import book  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match=said):
        from ldpnb.book import settle  # noqa: F401
