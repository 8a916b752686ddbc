"""Records of any form become columns of text; what says nothing is left out, what is strange is refused."""

import math
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ofakind import InvalidInputError
from ofakind.priors.records import LONGEST_VALUE, looks_like_key, plain_text, read_columns, read_more

ROWS = [
    {"id": 17, "name": "Ann Lee", "born": 1970, "city": "Bern", "fax": None, "land": "CH"},
    {"id": 23, "name": "Anne  LEE", "born": None, "city": "bern", "fax": None, "land": "CH"},
    {"id": 5, "name": None, "born": 1981, "city": "-", "fax": "", "land": "CH"},
]
NAMES = ("name", "born", "city")
TEXTS = (("ann lee", "anne lee", ""), ("1970", "", "1981"), ("bern", "bern", ""))
FORMS = {
    "dictionaries": lambda: ROWS,
    "a tuple": lambda: tuple(ROWS),
    "a generator": lambda: (row for row in ROWS),
    "pandas": lambda: pd.DataFrame(ROWS),
    "polars": lambda: pl.DataFrame(ROWS),
    "pyarrow": lambda: pa.Table.from_pylist(ROWS),
    "an array": lambda: np.array(ROWS, dtype=object),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_records_gives_the_same_columns(form):
    assert read_columns(form()) == (3, NAMES, TEXTS)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_named_fields_are_taken_whatever_they_look_like(form):
    n, names, texts = read_columns(form(), ["id", "fax", "land"])
    assert (n, names) == (3, ("id", "fax", "land"))
    assert texts == (("17", "23", "5"), ("", "", ""), ("ch", "ch", "ch"))


@pytest.mark.parametrize(
    "texts",
    [
        ["Ann", None, "NA"],
        ("Ann", "", math.nan),
        np.array(["Ann", "", "null"]),
        pd.Series(["Ann", None, "-"]),
        pl.Series(["Ann", None, " "]),
    ],
)
def test_a_list_of_texts_is_one_field(texts):
    assert read_columns(texts) == (3, ("text",), (("ann", "", ""),))


@pytest.mark.parametrize(
    "rows", [[], (), pd.DataFrame(), pl.DataFrame(), pa.table({}), np.array([], dtype=str)]
)
def test_no_records_are_no_records(rows):
    assert read_columns(rows).n == 0


@pytest.mark.parametrize(
    "value",
    [None, math.nan, np.nan, pd.NA, pd.NaT, "", "  ", "NA", "n/a", "NULL", "None", "-", "?", Decimal("NaN")],
)
def test_what_is_missing_is_empty(value):
    assert read_columns([{"a": value}, {"a": "x"}]).texts == (("", "x"),)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1970.0, "1970"),
        (np.float32(2), "2"),
        (1.5, "1.5"),
        (True, "true"),
        (date(2020, 1, 2), "2020-01-02"),
        (["a", "b"], "['a', 'b']"),
        ("\uff21\uff22\uff23\u00a0Stra\u00dfe", "abc strasse"),
        ("\u738b\u5c0f\u660e", "\u738b\u5c0f\u660e"),
        ("e\u0301", "\u00e9"),
    ],
)
def test_values_are_written_as_plain_text(value, text):
    assert read_columns([{"a": value}, {"a": "x"}]).texts[0][0] == text


def test_numbers_are_the_same_text_whether_or_not_their_column_has_gaps():
    whole, gaps = pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, None]})
    assert read_columns(whole, "a").texts[0][0] == read_columns(gaps, "a").texts[0][0] == "1"


def test_columns_may_have_numbers_for_names():
    assert read_columns(pd.DataFrame([["a", "x"], ["b", "y"]])).names == ("0", "1")


def test_keys_are_known_by_their_name_or_by_rising():
    serial = tuple(map(str, range(100, 130)))
    assert looks_like_key("anything", serial)
    assert not looks_like_key("anything", serial[::-1])
    assert not looks_like_key("anything", serial[:10])
    for name in ("id", "ID", "customer_id", "customerId", "record id", "key", "uuid", "Unnamed: 0"):
        assert looks_like_key(name, ("a", "b"))
        assert not looks_like_key(name, ("a", "a"))
        assert not looks_like_key(name, ("a", ""))
    for name in ("name", "phone", "paid", "monkey", "idea", "valid"):
        assert not looks_like_key(name, ("a", "b"))


def test_a_constant_field_is_kept_where_there_is_no_other():
    assert read_columns([{"a": "x"}, {"a": "x"}]).names == ("a",)
    assert read_columns([{"a": "x", "b": "y"}, {"a": "x", "b": "z"}]).names == ("b",)
    assert read_columns([{"a": "x", "b": "y"}]).names == ("a", "b")


def test_records_that_are_missing_altogether_have_no_fields():
    assert read_columns([{"a": None}, {"a": ""}]) == (2, (), ())
    assert read_columns([{}, {}]) == (2, (), ())
    assert read_columns([None, {"a": "x"}]).texts == (("", "x"),)


def test_further_records_have_the_fields_of_the_first():
    more = read_more([{"city": "Rome", "name": "Bo", "other": 1}, {"name": "Al"}], ("name", "city"))
    assert more == (2, ("name", "city"), (("bo", "al"), ("rome", "")))
    with pytest.raises(InvalidInputError, match=r"none of the earlier fields \(name\) but other; expected"):
        read_more([{"other": 1}], ("name",))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a text", "come as a str; expected a data frame, a list of dictionaries or a list of texts"),
        ({"a": ["x"]}, "come as a dict; expected"),
        (7, "come as a int; expected"),
        (None, "come as a NoneType; expected"),
        ([1, 2], "record 0 is a int: 1; expected a text"),
        (["a", {"a": 1}], "record 0 is a str: 'a'; expected a dictionary"),
        (["a", ["b"]], r"record 1 is a list: \['b'\]; expected a text"),
        ([{"a": b"x"}], "field 'a' of record 0 is bytes; expected text"),
        (np.zeros((2, 3)), r"array of shape \(2, 3\); expected a list of texts; for vectors"),
        (pl.LazyFrame({"a": ["x"]}), "lazy frame; expected one in memory"),
        ([{"id": 1}, {"id": 2}], "only fields of the records look like keys: id; expected"),
    ],
)
def test_other_things_are_refused_by_what_they_are(rows, message):
    with pytest.raises(InvalidInputError, match=message):
        read_columns(rows)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (["nme"], "fields has 'nme'; expected some of id, name, born, city, fax, land"),
        ("nme", "fields has 'nme'; expected some of"),
        ([], r"fields is \[\]; expected one name or more"),
        (["name", "name"], "each once"),
        (3, "fields has 3; expected some of"),
        ([["name"]], "expected some of"),
    ],
)
def test_unknown_fields_are_refused(fields, message):
    with pytest.raises(InvalidInputError, match=message):
        read_columns(ROWS, fields)


def test_plain_text_stays_as_it_is():
    for text in ("ann lee", "", "m\u00fcller 12"):
        assert plain_text(plain_text(text)) == text


def test_of_a_very_long_value_the_beginning_is_compared():
    long = "ab " * 10**6
    (column,) = read_columns([{"x": long}, {"x": "short"}], "x").texts
    assert column[0] == " ".join(long[:LONGEST_VALUE].split())
    assert column[1] == "short"
