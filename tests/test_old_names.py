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


# modules of `ldpnb.serve` in 1.0.0, where their names are now, and these: an old name, or old=new
SERVE = [
    (
        "choose",
        "ldpnb.choose._rows",
        "LARGEST MANY TINY",
    ),
    (
        "choose",
        "ldpnb.choose.attributes",
        "Crosstabs Marginals",
    ),
    (
        "choose",
        "ldpnb.choose.items",
        "Frequent Item LONG MOST SHORT Sets",
    ),
    (
        "choose",
        "ldpnb.choose.numbers",
        "Distribution OneNumber Vector",
    ),
    (
        "choose",
        "ldpnb.choose.pairs",
        "Correlation Pairs",
    ),
    (
        "choose",
        "ldpnb.choose.questions",
        "TASKS",
    ),
    (
        "collecting",
        "ldpnb.collecting.partitions",
        "AWAITED CHECKSUMS ClusterError Collected FAN_IN GROUP HEAD LAYOUT LOST OWN PLAIN "
        "PartitionError StrPath Told WIDE WITH_WAVE collect read save",
    ),
    (
        "comparing",
        "ldpnb.survey.comparing",
        "Homogeneity ROWS difference differences same_everywhere",
    ),
    (
        "drawing",
        "ldpnb.survey.drawing",
        "ALARM R Supported about_all check_draw check_of deal left_over people_at_least people_in "
        "plausible shuffled some_of",
    ),
    (
        "keeping",
        "ldpnb.collecting._given",
        "Asking=SurveyQuestion",
    ),
    (
        "keeping",
        "ldpnb.collecting.files",
        "FORM LONGEST Memoising SUM StrPath WITH_WAVE digested identity load_state load_tally "
        "save_state save_tally",
    ),
    (
        "keeping",
        "ldpnb.survey.accounts",
        "Account BudgetError CONDITIONS SLACK within_limit",
    ),
    (
        "one_answer",
        "ldpnb.survey.one_answer",
        "CLOSE MANY Number OneOf Strings",
    ),
    (
        "planning",
        "ldpnb.choose.planning",
        "CLOSE Question Row WIDTHS bits_of least_epsilon",
    ),
    (
        "ranking",
        "ldpnb.choose.ranking",
        "Choice LONG Ranking check_half_width check_power needed written",
    ),
    (
        "screening",
        "ldpnb.collecting.screening",
        "BINS Bits Screening Test screen",
    ),
    (
        "several_answers",
        "ldpnb.survey.several_answers",
        "HALVINGS Ratings TINY YesNoTable",
    ),
    (
        "survey",
        "ldpnb.survey.survey",
        "Survey",
    ),
    (
        "waves",
        "ldpnb.survey.waves",
        "BY_CHANCE NAMED NAMED_WAVES NEAR OverWaves ROUNDING Waves pool_waves",
    ),
    (
        "ways",
        "ldpnb.choose.ways",
        "ENOUGH WORSE Way Ways said shared_out ways",
    ),
    (
        "wire",
        "ldpnb.collecting.wire",
        "DECIMAL DIGITS FORM Field HEADER JSON PLAIN SAFE Text WITH_WAVE fields_of from_wire header "
        "schema sections to_wire",
    ),
]
SERVE_DOOR = (
    "Account BudgetError Choice ClusterError Collected Contrast Contrasts Entry Homogeneity "
    "Number OneOf PartitionError Ranking Ratings RatingsResult Result Screening Strings Survey "
    "Waves Way Ways YesNoTable catalogue collect difference differences from_wire header "
    "identity load_state load_tally pool_waves read same_everywhere save save_state save_tally "
    "schema screen to_wire vectors"
).split()


@pytest.mark.parametrize("old, new, names", SERVE)
def test_names_of_serve_answer_with_the_new_one(old, new, names):
    before = import_module(f"ldpnb.serve.{old}")
    after = import_module(new)
    for name in names.split():
        known, _, now = name.partition("=")
        assert getattr(before, known) is getattr(after, now or known)


def test_the_door_of_serve_has_the_names_of_1_0_0():
    serve = import_module("ldpnb.serve")
    packages = [import_module(f"ldpnb.{name}") for name in ("choose", "collecting", "survey")]
    assert set(serve.__all__) == set(SERVE_DOOR)
    for name in SERVE_DOOR:
        assert [getattr(one, name) for one in packages if name in one.__all__] == [getattr(serve, name)]
