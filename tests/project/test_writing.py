"""Tables as files."""

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.errors import InvalidInputError
from ofakind.project.writing import FORMULA, as_csv, as_jsonl, format_of, inert, written_table
from twins.projects import HOSTILE

CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
)  # fmt: skip
TABLES = st.lists(st.tuples(CELLS, CELLS), max_size=6).map(
    lambda rows: {"id": [one for one, _ in rows], "b": [other for _, other in rows]}
)


@given(st.sampled_from(FORMULA), st.text(max_size=10))
def test_S15_a_text_that_a_spreadsheet_may_compute_gets_an_apostrophe(sign, text):
    assert inert(sign + text) == f"'{sign}{text}"
    content = as_csv({sign + text: [sign + text]})
    for row in csv.reader(io.StringIO(content.decode(), newline="")):
        assert not row[0].startswith(FORMULA)


def test_S15_numbers_stay_numbers_and_raw_leaves_everything_as_it_is():
    table = {"value": [-1.0, -2], "text": ["=1", "-1"]}
    assert as_csv(table).decode().splitlines() == ["value,text", "-1.0,'=1", "-2,'-1"]
    assert as_csv(table, raw=True).decode().splitlines() == ["value,text", "-1.0,=1", "-2,-1"]


@given(TABLES)
def test_S15_json_lines_are_exact(table):
    rows = [json.loads(line) for line in as_jsonl(table).split(b"\n")[:-1]]
    assert rows == [{"id": one, "b": other} for one, other in zip(table["id"], table["b"], strict=True)]


@given(st.lists(st.text(), max_size=6))
def test_a_csv_is_read_as_it_was_written(texts):
    content = as_csv({"n": list(range(len(texts))), "text": texts}, raw=True)
    read = list(csv.reader(io.StringIO(content.decode(), newline="")))[1:]
    assert [row[1] for row in read] == texts


def test_hostile_text_can_be_written_in_every_format():
    table = {"id": list(range(len(HOSTILE))), "text": HOSTILE}
    for kind in ("csv", "jsonl", "parquet", "json"):
        assert written_table(table, "groups", kind)
    exact = [json.loads(line)["text"] for line in as_jsonl(table).split(b"\n")[:-1]]
    assert exact == HOSTILE


def test_parquet_keeps_types_and_mixed_columns_become_text():
    table = {
        "n": [1, None],
        "x": [1, 0.5],
        "t": ["a", None],
        "mixed": [1, "b"],
        "large": [2**70, 1],
        "none": [None] * 2,
    }
    read = pq.read_table(io.BytesIO(written_table(table, "groups", "parquet"))).to_pydict()
    assert read["n"] == [1, None]
    assert read["x"] == [1.0, 0.5]
    assert read["mixed"] == ["1", "b"]
    assert read["large"] == [str(2**70), "1"]


def test_an_empty_table_has_its_header():
    assert as_csv({"id": [], "group": []}) == b"id,group\r\n"
    assert as_jsonl({"id": []}) == b""
    assert pq.read_table(io.BytesIO(written_table({"id": []}, "groups", "parquet"))).num_rows == 0


def test_dedupe_reads_couples_marked_as_tuples():
    table = {"match": [True, False], "records": [[{"a": "x"}, {"a": None}], [{"a": "y"}, {"a": "z"}]]}
    tree = json.loads(written_table(table, "dedupe", "json"))
    assert tree == {
        "distinct": [{"__class__": "tuple", "__value__": [{"a": "y"}, {"a": "z"}]}],
        "match": [{"__class__": "tuple", "__value__": [{"a": "x"}, {"a": None}]}],
    }


@pytest.mark.parametrize(("name", "kind"), [("a.csv", "csv"), ("a.JSONL", "jsonl"), ("a.pq", "parquet")])
def test_the_format_follows_from_the_ending(name, kind):
    assert format_of(Path(name), "groups") == kind


def test_a_format_that_cannot_be_is_refused():
    for name in ("a", "a.xlsx", "csv"):
        with pytest.raises(InvalidInputError, match="does not say in which format"):
            format_of(Path(name), "groups")
    with pytest.raises(InvalidInputError, match="dedupe reads JSON"):
        written_table({"match": [], "records": []}, "dedupe", "csv")
    with pytest.raises(InvalidInputError, match="'xlsx'"):
        written_table({"a": []}, "groups", "xlsx")
