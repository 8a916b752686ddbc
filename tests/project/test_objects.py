"""What people bring: data frames of any kind, dictionaries, ids."""

import datetime as dt
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ofakind.errors import InvalidInputError, SimilarIdsWarning
from ofakind.project.events import ObjectsAdded
from ofakind.project.objects import read_objects

ROWS = [
    {"key": "a7", "name": "Ann", "born": 1970, "score": 0.5},
    {"key": "b2", "name": None, "born": 1980, "score": math.nan},
]


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, list, lambda rows: pl.DataFrame(rows).to_arrow()]
)
def test_any_kind_of_table_gives_the_same_objects(make):
    found = read_objects(make(ROWS), "key")
    assert found.ids == ("a7", "b2")
    assert found.columns == {"name": ("Ann", None), "born": (1970, 1980), "score": (0.5, None)}
    assert found.texts == {"name": ("Ann", None)}
    assert ObjectsAdded(found.ids, found.columns, found.source).ids == found.ids


@pytest.mark.parametrize(
    "ids",
    [["a", "b"], [3, 1], np.array(["a", "b"]), np.array([3, 1]), pd.Series(["a", "b"]), pl.Series([3, 1])],
)
def test_ids_alone_are_enough(ids):
    found = read_objects(ids)
    assert found.ids in (("a", "b"), (3, 1))
    assert found.columns == {}


def test_objects_that_can_be_read_but_once_are_all_kept():
    assert read_objects(one for one in "abc").ids == ("a", "b", "c")
    assert read_objects(iter(ROWS), "key").ids == read_objects(ROWS, "key").ids


def test_records_without_ids_are_numbered_on():
    assert read_objects(pd.DataFrame(ROWS)).ids == (0, 1)
    assert read_objects(ROWS, first=5).ids == (5, 6)


def test_R11_odd_ids_are_kept_apart():
    odd = ["007", "7", " 7", "7 ", "é", "e\u0301", "\u202eabc", "\u200b", "x" * 10_000, "\0", "a\nb"]
    with pytest.warns(SimilarIdsWarning, match=r"object 2: the id ' 7' looks like '7' of row 1 \(and 2 more"):
        assert read_objects(odd).ids == tuple(odd)


@pytest.mark.parametrize(
    ("given", "column", "words"),
    [
        (["a", "b", "a"], None, "object 2: the id 'a' is that of row 0"),
        (["a", ""], None, "object 1: the id is ''"),
        (["a", None], None, "object 1: the id is None"),
        ([1, True], None, "object 1: the id is True"),
        ([1.5], None, "object 0: the id is 1.5"),
        ([{"key": "a"}, {"key": "a"}], "key", "column 'key', row 1"),
        (ROWS, "nonsense", "expected one of the columns: key, name, born, score"),
        (ROWS, 7, "id is 7"),
        (["a"], "key", "leave id out"),
        ([{"key": "a"}, "b"], None, "object 1 is 'b'"),
        ("abc", None, "come as a str"),
        ({"a": 1}, None, "come as a dict"),
        (7, None, "come as a int"),
        (np.zeros((2, 2)), None, "shape"),
        (pl.DataFrame(ROWS).lazy(), None, "collect"),
        ([{"a": b"x"}], None, "column 'a', row 0 is bytes"),
        (pd.DataFrame([["x", "y"]], columns=["n", "n"]), None, "two columns are called 'n'"),
        ([{1: "x", "1": "y"}], None, "two columns are called '1'"),
        (pd.DataFrame([["x", "y"]], columns=[1, "1"]), None, "two columns are called '1'"),
    ],
)
def test_R11_what_cannot_be_is_refused_with_its_row(given, column, words):
    with pytest.raises(InvalidInputError, match=words):
        read_objects(given, column)


def test_dates_and_the_like_are_kept_as_text():
    rows = pd.DataFrame({"day": pd.to_datetime(["2026-01-02", None]), "x": [pd.NA, 1]})
    found = read_objects(rows).columns
    assert found["day"][0].startswith("2026-01-02")
    assert (found["day"][1], found["x"]) == (None, (None, 1))
    assert read_objects([{"d": dt.date(2026, 1, 2), "inf": math.inf}]).columns == {
        "d": ("2026-01-02",),
        "inf": ("inf",),
    }
