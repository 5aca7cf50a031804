"""Data to try mechanisms on: two surveys that every machine has, and loaders for the papers' own data.

The papers' data are not distributed with the book.  Their loaders read the folder named by the environment variable
``LDPNB_DATA`` and accept only the files whose SHA-256 is listed in `SOURCES`, so that a recorded result says
exactly what it was computed from.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ldpnb.records import Records


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a data set comes from: the SHA-256 of each of its files, and who publishes it."""

    files: dict[str, str]
    official: str


SOURCES = {
    "nltcs": Source(
        files={"nltcs/nltcs_Y1_Y16.csv.gz": "0ad8142da2a42f46d5b4c7770d5fd95445c79b58d5c5ec233cf8856eb3656cff"},
        official="National Long Term Care Survey, ICPSR deposit 9681; expanded from the published contingency table",
    ),
    "adult": Source(
        files={"adult/adult_raw_45222x15.csv.gz": "bb31de603e948c890ea1a06438899883220234bbe36e8edd1adf7872912ad089"},
        official="UCI Machine Learning Repository, data set Adult; rows with missing values dropped",
    ),
    "adult_coarse": Source(
        files={
            "adult/adult_lopub_Data2-coarse.dat.gz": "5010ff036cec8005aa68829d30d39bb809a362df310251c83f91f628d764ecd2",
            "adult/adult_lopub_Data2-coarse.domain": "7391e8da2a9475757c78c139cd6017c553fcf193571e5e4fa9a96e09cd37b7d0",
        },
        official="the authors of LoPub, who coarsened the data set Adult of the UCI Machine Learning Repository",
    ),
    "movielens_top10": Source(
        files={
            "movielens/ml1m_top10_matrix.csv.gz": "086ed00961050d4fb9acbcff12fd28b23333ec6e3eabf5822e1a446a5ee8227d"
        },
        official="GroupLens, data set MovieLens 1M; the ten films with the most ratings",
    ),
    "clothing": Source(
        files={
            "clothing/clothing_key_value.csv.gz": "2889ef42d2f62859c84b5d3c4c9288a30f3e337f3521bc108ce2d0baf7a043b5"
        },
        official="the authors of PCKV, who derived it from clothing fit ratings",
    ),
    "retail": Source(
        files={"retail/retail.dat.gz": "657132b9e15e8cb2683d0a6a118228834e6566e38d55c8f616b773eae89d704e"},
        official="Frequent Itemset Mining Dataset Repository (FIMI), data set retail by T. Brijs",
    ),
    "tpce": Source(
        files={
            "tpce/tpce_lopub_Data3-coarse.domain": "5899ef2f8f4ebd683ab8c453c6f79e0b6c133f288074be8c9e924f1031755832"
        },
        official="the authors of LoPub, who coarsened data of the TPC-E benchmark",
    ),
    "census": Source(
        files={
            "uscensus1990/uscensus1990_sample199.csv": (
                "85b3d1e33695b1eafc0e72ac0f9bd5baf8757bed608a523f189d0a924d91927b"
            ),
            "uscensus1990/uscensus1990_tail22.csv": "8bab90d5e98b494681fb8644c82393d864bb0c95accb114fa5ef5cc367e6bf7a",
        },
        official="UCI Machine Learning Repository, data set US Census Data (1990); 221 of its rows",
    ),
    "summary": Source(
        files={"summary_stats.json": "04ef1623afd7a8645278b61b1c9eb810a3de4050c9a72904d9f758ddcd9861dc"},
        official="computed from the data sets named in it",
    ),
}


# --------------------------------------------------------------------------- on every machine, from statsmodels


def fair() -> pd.DataFrame:
    """Survey on marriage and extramarital affairs: 6,366 women, one row each.

    Returns
    -------
    DataFrame (6366, 10)
        ``affair``: whether she had any (2,053 did); ``affairs_time``: a measure of time spent in them;
        ``marriage``: how she rates her marriage, 1 very poor to 5 very good; ``age``, ``years_married``: years,
        one value an interval; ``children``: number, 5.5 for more than five; ``religiosity``: 1 not to 4 strongly;
        ``education``: years of schooling; ``occupation``, ``husband_occupation``: codes 1 to 6.

    Notes
    -----
    R. Fair, A theory of extramarital affairs, Journal of Political Economy 86(1), 1978, as shipped with statsmodels.
    """
    from statsmodels.datasets import fair as source  # type: ignore[import-untyped]

    raw = source.load_pandas().data
    names = {
        "rate_marriage": "marriage",
        "age": "age",
        "yrs_married": "years_married",
        "children": "children",
        "religious": "religiosity",
        "educ": "education",
        "occupation": "occupation",
        "occupation_husb": "husband_occupation",
        "affairs": "affairs_time",
    }
    table = raw[list(names)].rename(columns=names)
    table.insert(0, "affair", table["affairs_time"] > 0)
    codes = ["marriage", "religiosity", "education", "occupation", "husband_occupation"]
    return table.astype(dict.fromkeys(codes, "int64"))


def randhie() -> pd.DataFrame:
    """Visits to a doctor in the RAND health insurance experiment: several years of each presumed person.

    statsmodels ships 20,190 rows, one a person and year, without the number of the person.
    What it has besides the visits are a person's plan and health at the start, which stay the same over the years,
    and rows of one person follow each other.  So a run of rows that agree in everything but the visits is one person,
    unless two people who agree (members of a family, say) follow each other.
    People took part for three or five years.
    This function keeps the runs of exactly three or five rows and takes each for one person:
    4,339 presumed persons in 15,493 rows.  The other 955 runs, 4,697 rows, are left out: people who joined late or left
    early, and runs that hold several people.  Some presumed persons may still be two.
    Good enough to show what repeated reports do; not for a statement about health.

    Returns
    -------
    DataFrame (15493, 6)
        ``person``: number of the presumed person, from 0; ``year``: of taking part, from 1;
        ``visits``: visits to a doctor in that year; ``limited``: physical limitation;
        ``diseases``: index of chronic diseases; ``health``: self-rated, excellent, good, fair or poor.
    """
    from statsmodels.datasets import randhie as source

    raw = source.load_pandas().data
    same = raw.drop(columns="mdvis")
    run = (same != same.shift()).any(axis=1).cumsum()
    length = run.groupby(run).transform("size")
    kept = raw[length.isin([3, 5])]
    person = run[kept.index].rank(method="dense").astype("int64") - 1
    rated = kept[["hlthg", "hlthf", "hlthp"]].to_numpy()
    return pd.DataFrame(
        {
            "person": person,
            "year": person.groupby(person).cumcount() + 1,
            "visits": kept["mdvis"].astype("int64"),
            "limited": kept["physlm"] > 0,
            "diseases": kept["disea"],
            "health": np.array(["excellent", "good", "fair", "poor"])[rated @ [1, 2, 3]],
        }
    ).reset_index(drop=True)


# ----------------------------------------------------------------------------------- from the folder LDPNB_DATA


def nltcs() -> pd.DataFrame:
    """National Long Term Care Survey: 21,574 people, 16 disabilities Y1 … Y16, each 0 or 1.

    The rows are sorted: shuffle them before you split them.
    """
    return _csv(_read("nltcs")[0])


def adult() -> pd.DataFrame:
    """UCI Adult without the rows that have missing values: 45,222 people, 15 attributes."""
    return _csv(_read("adult")[0])


def adult_coarse() -> tuple[NDArray[np.int64], tuple[int, ...]]:
    """UCI Adult as coarsened for LoPub.

    Returns
    -------
    codes : ndarray of int64 (45222, 15)
    sizes : tuple of 15 ints
        Number of values of each attribute; its codes are 0 … size − 1.
    """
    table, domain = _read("adult_coarse")
    return _codes(table, sizes := _domain(domain)), sizes


def movielens_top10() -> Records:
    """Ratings of the ten most rated films of MovieLens 1M: 6,040 people, keys 0 … 9.

    Values are (rating − 3)/2, which takes one star to −1 and five stars to 1.
    """
    return _matrix(_read("movielens_top10")[0])


def clothing() -> Records:
    """Fit ratings of rented clothes: 105,508 people, 5,850 keys, values −1, −½, 0, ½ or 1.

    The file has 192,462 pairs; 264 of them repeat the user and key of an earlier one.  The first is kept: 192,198.
    """
    return _pairs(_read("clothing")[0])


def retail() -> Records:
    """Baskets of a Belgian supermarket: 88,162 baskets, 16,470 items, 0-based, no values."""
    return _baskets(_read("retail")[0])


def tpce_domain() -> tuple[int, ...]:
    """Return the number of values of each of the 24 attributes of the coarsened TPC-E data; there are no records."""
    return _domain(_read("tpce")[0])


def census_sample() -> pd.DataFrame:
    """Return 221 rows of US Census 1990, 68 attributes each: enough to calibrate a generator, not a random sample."""
    head, tail = _read("census")
    top = _csv(head)
    return pd.concat([top, _csv(tail, names=list(top.columns))], ignore_index=True).drop(columns="caseid")


def summary() -> dict[str, Any]:
    """Marginals, correlations, top frequencies and length histograms of the data sets, to calibrate stand-ins."""
    return dict(json.loads(_read("summary")[0]))


# ------------------------------------------------------------------------------------------------------ reading


def _read(name: str) -> list[bytes]:
    """Return the checked contents of a data set's files, unpacked."""
    source = SOURCES[name]
    folder = os.environ.get("LDPNB_DATA")
    contents = []
    for file, expected in source.files.items():
        if not folder:
            raise FileNotFoundError(
                f"data set {name!r} is not part of the book: set LDPNB_DATA to a folder that holds {file} "
                f"(source: {source.official})"
            )
        path = Path(folder, file)
        if not path.is_file():
            raise FileNotFoundError(f"LDPNB_DATA = {folder} must hold {file} (source: {source.official})")
        content = path.read_bytes()
        if (found := hashlib.sha256(content).hexdigest()) != expected:
            raise ValueError(f"{file} in LDPNB_DATA must have SHA-256 {expected}, got {found}")
        contents.append(gzip.decompress(content) if path.suffix == ".gz" else content)
    return contents


def _csv(content: bytes, names: list[str] | None = None) -> pd.DataFrame:
    return pd.read_csv(BytesIO(content), names=names)


def _domain(content: bytes) -> tuple[int, ...]:
    """Read a domain file: a line of dimensions, then one line an attribute: name, kind, size, values."""
    header, *lines = content.decode().strip().splitlines()
    sizes = tuple(int(line.split()[2]) for line in lines)
    if len(sizes) != int(header.split()[0]):
        raise ValueError(f"the domain file must describe {header.split()[0]} attributes, got {len(sizes)}")
    return sizes


def _codes(content: bytes, sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """Read coded records: a line with their number, then one CSV line each."""
    header, _, body = content.partition(b"\n")
    codes = np.loadtxt(BytesIO(body), delimiter=",", dtype=np.int64, ndmin=2)
    if codes.shape != (int(header), len(sizes)):
        raise ValueError(f"the codes must have shape {(int(header), len(sizes))}, got {codes.shape}")
    if (codes < 0).any() or (codes >= sizes).any():
        raise ValueError("the codes must lie within the domain")
    return codes


def _matrix(content: bytes) -> Records:
    """Read a matrix of ratings 1 to 5, 0 for none: one row a person, the first column being their number."""
    ratings = _csv(content).to_numpy()[:, 1:]
    user, key = np.nonzero(ratings)
    return Records.from_arrays(user, key, (ratings[user, key] - 3) / 2, n=len(ratings))


def _pairs(content: bytes) -> Records:
    """Read rows ``user,key,value``, 1-based; of rows with the same user and key the first counts."""
    table = _csv(content).drop_duplicates(["user", "key"], keep="first")
    return Records.from_arrays(table["user"].to_numpy() - 1, table["key"].to_numpy() - 1, table["value"].to_numpy())


def _baskets(content: bytes) -> Records:
    """Read one line of item numbers a person."""
    lines = content.decode().splitlines()
    baskets = [np.array(line.split(), np.int64) for line in lines]
    user = np.repeat(np.arange(len(baskets)), [len(b) for b in baskets])
    return Records.from_arrays(user, np.concatenate(baskets), n=len(baskets))
