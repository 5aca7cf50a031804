import io
import json
import subprocess
import sys
from fractions import Fraction

import joblib
import numpy as np
import pandas as pd
import pytest

from ldpnb_book import datasets, experiment, ledger as book
from ldpnb_book.experiment import precision, record, recorded, relative_error, sweep


def draw(a, b, *, rng):
    return {"sum": a + b, "noise": rng.random()}


def generator():
    return np.random.default_rng(1)


# ------------------------------------------------------------------------------------------------ sweep


def test_one_row_a_point_and_trial_in_order():
    table = sweep(draw, rng=generator(), trials=2, a=[1, 2], b=np.array([10.0, 20.0]))
    assert list(table.columns) == ["a", "b", "trial", "sum", "noise"]
    assert table[["a", "b", "trial"]].values.tolist() == [[a, b, t] for a in (1, 2) for b in (10, 20) for t in (0, 1)]
    assert (table["sum"] == table["a"] + table["b"]).all()
    assert table["noise"].is_unique


@pytest.mark.slow
def test_numbers_do_not_depend_on_jobs():
    alone = sweep(draw, rng=generator(), trials=3, a=[1, 2], b=[3])
    pd.testing.assert_frame_equal(alone, sweep(draw, rng=generator(), trials=3, jobs=2, a=[1, 2], b=[3]))


def test_numbers_do_not_depend_on_the_backend():
    alone = sweep(draw, rng=generator(), a=[1, 2, 3], b=[3])
    with joblib.parallel_config(backend="threading", n_jobs=2):
        pd.testing.assert_frame_equal(alone, sweep(draw, rng=generator(), a=[1, 2, 3], b=[3]))


def test_a_second_sweep_has_other_streams():
    rng = generator()
    first, second = (sweep(draw, rng=rng, trials=5, a=[1], b=[1])["noise"] for _ in range(2))
    assert not set(first) & set(second)


def test_streams_are_those_of_spawn():
    table = sweep(draw, rng=generator(), trials=3, a=[1], b=[1])
    assert table["noise"].tolist() == [r.random() for r in generator().spawn(3)]


def test_a_number_or_several_rows():
    assert sweep(lambda x, rng: x * 2.0, rng=generator(), x=range(3))["value"].tolist() == [0, 2, 4]
    rows = sweep(lambda x, rng: [{"item": i, "name": "k", "hit": x > i} for i in range(2)], rng=generator(), x=[1])
    assert rows.values.tolist() == [[1, 0, 0, "k", True], [1, 0, 1, "k", False]]
    assert len(sweep(lambda rng: 1, rng=generator(), trials=4)) == 4


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"rng": 3}, "rng must be a numpy Generator, got 3"),
        ({"rng": np.random.RandomState(1)}, "rng must be"),
        ({"trials": 0}, "trials must be"),
        ({"a": []}, "a must list at least one value"),
        ({"a": 1}, "a must be a list"),
        ({"a": "12"}, "a must be a list"),
        ({"a": np.eye(2)}, "a must be a list"),
        ({"trial": [1]}, "axis called 'trial'"),
        ({"measure": 3}, "measure must be a function"),
        ({"measure": lambda a, rng: None}, "measure must return a number"),
        ({"measure": lambda a, rng: "text"}, "measure must return a number"),
        ({"measure": lambda a, rng: Fraction(1, 2)}, "measure must return a number"),
        ({"measure": lambda a, rng: {"x": np.zeros(2)}}, "measure must return numbers"),
        ({"measure": lambda a, rng: []}, "at least one row"),
        ({"measure": lambda a, rng: {}}, "measure must return"),
        ({"measure": lambda a, rng: [1, 2]}, "measure must return"),
        ({"measure": lambda a, rng: {"a": 1}}, "name 'a'"),
        ({"measure": lambda a, rng: {"trial": 1}}, "name 'trial'"),
        ({"measure": lambda a, rng: {1: 1}}, "name 1"),
    ],
)
def test_sweep_refuses(changes, words):
    arguments = {"measure": lambda a, rng: 1, "rng": generator(), "a": [1]} | changes
    with pytest.raises(ValueError, match=words):
        sweep(**arguments)


def test_no_trace_without_a_terminal():
    code = (
        "import numpy as np; from ldpnb_book import sweep; "
        "sweep(lambda a, rng: 1, rng=np.random.default_rng(0), a=[1, 2])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (found.stdout, found.stderr) == ("", "")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_bar_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    sweep(draw, rng=generator(), a=[1, 2], b=[1])
    assert "0/2" in sys.stderr.getvalue()


# ---------------------------------------------------------------------------------------------- metrics


TRUTH = [0.5, 0.3, 0.2, 0.0]


def test_metrics_by_hand():
    estimate = [0.4, 0.3, 0.0, 0.2]
    assert precision(TRUTH, estimate, 2) == 1
    assert precision(TRUTH, estimate, 3) == pytest.approx(2 / 3)
    assert relative_error(TRUTH, estimate, 3) == pytest.approx(0.2)  # of 0.2, 0 and 1


def test_leading_axes_run_over_trials():
    estimate = np.stack([TRUTH, TRUTH[::-1]])[None].repeat(3, axis=0)
    for metric in (lambda t, e: precision(t, e, 2), lambda t, e: relative_error(t, e, 2)):
        assert metric(TRUTH, estimate).shape == (3, 2)
        assert metric(TRUTH, estimate)[0, 1] == metric(TRUTH, TRUTH[::-1])
    assert precision(TRUTH, estimate, 2)[0].tolist() == [1, 0]


def test_of_equal_items_the_first_counts_as_larger():
    assert precision([1, 1, 1, 1], [0, 0, 1, 1], 2) == 0
    truth = np.random.default_rng(1).integers(0, 3, 1000)
    largest = sorted(range(1000), key=lambda i: (-truth[i], i))[:450]
    assert precision(truth, 1 * np.isin(np.arange(1000), largest), 450) == 1


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: precision([[1.0]], [[1.0]], 1), "truth must have shape"),
        (lambda: precision([], [], 1), "truth must have shape"),
        (lambda: precision([1, 2], [1, 2, 3], 1), r"estimate must have shape \(..., 2\)"),
        (lambda: relative_error([1, 2], 1, 1), "estimate must have shape"),
        (lambda: relative_error([1, np.nan], [1, 2], 1), "truth must be finite"),
        (lambda: precision([1, 2], [1, np.inf], 1), "estimate must be finite"),
        (lambda: precision([1, 2], [1, 2], 3), "top must be at most"),
        (lambda: precision([1, 2], [1, 2], 0), "top must be an integer"),
        (lambda: relative_error([1, 0], [1, 2], 2), "truth must be positive"),
    ],
)
def test_metrics_refuse(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# --------------------------------------------------------------------------------------------- recorded


@pytest.fixture
def repository(tmp_path, monkeypatch):
    (tmp_path / "book" / "claims").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LDPNB_REAL", raising=False)
    return tmp_path


def run(seed, n):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": np.arange(n), "y": rng.random(n), "name": "a", "ok": np.arange(n) > 1})


def real(monkeypatch, on=True):
    monkeypatch.setenv("LDPNB_REAL", "1" if on else "")


def test_loaded_and_rerun_are_identical(repository, monkeypatch):
    parameters = {"seed": 3, "n": 5}
    real(monkeypatch)
    made = recorded("a.b", run, dataset="clothing", parameters=parameters)
    real(monkeypatch, False)
    read = recorded("a.b", None, dataset="clothing", parameters=parameters)  # the function is not called
    pd.testing.assert_frame_equal(made, read, check_exact=True)
    pd.testing.assert_frame_equal(made, run(3, 5), check_exact=True, check_dtype=False)
    stored = json.loads((repository / "book/recorded/a.b.json").read_text())
    assert stored["files"] == datasets.SOURCES["clothing"].files
    assert stored["parameters"] == parameters
    assert set(stored) == {"name", "dataset", "files", "parameters", "date", "ldpnb", "result"}


def test_a_dict_and_numpy_parameters(repository, monkeypatch):
    real(monkeypatch)
    made = recorded("a", lambda k: {"v": np.array([k, 1.5])}, parameters={"k": np.int64(3)})
    real(monkeypatch, False)
    assert made == recorded("a", None, parameters={"k": 3}) == {"v": [3, 1.5]}


def test_records_that_are_missing_or_stale(repository, monkeypatch):
    with pytest.raises(FileNotFoundError, match="make real"):
        recorded("a", run, parameters={"seed": 1, "n": 2})
    real(monkeypatch)
    recorded("a", run, dataset="retail", parameters={"seed": 1, "n": 2})
    real(monkeypatch, False)
    recorded("a", run, dataset="retail", parameters={"n": 2, "seed": 1})
    with pytest.raises(ValueError, match="stale: it has parameters.*make real"):
        recorded("a", run, dataset="retail", parameters={"seed": 2, "n": 2})
    with pytest.raises(ValueError, match="stale: it has dataset"):
        recorded("a", run, parameters={"seed": 1, "n": 2})
    changed = datasets.Source(files={"retail/retail.dat.gz": "0"}, official="")
    monkeypatch.setitem(datasets.SOURCES, "retail", changed)
    with pytest.raises(ValueError, match="stale: it has files"):
        recorded("a", run, dataset="retail", parameters={"seed": 1, "n": 2})


@pytest.mark.parametrize("result", [3, [1], {"x": float("nan")}, {"x": object()}, pd.DataFrame({"x": [np.inf]})])
def test_results_that_cannot_be_stored(repository, monkeypatch, result):
    real(monkeypatch)
    with pytest.raises(ValueError, match="must"):
        recorded("a", lambda: result)
    assert not (repository / "book/recorded/a.json").exists()


# a measurement: stored once by `record`, and only ever read by a chapter


def test_a_measurement_is_read_with_its_provenance(repository, monkeypatch):
    table = run(3, 5)
    record("bench.a", table, provenance={"processor": "a name", "cores": np.int64(2)})
    stored = (repository / "book/recorded/bench.a.json").read_bytes()
    for on in (False, True):  # make real leaves it alone
        real(monkeypatch, on)
        read = recorded("bench.a")
        pd.testing.assert_frame_equal(read, table, check_exact=True, check_dtype=False)
        assert read.attrs.keys() == {"processor", "cores", "date", "ldpnb"}
        assert (read.attrs["processor"], read.attrs["cores"]) == ("a name", 2)
    assert (repository / "book/recorded/bench.a.json").read_bytes() == stored
    assert json.loads(stored)["name"] == "bench.a"


def test_a_measurement_may_be_a_dict(repository):
    record("bench.a", {"v": [1, 2.5]}, provenance={})
    assert recorded("bench.a") == {"v": [1, 2.5]}


@pytest.mark.parametrize("on", [False, True])
def test_a_missing_measurement_says_how_to_make_it(repository, monkeypatch, on):
    real(monkeypatch, on)
    with pytest.raises(FileNotFoundError, match="no record 'bench.a' in book/recorded: run `make bench`"):
        recorded("bench.a")


@pytest.mark.parametrize(
    "result, provenance", [(3, {}), ({"x": float("nan")}, {}), ({"x": 1}, {"processor": object()})]
)
def test_measurements_that_cannot_be_stored(repository, result, provenance):
    with pytest.raises(ValueError, match="must"):
        record("bench.a", result, provenance=provenance)
    assert not (repository / "book/recorded/bench.a.json").exists()


def test_a_record_that_is_rerun_has_no_other_provenance(repository, monkeypatch):
    real(monkeypatch)
    assert recorded("a", run, parameters={"seed": 1, "n": 2}).attrs == {}


def test_unknown_data_set(repository):
    with pytest.raises(ValueError, match="dataset must be one of"):
        recorded("a", run, dataset="unknown")


def test_outside_the_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(book, "__file__", str(tmp_path / "site" / "ldpnb_book" / "ledger.py"))
    monkeypatch.delenv("LDPNB_REAL", raising=False)
    with pytest.raises(FileNotFoundError, match="stored in the book's repository, which is not above this folder"):
        record("a", {"x": 1}, provenance={})
    shipped = tmp_path / "site" / "ldpnb_book" / "recorded"
    shipped.mkdir(parents=True)
    (shipped / "a.json").write_text('{"parameters": {}, "dataset": null, "files": {}, "result": {"dict": {"x": 1}}}')
    assert recorded("a", run) == {"x": 1}
    with pytest.raises(FileNotFoundError, match="no record 'b'"):
        recorded("b", run)


def test_committed_records_can_be_read():
    for path in (book.repository() / "book" / "recorded").glob("*.json"):
        stored = json.loads(path.read_text(encoding="utf-8"))
        assert stored["name"] == path.stem
        experiment._unpack(stored["result"])
