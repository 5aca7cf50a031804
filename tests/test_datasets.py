import gzip
import hashlib
import os

import numpy as np
import pytest

from ldpnb_book import datasets

real = pytest.mark.skipif(
    not os.environ.get("LDPNB_DATA"), reason="LDPNB_DATA is not set: the papers' data are not part of the book"
)


# ----------------------------------------------------------------------------------------- from statsmodels


def test_fair():
    table = datasets.fair()
    assert table.shape == (6366, 10)
    assert table["affair"].dtype == bool
    assert table["affair"].sum() == 2053
    assert (table["affair"] == (table["affairs_time"] > 0)).all()
    assert set(table["marriage"]) == {1, 2, 3, 4, 5}
    assert not table.isna().any().any()


def test_randhie_counts_as_documented():
    table = datasets.randhie()
    assert len(table) == 15493
    years = table.groupby("person")["year"]
    assert years.ngroups == 4339 == table["person"].max() + 1
    assert set(years.size()) == {3, 5}
    assert (years.min() == 1).all() and (years.max() == years.size()).all()
    assert (table.groupby("person")[["limited", "diseases", "health"]].nunique() == 1).all().all()
    assert set(table["health"]) == {"excellent", "good", "fair", "poor"}
    assert (table["visits"] >= 0).all()


# ----------------------------------------------------------------------------------------- made-up files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Pretend that the given texts are the official files of a data set."""
    monkeypatch.setenv("LDPNB_DATA", str(tmp_path))

    def put(name, *texts):
        files = {}
        for file, text in zip(datasets.SOURCES[name].files, texts, strict=True):
            content = gzip.compress(text.encode()) if file.endswith(".gz") else text.encode()
            (tmp_path / file).parent.mkdir(exist_ok=True)
            (tmp_path / file).write_bytes(content)
            files[file] = hashlib.sha256(content).hexdigest()
        monkeypatch.setitem(datasets.SOURCES, name, datasets.Source(files=files, official="made up"))

    return put


def people(records):
    values = [None] * len(records.keys) if records.values is None else records.values.tolist()
    pairs = list(zip(records.keys.tolist(), values, strict=True))
    return [pairs[a:b] for a, b in zip(records.offsets[:-1], records.offsets[1:], strict=True)]


def test_first_of_repeated_pairs_counts(folder):
    folder("clothing", "user,key,value\n1,2,1\n1,1,.5\n1,2,-1\n2,2,0\n1,2,0\n")
    assert people(datasets.clothing()) == [[(0, 0.5), (1, 1.0)], [(1, 0.0)]]


def test_ratings_are_rescaled_and_absent_ones_left_out(folder):
    folder("movielens_top10", "user,m5,m7\n1,5,0\n2,0,0\n3,1,3\n4,0,0\n")
    assert people(datasets.movielens_top10()) == [[(0, 1.0)], [], [(0, -1.0), (1, 0.0)], []]


def test_baskets(folder):
    folder("retail", "0 1 2 \n\n2 \n")
    assert people(datasets.retail()) == [[(0, None), (1, None), (2, None)], [], [(2, None)]]


def test_codes_and_domain(folder):
    domain = "2 3\nV1 D 3 0 1 2\nV2 C 2 0 1\n"
    folder("adult_coarse", "3\n0,1\n2,0\n1,1\n", domain)
    codes, sizes = datasets.adult_coarse()
    assert (codes.tolist(), sizes) == ([[0, 1], [2, 0], [1, 1]], (3, 2))
    for broken in ("4\n0,1\n2,0\n1,1\n", "3\n0,1\n3,0\n1,1\n", "3\n0,-1\n2,0\n1,1\n"):
        folder("adult_coarse", broken, domain)
        with pytest.raises(ValueError, match="the codes must"):
            datasets.adult_coarse()
    folder("tpce", "2 40000\n1 C 2 (0,1] (1,2]\n2 D 3 0 1 2\n")
    assert datasets.tpce_domain() == (2, 3)
    folder("tpce", "3 40000\n1 C 2 (0,1] (1,2]\n2 D 3 0 1 2\n")
    with pytest.raises(ValueError, match="must describe 3 attributes, got 2"):
        datasets.tpce_domain()


def test_census_parts_are_joined(folder):
    folder("census", "caseid,a,b\n1,2,3\n", "9,8,7\n6,5,4\n")
    assert datasets.census_sample().to_dict("list") == {"a": [2, 8, 5], "b": [3, 7, 4]}


def test_a_changed_file_is_refused(folder, tmp_path):
    folder("summary", '{"n": 1}')
    assert datasets.summary() == {"n": 1}
    (tmp_path / "summary_stats.json").write_text('{"n": 2}')
    with pytest.raises(ValueError, match="summary_stats.json in LDPNB_DATA must have SHA-256 .*, got"):
        datasets.summary()


def test_an_absent_file_is_named_with_its_source(tmp_path, monkeypatch):
    monkeypatch.setenv("LDPNB_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"must hold retail/retail.dat.gz \(source: .*FIMI"):
        datasets.retail()
    monkeypatch.delenv("LDPNB_DATA")
    with pytest.raises(FileNotFoundError, match="set LDPNB_DATA to a folder that holds nltcs/.*ICPSR"):
        datasets.nltcs()


# ----------------------------------------------------------------------------------------- the real files


@real
@pytest.mark.parametrize(
    "name, n, d, entries",
    [
        ("movielens_top10", 6040, 10, 28017),
        ("clothing", 105508, 5850, 192462 - 264),
        ("retail", 88162, 16470, 908576),
    ],
)
def test_real_records(name, n, d, entries):
    records = getattr(datasets, name)()
    assert (len(records), records.keys.max() + 1, len(records.keys)) == (n, d, entries)
    if records.values is not None:
        assert np.abs(records.values).max() == 1


@real
def test_real_tables():
    nltcs = datasets.nltcs()
    assert nltcs.shape == (21574, 16) and set(np.unique(nltcs)) == {0, 1}
    assert datasets.adult().shape == (45222, 15)
    codes, sizes = datasets.adult_coarse()
    assert codes.shape == (45222, 15)
    assert sizes == (16, 7, 16, 16, 16, 7, 14, 6, 5, 2, 16, 16, 16, 41, 2)
    assert len(datasets.tpce_domain()) == 24
    assert datasets.census_sample().shape == (221, 68)


@real
def test_real_summary_agrees_with_the_data():
    summary = datasets.summary()
    assert summary["nltcs"]["n"] == len(datasets.nltcs())
    shares = list(summary["nltcs"]["p1"].values())
    assert shares == pytest.approx(list(datasets.nltcs().mean()), abs=1e-3)
    assert summary["clothing_pckv"]["duplicate_user_key_pairs"] == 264
