"""Tables in files: whatever is well formed is read as it is, whatever is not is refused with its place."""

import csv
import io
import json
import sys
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.errors import InvalidInputError, MissingFileError, OfakindError
from ofakind.project.tables import read_table

WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
NAMES = st.lists(st.text("abcdefgh_é世", min_size=1, max_size=6), min_size=1, max_size=4, unique=True)


@pytest.fixture
def file(tmp_path):
    """Write bytes, or text as UTF-8, to a file with this name."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


# -- what is well formed -----------------------------------------------------------------------------------


@st.composite
def tables(draw):
    names = draw(NAMES)
    return names, draw(st.lists(st.lists(WORDS, min_size=len(names), max_size=len(names)), max_size=6))


@given(
    tables(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
def test_R11_any_csv_comes_back_cell_by_cell(tmp_path_factory, table, delimiter, end, encoding):
    names, rows = table
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(text.getvalue().encode(encoding))
    given_delimiter = None if len(names) > 1 else delimiter
    found = read_table(path, delimiter=given_delimiter)
    assert found.columns == {name: [row[at] or None for row in rows] for at, name in enumerate(names)}


@given(
    st.lists(
        st.dictionaries(
            WORDS,
            st.none()
            | st.booleans()
            | st.integers()
            | WORDS
            | st.floats(allow_nan=False, allow_infinity=False),
            max_size=4,
        ),
        max_size=6,
    )
)
def test_R11_any_lines_of_json_come_back_value_by_value(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    found = read_table(path)
    names = dict.fromkeys(name for row in rows for name in row)
    assert found.columns == {name: [row.get(name) for row in rows] for name in names}
    assert len(found) == len(rows)


@pytest.mark.parametrize(
    "content",
    [
        b"id,name\r\n1,Ann\r2,Bob\n3,Zoe",
        b"\xef\xbb\xbfid,name\n1,Ann\n2,Bob\n3,Zoe\n",
        "id,name\n1,Ann\n2,Bob\n3,Zoe\n".encode("utf-16"),
        b"id;name\n1;Ann\n2;Bob\n3;Zoe\n",
        b"id\tname\n1\tAnn\n2\tBob\n3\tZoe\n",
        b" id , name\n1,Ann\n\n2,Bob\n\n3,Zoe\n\n",
        b'"id","name"\n"1","Ann"\n2,Bob\n3,"Zoe"\n',
        b"sep=;\nid;name\n1;Ann\n2;Bob\n3;Zoe\n",
        b'\xef\xbb\xbf"sep=|"\r\nid|name\r\n1|Ann\r\n2|Bob\r\n3|Zoe\r\n',
        b"SEP=\t\rid\tname\r1\tAnn\r2\tBob\r3\tZoe\r",
        "sep=#\nid#name\n1#Ann\n2#Bob\n3#Zoe\n".encode("utf-16"),
    ],
)
def test_R11_marks_line_ends_and_delimiters_are_understood(file, content):
    assert read_table(file("a.csv", content)).columns == {
        "id": ["1", "2", "3"],
        "name": ["Ann", "Bob", "Zoe"],
    }


def test_R11_a_line_for_excel_is_no_header_and_lines_are_still_counted_from_the_first(file):
    table = read_table(file("a.csv", "sep=;\nid;x\n1;a,b\n2;c\n"))
    assert table.where(0) == f"{table.path}, line 3"
    assert table.columns == {"id": ["1", "2"], "x": ["a,b", "c"]}
    assert read_table(file("b.csv", "sep=;\nid,x\n1,a\n"), delimiter=",").columns["x"] == ["a"]
    assert read_table(file("c.csv", "sep=;x\n1;2\n")).columns == {"sep=": ["1"], "x": ["2"]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("sep=;\nid;x\n1;a;b\n", "line 3 has 3 cells; expected 2, as in line 2, separated by a semicolon"),
        ("sep=;\nid;id\n1;a\n", "line 2: columns 1 and 2 are both called 'id'"),
        ("sep=;\n\n", "line 2 is empty; expected the names"),
        ("sep=;\n", "is empty; expected a line with the names"),
        ('sep=;\nid;x\n1;"a\n', "line 3: a quote is opened"),
    ],
)
def test_R11_what_is_wrong_behind_a_line_for_excel_has_its_own_line(file, content, words):
    with pytest.raises(InvalidInputError, match=words):
        read_table(file("a.csv", content))


def test_R11_cells_are_kept_as_they_are(file):
    cells = ["007", "1e5", "NaN", "true", "\u202eabc", "a\u200bb", " x ", "e\u0301", "=1+1"]
    table = read_table(file("a.csv", "id,x\n" + "".join(f"{row},{cell}\n" for row, cell in enumerate(cells))))
    assert table.columns["x"] == cells


@pytest.mark.slow
def test_R11_a_cell_of_ten_megabytes_is_read_and_the_limit_of_others_is_not_touched(file):
    before = csv.field_size_limit()
    table = read_table(file("a.csv", f"id,x\n1,{'y' * 10_000_000}\n2,z\n"))
    assert [len(cell) for cell in table.columns["x"]] == [10_000_000, 1]
    assert csv.field_size_limit() == before


@pytest.mark.slow
def test_R11_a_million_rows_take_less_than_half_a_gigabyte(tmp_path):
    """By what Python asks for, which is the same on every machine: 500 bytes a row, while it is read."""
    path, rows = tmp_path / "a.csv", 100_000
    with path.open("w", encoding="utf-8") as text:
        text.write("id,name,city\n")
        text.writelines(f"{row},name {row % 5000},city {row % 77}\n" for row in range(rows))
    tracemalloc.start()
    try:
        assert len(read_table(path)) == rows
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 500 * rows


def test_lines_tell_where_a_row_begins_also_after_cells_of_several_lines(file):
    table = read_table(file("a.csv", 'id,x\n1,"two\nlines"\n\n2,y\n'))
    assert table.columns["x"] == ["two\nlines", "y"]
    assert table.where(1, "x").endswith("a.csv, line 5, column 'x'")


def test_a_tsv_has_tabs_and_a_delimiter_can_be_given(file):
    assert read_table(file("a.tsv", "a,b\n1,2\n")).columns == {"a,b": ["1,2"]}
    path = file("a.csv", "a b\n1 2\n")
    assert read_table(path, delimiter="space").columns == {"a": ["1"], "b": ["2"]}
    assert read_table(file("b.csv", "a,b;c\n1,2;3\n"), delimiter=";").columns == {"a,b": ["1,2"], "c": ["3"]}


def test_another_encoding_can_be_given(file):
    path = file("a.csv", "id,name\n1,Zoë\n".encode("cp1252"))
    assert read_table(path, encoding="cp1252").columns["name"] == ["Zoë"]
    assert read_table(file("b.csv", b"\xef\xbb\xbfid\n1\n"), encoding="UTF-8").columns == {"id": ["1"]}


def test_a_list_has_an_id_on_each_line(file):
    assert read_table(file("a.txt", "a7\r\nb 2\n007\n\n")).columns == {"id": ["a7", "b 2", "007"]}


def test_values_of_json_keep_their_kind_and_lists_are_kept_as_json(file):
    table = read_table(file("a.jsonl", '{"id": 7, "x": [1, {"é": null}]}\n\n{"id": "8", "y": true}\n'))
    assert table.columns == {"id": [7, "8"], "x": ['[1, {"é": null}]', None], "y": [None, True]}
    assert table.where(1).endswith("line 3")


def test_parquet_is_read_with_its_types(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": ["007", "8"], "x": [1.5, None], "n": [3, 4]}), path)
    table = read_table(path)
    assert table.columns == {"id": ["007", "8"], "x": [1.5, None], "n": [3, 4]}
    assert (table.typed, table.where(1).endswith("a.parquet, row 2")) == (True, True)


# -- what is not -------------------------------------------------------------------------------------------

BAD = {
    "ragged, too few": ("a.csv", b"id,x,y\n1,2,3\n4,5\n", ["line 3 has 2 cells", "column 'y'", "expected 3"]),
    "ragged, too many": ("a.csv", b"id,x\n1,2\n4,5,6\n", ["line 3 has 3 cells", "expected 2", "comma"]),
    "unclosed quote": ("a.csv", b'id,x\n1,a\n2,"b\n3,c\n', ["line 3", "a quote is opened", "not closed"]),
    "text after a quote": ("a.csv", b'id,x\n1,"a"b\n', ["line 2", "follows a closing quote"]),
    "name twice": ("a.csv", b"id,x,id\n1,2,3\n", ["line 1", "columns 1 and 3", "'id'"]),
    "name twice but for blanks": ("a.csv", b"id,x, x\n1,2,3\n", ["columns 2 and 3", "'x'"]),
    "no name": ("a.csv", b"id,,x\n1,2,3\n", ["line 1", "column 2 of 3 has no name"]),
    "empty": ("a.csv", b"", ["is empty", "names of the columns"]),
    "no header": ("a.csv", b"\n1,2\n", ["line 1 is empty"]),
    "invalid UTF-8": ("a.csv", b"id,x\n1,a\n2,\xff\n", ["line 3", "byte 12 of the file (ff)", "--encoding"]),
    "invalid after a mark": ("a.csv", b"\xef\xbb\xbfid\r\n\xe9t\xe9\n", ["line 2", "byte 8"]),
    "invalid far in": (
        "a.csv",
        b"id\r\n" + (b"x" * 48 + b"\r\n") * 30_000 + b"\x80\r",
        ["line 30002", "byte 1500005"],
    ),
    "half a character at the end": ("a.csv", "id\né".encode()[:-1], ["line 2", "byte 4 of the file (c3)"]),
    "odd UTF-16": ("a.csv", "id\nab\n".encode("utf-16") + b"x", ["utf-16"]),
    "NUL": ("a.csv", b"id,x\n1,a\n2,b\0c\n", ["line 3", "character 4 is NUL"]),
    "UTF-16 without a mark": ("a.csv", "id,x\n".encode("utf-16-le"), ["line 1", "NUL", "utf-16-le"]),
    "no JSON": ("a.jsonl", b'{"id": 1}\n{"id": 2\n', ["line 2 is no JSON", "expected an object"]),
    "no object": ("a.jsonl", b"[1, 2]\n", ["line 1 is '[1, 2]'", "expected an object"]),
    "NaN in JSON": ("a.jsonl", b'{"x": NaN}\n', ["line 1", "NaN is no number"]),
    "inf in JSON": ("a.jsonl", b'{"x": -Infinity}\n', ["line 1", "-Infinity is no number"]),
    "too large": ("a.jsonl", b'{"a": 1}\n{"x": 1e999}\n', ["line 2, column 'x'", "too large"]),
    "key twice": ("a.jsonl", b'{"x": 1, "x": 2}\n', ["line 1", "'x' stands there twice"]),
    "deep JSON": ("a.jsonl", b'{"x":' + b"[" * 100_000 + b"\n", ["line 1"]),
    "invalid UTF-8 in JSON": ("a.jsonl", b'{"x": 1}\n{"x": "\xe9"}\n', ["line 2", "byte 17", "e9"]),
    "empty line in a list": ("a.txt", b"a\n\nb\n", ["line 2 is empty"]),
    "no Parquet": ("a.parquet", b"PAR1 no", ["cannot be read as Parquet"]),
    "another ending": ("a.xlsx", b"PK", ["ends in '.xlsx'", ".csv, .tsv"]),
}


@pytest.mark.parametrize("name", BAD)
def test_R11_what_is_not_well_formed_is_refused_with_its_place(file, name):
    ending, content, words = BAD[name]
    path = file(ending, content)
    with pytest.raises(InvalidInputError) as refused:
        read_table(path)
    assert [word for word in [str(path), *words] if word not in str(refused.value)] == []
    assert path.read_bytes() == content


def test_what_cannot_be_asked_for_is_refused(file, tmp_path):
    with pytest.raises(MissingFileError, match="there is no file"):
        read_table(tmp_path / "no.csv")
    with pytest.raises(InvalidInputError, match="is no file"):
        read_table(tmp_path)
    with pytest.raises(InvalidInputError, match="encoding 'klingon' is not known"):
        read_table(file("a.csv", "id\n"), encoding="klingon")
    with pytest.raises(InvalidInputError, match="delimiter is '::'"):
        read_table(file("a.csv", "id\n"), delimiter="::")
    with pytest.raises(InvalidInputError, match="no CSV"):
        read_table(file("a.jsonl", "{}\n"), delimiter=",")
    with pytest.raises(
        InvalidInputError, match="no column 'nme', which --show names; its columns: 'id', 'name'"
    ):
        read_table(file("a.csv", "id,name\n")).column("nme", "--show")


@pytest.mark.parametrize(
    ("value", "words"),
    [(float("inf"), "row 2, column 'x': inf is not finite"), (b"a", "row 2, column 'x': the value is bytes")],
)
def test_R11_values_of_parquet_that_cannot_be_are_refused_with_their_row(tmp_path, value, words):
    pq.write_table(pa.table({"x": [None, value]}), tmp_path / "a.parquet")
    with pytest.raises(InvalidInputError, match=words):
        read_table(tmp_path / "a.parquet")


def test_lists_in_parquet_are_kept_as_json_and_nan_is_nothing(tmp_path):
    columns = {"x": [["é", None], []], "y": [float("nan"), 0.5], "z": [{"a": 1}, None]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    found = read_table(tmp_path / "a.parquet").columns
    assert found == {"x": ['["é", null]', "[]"], "y": [None, 0.5], "z": ['{"a": 1}', None]}


def test_two_columns_of_one_name_in_parquet_are_refused(tmp_path):
    path = tmp_path / "a.parquet"
    columns = [pa.array([1]), pa.array([2])]
    pq.write_table(pa.Table.from_arrays(columns, names=["x", "x"]), path)
    with pytest.raises(InvalidInputError, match="two columns are called 'x'"):
        read_table(path)


def test_without_pyarrow_parquet_is_refused_in_a_sentence(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(OfakindError, match=r"pip install ofakind\[parquet\]"):
        read_table(file("a.parquet", b""))


def test_a_header_alone_is_a_table_without_rows(file):
    table = read_table(file("a.csv", "id,name\n"))
    assert (len(table), table.columns) == (0, {"id": [], "name": []})
    assert np.asarray(table.places).shape == (0,)
