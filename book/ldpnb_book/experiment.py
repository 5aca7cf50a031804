"""Experiments: sweeps with independent random streams, error measures, and results recorded on real data."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import joblib  # type: ignore[import-untyped]
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm  # type: ignore[import-untyped]

from ldpnb.checks import check_count, check_numbers
from ldpnb_book import datasets
from ldpnb_book.ledger import repository, shelf

Row = dict[str, Any]
NUMBER = (int, float, np.number, np.bool_)


# ----------------------------------------------------------------------------------------------------- sweeps


def sweep(
    measure: Callable[..., Any], *, rng: np.random.Generator, trials: int = 1, jobs: int = 1, **grid: Any
) -> pd.DataFrame:
    """Measure at every point of a grid, several times, each time with a random stream of its own.

    The streams are spawned from `rng` in the order of the rows, so the numbers do not depend on `jobs`.
    Wrap the call in ``joblib.parallel_config(backend="dask")`` to run it on a cluster.

    Parameters
    ----------
    measure : callable
        Called as ``measure(rng=stream, **point)``.  Returns a number, a dict of named numbers,
        or a list of such dicts (several rows); a row may carry texts as labels.
    rng : numpy.random.Generator
    trials : int
        How often to measure at each point.
    jobs : int
        Processes to use, as for `joblib.Parallel`: 1 for none, -1 for one a core.
    **grid : list, tuple, range or array, one axis each
        The values to try; the points are their product, the last one running fastest.

    Returns
    -------
    DataFrame
        One row a point, trial and returned row.  Columns: the grid's names, ``trial``,
        and what was measured (``value`` for a bare number).

    Raises
    ------
    ValueError
        If an argument breaks these rules, or `measure` returns something else or uses a taken name.
    """
    if not callable(measure):
        raise ValueError(f"measure must be a function, got {measure!r}")
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy Generator, got {rng!r}")
    trials = check_count(trials, 1, "trials")
    if jobs != -1:
        jobs = check_count(jobs, 1, "jobs")
    if "trial" in grid:
        raise ValueError("grid must not have an axis called 'trial': that column numbers the repetitions")
    axes = {name: _axis(name, values) for name, values in grid.items()}
    points = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    tasks = [(point, trial) for point in points for trial in range(trials)]
    streams = rng.spawn(len(tasks))
    results = joblib.Parallel(n_jobs=jobs, return_as="generator")(
        joblib.delayed(measure)(rng=stream, **point) for (point, _), stream in zip(tasks, streams, strict=True)
    )
    bar = tqdm(results, total=len(tasks), leave=False, disable=not sys.stderr.isatty())
    rows = [
        {**point, "trial": trial, **row}
        for (point, trial), result in zip(tasks, bar, strict=True)
        for row in _rows(result, taken=(*axes, "trial"))
    ]
    return pd.DataFrame(rows)


def _axis(name: str, values: Any) -> list[Any]:
    if isinstance(values, np.ndarray) and values.ndim == 1:
        values = values.tolist()
    if not isinstance(values, list | tuple | range):
        raise ValueError(f"{name} must be a list of values to try, got {values!r}")
    if not values:
        raise ValueError(f"{name} must list at least one value, got none")
    return list(values)


def _rows(result: Any, taken: tuple[str, ...]) -> list[Row]:
    if isinstance(result, NUMBER):
        result = {"value": result}
    rows = result if isinstance(result, list) else [result]
    if not rows:
        raise ValueError("measure must return at least one row, got an empty list")
    for row in rows:
        if not isinstance(row, dict) or not row:
            raise ValueError(f"measure must return a number, a dict of numbers or a list of such dicts, got {row!r}")
        for name, value in row.items():
            if not isinstance(name, str) or name in taken:
                raise ValueError(
                    f"measure must not return the name {name!r}: it is not a text, or a column of the grid"
                )
            if not isinstance(value, (*NUMBER, str)):
                raise ValueError(f"measure must return numbers, or texts as labels, got {value!r} for {name!r}")
    return rows


# ---------------------------------------------------------------------------------------------------- metrics


def precision(truth: ArrayLike, estimate: ArrayLike, top: int) -> NDArray[np.float64]:
    """Share of the `top` items with the largest estimates that are among the `top` truly largest.

    Of equal items the first counts as larger.  Both sets have the same size, so recall is the same number.

    Parameters
    ----------
    truth : array_like (k,)
    estimate : array_like (..., k)
        Leading axes run over trials.
    top : int
        From 1 to k.

    Returns
    -------
    ndarray (...)

    Raises
    ------
    ValueError
        If the shapes do not fit, a number is not finite, or `top` is out of range.

    References
    ----------
    zhang2018, equation (4-1).
    """
    _error(truth, estimate)
    true_top, found = _top(truth, top), _top(estimate, top)
    return np.asarray(np.isin(found, true_top).mean(axis=-1))


def relative_error(truth: ArrayLike, estimate: ArrayLike, top: int) -> NDArray[np.float64]:
    """Median of ``|estimate - truth| / truth`` over the `top` truly largest items, which must be positive.

    Shapes and errors as in `precision`.  Source: zhang2018, equation (4-2).
    """
    error, true_top = _error(truth, estimate), _top(truth, top)
    largest = check_numbers(truth, "truth")[true_top]
    if largest.min() <= 0:
        raise ValueError(f"truth must be positive for the top {top} items, got {largest.min():g}")
    return np.asarray(np.median(np.abs(error[..., true_top]) / largest, axis=-1))


def _error(truth: ArrayLike, estimate: ArrayLike) -> NDArray[np.float64]:
    true, estimated = check_numbers(truth, "truth"), check_numbers(estimate, "estimate")
    if true.ndim != 1 or not true.size:
        raise ValueError(f"truth must have shape (k,), got {true.shape}")
    if estimated.shape[-1:] != true.shape:
        raise ValueError(f"estimate must have shape (..., {len(true)}), got {estimated.shape}")
    return estimated - true


def _top(values: ArrayLike, top: int) -> NDArray[np.int64]:
    numbers = np.asarray(values, np.float64)
    if check_count(top, 1, "top") > numbers.shape[-1]:
        raise ValueError(f"top must be at most the number of items, {numbers.shape[-1]}, got {top}")
    return np.argsort(-numbers, axis=-1, kind="stable")[..., :top].astype(np.int64)


# ---------------------------------------------------------------------------------------------------- records


def recorded(
    name: str,
    run: Callable[..., pd.DataFrame | dict[str, Any]] | None = None,
    *,
    dataset: str | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> pd.DataFrame | dict[str, Any]:
    """Return a stored result, or make it: one line for readers who have the data and for those who do not.

    Without further ado the result is read from ``book/recorded/<name>.json``, or from the copy of that folder in
    the installed package.  With the environment variable
    ``LDPNB_REAL=1`` it is computed by ``run(**parameters)`` and stored there, with its provenance.
    Without `run` it is only ever read: a measurement of speed, which `record` has stored.

    Parameters
    ----------
    name : str
        Of the record, for example ``"sun2021.fig5"``.
    run : callable, optional
        Returns a DataFrame or a dict of numbers, texts and lists; everything random in it must be seeded
        from its parameters.
    dataset : str, optional
        Name in `datasets.SOURCES` of the data that `run` loads; its checksums are stored.
    parameters : mapping, optional
        Keyword arguments of `run`, of the kinds that JSON knows.

    Returns
    -------
    DataFrame or dict
        The same, whether it was just computed or read: both have been through JSON.
        The ``attrs`` of a DataFrame that `record` has stored hold its date and provenance.

    Raises
    ------
    FileNotFoundError
        If there is no such record; the message says how to make it.
    ValueError
        If the record was made with other parameters or other data, or the result cannot be stored.
    """
    if dataset is not None and dataset not in datasets.SOURCES:
        raise ValueError(f"dataset must be one of {', '.join(datasets.SOURCES)}, got {dataset!r}")
    asked = _through_json("parameters", dict(parameters or {}))
    files = {} if dataset is None else dict(datasets.SOURCES[dataset].files)
    again = "run `LDPNB_DATA=<data folder> make real`" if run else f"run `make {name.split('.')[0]}`"
    if run and os.environ.get("LDPNB_REAL") == "1":
        _store(_path(name), run(**asked), dataset=dataset, files=files, parameters=asked)
    path = shelf("recorded") / f"{name}.json"
    if not path.is_file():
        raise FileNotFoundError(f"no record {name!r} in book/recorded: {again}")
    stored = json.loads(path.read_text(encoding="utf-8"))
    for what, now in (("parameters", asked), ("dataset", dataset), ("files", files)):
        if stored[what] != now:
            raise ValueError(f"record {name!r} is stale: it has {what} {stored[what]}, asked for {now}; {again}")
    result = _unpack(stored["result"])
    if isinstance(result, pd.DataFrame) and "provenance" in stored:
        result.attrs.update(stored["provenance"], date=stored["date"], ldpnb=stored["ldpnb"])
    return result


def record(name: str, result: pd.DataFrame | dict[str, Any], *, provenance: Mapping[str, Any]) -> None:
    """Store what was measured outside the book, on a machine that its numbers depend on, for `recorded` to read.

    Parameters
    ----------
    name : str
        Of the record, for example ``"bench.mechanisms"``.
    result : DataFrame or dict
    provenance : mapping
        What the numbers depend on, of the kinds that JSON knows; date and version of the package are added.

    Raises
    ------
    FileNotFoundError
        Outside the book's repository.
    ValueError
        If the result or its provenance cannot be stored.
    """
    _store(_path(name), result, dataset=None, files={}, parameters={}, provenance=dict(provenance))


def _path(name: str) -> Path:
    root = repository()
    if root is None:
        raise FileNotFoundError("records are stored in the book's repository, which is not above this folder")
    return root / "book" / "recorded" / f"{name}.json"


def _store(path: Path, result: Any, **about: Any) -> None:
    about |= {"date": date.today().isoformat(), "ldpnb": _version()}
    stored = {"name": path.stem, **about, "result": _pack(result)}
    text = json.dumps(_through_json("result", stored), indent=1, ensure_ascii=False) + "\n"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _version() -> str:
    try:
        return version("ldpnb")
    except PackageNotFoundError:
        return "not installed"


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} {value!r}")


def _through_json(name: str, value: Any) -> Any:
    try:
        return json.loads(json.dumps(value, default=_plain, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be finite numbers, texts, lists and dicts, got {error}") from None


def _pack(result: Any) -> dict[str, Any]:
    if isinstance(result, pd.DataFrame):
        return {"columns": list(result.columns), "rows": [list(row) for row in result.itertuples(index=False)]}
    if isinstance(result, dict):
        return {"dict": result}
    raise ValueError(f"run must return a DataFrame or a dict, got {type(result).__name__}")


def _unpack(stored: dict[str, Any]) -> pd.DataFrame | dict[str, Any]:
    if "dict" in stored:
        return dict(stored["dict"])
    return pd.DataFrame(stored["rows"], columns=stored["columns"])
