"""``ofakind new``: files of every kind become projects, and what cannot be leaves nothing behind."""

import csv
import gzip
import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.main import app
from ofakind.progress import watched_by
from ofakind.project import places

PLACES = """id,name,city,kind
a7,Joe's Diner,Rome,1
b2,Joes Diner,Rome,1
c3,The Ritz,Paris,2
d4,Ritz,Paris,2
e5,Blue Note,New York,
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in, with a table of places."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "places.csv").write_text(PLACES, encoding="utf-8")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, ["new", *map(str, arguments)], prog_name="ofakind")


def made(*arguments):
    """The line that says what was taken."""
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    line, plan, following = result.stdout.splitlines()
    assert plan.startswith("plan: ")
    assert following == f"next: ofakind label {line.rpartition(' → ')[2]}"
    return line


def files():
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


def refused(*arguments):
    """What is said of a command that is refused; it must leave everything as it was."""
    before = files()
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert files() == before
    return result.stderr


def prior_of(project):
    project._follow()
    return project._model.learner.prior


# -- what comes in -----------------------------------------------------------------------------------------


def test_a_csv_is_a_project_and_one_line_says_what_was_taken(here):
    line = made("places.csv", "--id", "id", "--ignore", "kind", "--seed", 7)
    said = r"5 records · prior from the text columns name, city · \d+ candidate pairs, .* may be of a kind"
    assert re.fullmatch(rf"{said}.* · seed 7 → places\.ofk", line)
    with ok.open_project("places.ofk") as project:
        assert project.ids == ("a7", "b2", "c3", "d4", "e5")
        assert project.contents("e5") == {"name": "Blue Note", "city": "New York", "kind": None}
        assert project.id_column == "id"
        assert project.features_used.fields == ("name", "city")
        rows = [
            {"name": project.contents(one)["name"], "city": project.contents(one)["city"]}
            for one in project.ids
        ]
        assert prior_of(project).pairs == ok.Neighbours.from_records(rows).pairs


def test_the_same_comes_from_every_kind_of_file(here):
    rows = [
        dict(zip(("id", "name", "city"), line.split(","), strict=False)) for line in PLACES.splitlines()[1:]
    ]
    Path("p.tsv").write_text(PLACES.replace(",", "\t"), encoding="utf-8")
    Path("p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(rows), "p.parquet")
    found = []
    for name in ("places.csv", "p.tsv", "p.jsonl", "p.parquet"):
        made(name, "--id", "id", "--text", "name,city", "-o", f"{name}.ofk")
        with ok.open_project(f"{name}.ofk") as project:
            found.append((project.ids, [project.contents(one)["name"] for one in project.ids]))
    assert found == [found[0]] * 4


def test_without_an_id_rows_are_numbered_and_a_likely_column_is_named(here):
    result = run("places.csv")
    assert "note: rows are numbered; the column 'id' could hold the ids: --id" in result.stderr
    with ok.open_project("places.ofk") as project:
        assert project.ids == (0, 1, 2, 3, 4)


def test_a_list_of_ids_has_no_prior(here):
    Path("ids.txt").write_text("s1\ns2\n007\n", encoding="utf-8")
    assert made("ids.txt") == "3 objects · no prior · seed 0 → ids.ofk"
    with ok.open_project("ids.ofk") as project:
        assert project.ids == ("s1", "s2", "007")
        assert len(project.ask(3)) == 3


def test_an_array_is_a_prior_of_vectors(here):
    vectors = np.random.default_rng(0).normal(size=(20, 3))
    np.save("v.npy", vectors)
    assert made("v.npy").startswith("20 objects · prior from vectors · ")
    with ok.open_project("v.ofk") as project:
        assert prior_of(project).pairs == ok.Neighbours.from_vectors(vectors).pairs


def test_a_table_of_numbers_is_compared_as_numbers(here):
    rng = np.random.default_rng(0)
    rows = [",".join(f"{number:.3f}" for number in row) for row in rng.normal(size=(30, 3))]
    rows[4] = ",".join(["", *rows[4].split(",")[1:]])
    Path("n.csv").write_text("\n".join(["x,y,z", *rows]), encoding="utf-8")
    assert "prior from the number columns x, y, z" in made("n.csv")
    with ok.open_project("n.ofk") as project:
        assert project.contents(3)["x"] == rows[3].split(",")[0]  # as it stood there
        assert bool(project.check(replay=True))
    assert "prior from the number columns x, z" in made("n.csv", "--vector", "x,z", "-o", "xz.ofk")
    assert "prior from the text columns x, y" in made("n.csv", "--text", "x", "--text", "y", "-o", "t.ofk")


def test_digits_with_zeros_before_them_are_text(here):
    rows = "".join(f"0{row * 7 % 90:02},{row % 2},{row % 5}\n" for row in range(0, 90, 3))
    Path("n.csv").write_text(f"code,y,z\n{rows}", encoding="utf-8")
    assert "prior from the text columns code, y, z" in made("n.csv")


def test_scores_may_stand_alone_or_beside_other_features(here):
    edges = "unique_id_l,unique_id_r,match_probability\na7,b2,0.9\nc3,d4,0.8\n"
    Path("edges.csv").write_text(edges, encoding="utf-8")
    assert "prior from the text columns name, city and scores" in made(
        "places.csv", "--id", "id", "--ignore", "kind", "--scores", "edges.csv"
    )
    Path("ids.txt").write_text("a7\nb2\nc3\nd4\n", encoding="utf-8")
    assert "4 objects · prior from scores · 2 candidate pairs" in made("ids.txt", "--scores", "edges.csv")


def test_columns_that_are_shown_are_remembered(here):
    made("places.csv", "--id", "id", "--show", "name, city")
    with ok.open_project("places.ofk") as project:
        assert project.show == ("name", "city")
    made("places.csv", "--id", "id", "-o", "all.ofk")
    with ok.open_project("all.ofk") as project:
        assert project.show == ("name", "city", "kind")


def test_the_question_and_the_seed_are_kept(here):
    made("places.csv", "--question", "Same place?", "--seed", 3)
    with ok.open_project("places.ofk") as project:
        assert project.question == "Same place?"


def test_a_file_of_another_encoding_and_delimiter(here):
    Path("w.csv").write_bytes("id^name\n1^Zoë\n2^Zoe\n".encode("cp1252"))
    Path("must.csv").write_bytes("é,e\n1,2\n".encode("cp1252"))
    options = ("--encoding", "cp1252", "--delimiter", "^", "--must-link", "must.csv")
    made("w.csv", "--id", "id", *options)
    with ok.open_project("w.ofk") as project:
        assert project.contents("1") == {"name": "Zoë"}
        assert project.why("1", "2").pinned is True


def test_R10_one_record_and_two_are_projects_too(here):
    for n in (1, 2):
        Path("n.csv").write_text("\n".join(PLACES.splitlines()[: n + 1]), encoding="utf-8")
        result = run("n.csv", "--id", "id", "-o", f"{n}.ofk")
        assert result.exit_code == 0
        assert result.stdout.startswith(f"{n} record")
        with ok.open_project(f"{n}.ofk") as project:
            assert len(project.ids) == n
            assert len(project.ask(3)) == n * (n - 1) // 2


# -- what is known already ---------------------------------------------------------------------------------


def test_lists_of_certain_pairs_are_pinned(here):
    Path("must.csv").write_text("x,y\na7,b2\nb2,a7\n", encoding="utf-8")
    Path("cannot.csv").write_text("x,y\nb2,c3\n", encoding="utf-8")
    lists = ("--must-link", "must.csv", "--cannot-link", "cannot.csv")
    assert "2 pinned pairs" in made("places.csv", "--id", "id", *lists)
    with ok.open_project("places.ofk") as project:
        assert project.status().n_pins == 2
        assert project.why("a7", "b2").pinned is True
        assert project.why("b2", "c3").pinned is False
        assert project.labels()["a7"] == project.labels()["b2"] != project.labels()["c3"]


def test_lists_that_contradict_each_other_are_refused_with_the_chain(here):
    Path("must.csv").write_text("x,y\na7,b2\nb2,c3\n", encoding="utf-8")
    for pair, words in (("a7,c3", "'a7' = 'b2', 'b2' = 'c3'"), ("b2,a7", "in the must-link list and in the")):
        Path("cannot.csv").write_text(f"x,y\n{pair}\n", encoding="utf-8")
        assert words in refused(
            "places.csv", "--id", "id", "--must-link", "must.csv", "--cannot-link", "cannot.csv"
        )


def test_groups_become_answers_along_each_and_are_neither_compared_nor_shown(here):
    assert "2 answers from the column kind" in made("places.csv", "--id", "id", "--groups", "kind")
    with ok.open_project("places.ofk") as project:
        said = [(one.left_id, one.right_id, one.value, one.annotator) for one in project.answers]
        assert said == [("a7", "b2", 1.0, "kind"), ("c3", "d4", 1.0, "kind")]
        assert project.features_used.fields == ("name", "city")
        assert project.show == ("name", "city")
        project.correct(("a7", "b2"), -1.0)
        assert [one.value for one in project.answers if one.in_force] == [1.0, -1.0]


def test_a_group_of_n_takes_one_answer_less_and_joins_all(here):
    rows = "".join(f"{row},{'ab'[row % 2]}\n" for row in range(9))
    Path("g.csv").write_text(f"id,group\n{rows}", encoding="utf-8")
    made("g.csv", "--id", "id", "--groups", "group")
    with ok.open_project("g.ofk") as project:
        assert len(project.answers) == 4 + 3
        groups = {frozenset(group) for group in project.groups().values()}
        assert groups == {frozenset("02468"), frozenset("1357")}


# -- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.csv"], ["there is no file or folder no.csv"]),
        (["places.ofk.xlsx"], ["ends in '.xlsx'", ".csv, .tsv", ".npy, or a folder of pictures"]),
        (["places.csv", "--id", "nr"], ["places.csv has no column 'nr', which --id names", "'id', 'name'"]),
        (["places.csv", "--id", "city"], ["line 3, column 'city'", "'Rome' is that of line 2"]),
        (["places.csv", "--id", "kind"], ["line 6, column 'kind': the id is empty"]),
        (["places.csv", "--show", "name,nme"], ["no column 'nme', which --show names"]),
        (["places.csv", "--text", "name", "--vector", "kind"], ["--text and --vector"]),
        (["places.csv", "--id", "id", "--text", "id"], ["'id', which holds the ids"]),
        (
            ["places.csv", "--text", "name", "--ignore", "name"],
            ["'name' is to be compared and to be left out"],
        ),
        (["places.csv", "--vector", "kind,city"], ["line 2, column 'city'", "'Rome' is no number"]),
        (
            ["places.csv", "--groups", "group"],
            ["no column 'group', which --groups names", "'name', 'city', 'kind'"],
        ),
        (["places.csv", "--scores", "no.csv"], ["there is no file no.csv"]),
        (["places.csv", "--copy"], ["--copy is for a folder"]),
        (["places.csv", "-o", "no/a.ofk"], ["there is no folder"]),
        (["ids.txt", "--show", "name"], ["no column 'name'"]),
        (["v.npy", "--id", "x"], ["leave --id out"]),
        (["v.npy", "--text", "x"], ["there are no columns"]),
        (["places.csv", "--vectors", "v.npy"], ["v.npy has 2 rows; expected 5"]),
        (["places.csv", "--vectors", "v.npy", "--text", "name"], ["leave --text and --vector out"]),
        (["nan.npy"], ["nan.npy, row 1, column 2 is nan"]),
        (["flat.npy"], ["shape (3,)"]),
        (["objects.npy"], ["cannot be read as an array of numbers"]),
        (["text.npy"], ["cannot be read as an array of numbers"]),
    ],
)
def test_R11_what_cannot_be_is_refused_and_nothing_is_made(here, arguments, words):
    Path("ids.txt").write_text("a\nb\n", encoding="utf-8")
    Path("text.npy").write_text("text", encoding="utf-8")
    np.save("v.npy", np.eye(2))
    np.save("flat.npy", np.zeros(3))
    Path("places.ofk.xlsx").write_bytes(b"PK")
    np.save("nan.npy", np.array([[1, 2, 3], [4, 5, np.nan]]))
    np.save("objects.npy", np.array([[None]]), allow_pickle=True)
    said = refused(*arguments)
    assert said.startswith("ofakind: ")
    assert said.count("\n") == 1
    assert [word for word in words if word not in said] == []


def test_what_is_there_is_never_replaced(here):
    made("places.csv")
    assert "places.ofk is there already" in refused("places.csv")
    Path("link.ofk").symlink_to("nowhere.ofk")
    assert "link.ofk is there already" in refused("places.csv", "-o", "link.ofk")


def test_an_empty_id_is_refused_with_its_line(here):
    Path("e.csv").write_text("id,x\na,1\n,2\n", encoding="utf-8")
    assert "e.csv, line 3, column 'id': the id is empty" in refused("e.csv", "--id", "id")


def test_R11_ids_that_look_the_same_are_kept_apart_and_named(here):
    Path("t.csv").write_text("id,x\nJosé,a\nJose\u0301,b\na,c\na ,d\n", encoding="utf-8")
    result = run("t.csv", "--id", "id")
    assert result.exit_code == 0
    assert (
        "note: t.csv, line 3, column 'id': the id 'Jose\\u0301' looks like 'Jos\\xe9' of line 2 (and 1 more"
        in result.stderr
    )
    with ok.open_project("t.ofk") as project:
        assert len(project.ids) == 4


def test_S19_nothing_from_a_file_reaches_the_terminal_as_it_is(here):
    evil = "\x1b]0;owned\x07\x1b[2J\u202e"
    Path("e.csv").write_text(f'id,"{evil}","b{evil}"\n1,x,y\n1,x,z\n2,xx,yy\n', encoding="utf-8")
    said = [run("e.csv", "--id", "id"), run("e.csv", "-o", "e.ofk"), run("e.csv", "--id", evil)]
    Path(f"{evil.replace('/', '')}.csv").write_text("id\n\n\xff", encoding="utf-8")
    said += [run(f"{evil}.csv", "--id", "x"), run(f"{evil}.csv")]
    for result in said:
        assert not set(result.stdout + result.stderr) & set("\x1b\x07\u202e")


def test_stopping_leaves_nothing_behind(here):
    Path("big.csv").write_text(
        PLACES + "".join(f"x{row},n {row},c,\n" for row in range(6_000)), encoding="utf-8"
    )
    before = files()
    seen = []

    def stop(doing, done, total):
        seen.append(doing)
        if doing.startswith("comparing"):
            raise KeyboardInterrupt

    with watched_by(stop):
        result = run("big.csv", "--id", "id")
    assert result.exit_code == 130
    assert "reading big.csv" in seen
    assert files() == before


# -- real records ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["restaurants", "febrl1", "splink_fake_1000", "affiliations"])
def test_the_share_of_candidates_that_are_of_a_kind_lies_in_the_range_that_is_said(data_folder, here, name):
    with gzip.open(data_folder / name / "records.csv.gz", "rb") as packed:
        Path("records.csv").write_bytes(packed.read())
    line = made("records.csv", "--id", "id", "--ignore", "cluster")
    low, high = (
        float(number) / 100 for number in re.search(r"([\d.]+) to ([\d.]+) % of them", line).groups()
    )
    with ok.open_project("records.ofk") as project:
        truth = np.array([project.contents(one)["cluster"] for one in project.ids])
        pairs = prior_of(project).pairs
    share = (truth[pairs.u] == truth[pairs.v]).mean()
    assert low - 0.005 <= share <= high + 0.005


# -- any table ---------------------------------------------------------------------------------------------

CELLS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)


@pytest.mark.slow
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5), st.sampled_from(["csv", "jsonl"]))
@settings(max_examples=25)
def test_R11_any_table_is_in_the_project_as_it_was_in_the_file(tmp_path_factory, rows, ending):
    folder = tmp_path_factory.mktemp("any")
    file, target = folder / f"any.{ending}", folder / "any.ofk"
    if ending == "csv":
        with file.open("w", encoding="utf-8", newline="") as text:
            csv.writer(text, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])
    else:
        lines = (json.dumps({"a": a or None, "b": b or None}) + "\n" for a, b in rows)
        file.write_text("".join(lines), encoding="utf-8")
    result = run(file, "-o", target)
    assert result.exit_code == 0
    with ok.open_project(target) as project:
        found = [tuple(project.contents(one).values()) for one in project.ids]
    assert found == [(a or None, b or None) for a, b in rows]


# -- what makes no project, or a strange one ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", "id,name\n", "a.csv has a header, and no records; expected objects"),
        ("a.csv", "sep=;\nid;name\n", "a.csv has a header, and no records; expected objects"),
        ("a.csv", "", "a.csv is empty"),
        ("a.jsonl", "", "a.jsonl has nothing in it"),
        ("a.txt", "", "a.txt has nothing in it"),
    ],
)
def test_R10_a_file_without_objects_makes_no_project(here, name, content, words):
    Path(name).write_text(content)
    assert words in refused(name)


def test_R10_vectors_of_nothing_make_no_project(here):
    np.save("a.npy", np.zeros((0, 3)))
    assert "a.npy has nothing in it" in refused("a.npy")


def test_R10_one_object_makes_a_project_that_others_are_added_to(here):
    Path("one.csv").write_text("id,name\nz1,Joe's Diner\n")
    result = run("one.csv", "--id", "id")
    assert result.exit_code == 0
    assert "one object: there is nothing to ask before" in result.stderr
    assert result.stdout.splitlines()[-1] == "next: ofakind add one.ofk FILE"
    assert "plan" not in result.stdout
    more = CliRunner().invoke(app, ["add", "one.ofk", "places.csv"])
    assert "5 records added · 6 in all" in more.stdout
    with ok.open_project("one.ofk") as project:
        assert len(project.ask(3)) == 3


@pytest.mark.parametrize("command", ["new", "backup", "report"])
def test_a_dash_is_no_name_of_a_file(here, command):
    run("places.csv", "--id", "id")
    source = "places.csv" if command == "new" else "places.ofk"
    result = CliRunner().invoke(app, [command, source, "-o", "-"], prog_name="ofakind")
    assert result.exit_code == 2
    assert "is a file, and no text to print; expected -o with a name" in result.stderr
    assert not Path("-").exists()


def test_R17_the_log_of_a_project_becomes_the_same_project_again(here):
    run("places.csv", "--id", "id")
    with ok.open_project("places.ofk") as project:
        project.tell(("a7", "b2"), 1, "Ada")
    invoke = CliRunner().invoke
    assert invoke(app, ["export", "places.ofk", "--log", "-o", "log.jsonl"]).stdout.startswith("written: log")
    assert "log.jsonl is the log of a project; to make one of it, add --log" in refused("log.jsonl")
    assert "leave all other options out" in refused("log.jsonl", "--log", "--id", "id")
    assert "leave all other options out" in refused("log.jsonl", "--log", "--seed", 3)
    assert "places.ofk is there already" in refused("log.jsonl", "--log", "-o", "places.ofk")
    result = run("log.jsonl", "--log", "-o", "again.ofk")
    assert result.exit_code == 0, result.stderr
    assert "all as they were written" in result.stdout
    tables = [
        invoke(app, ["export", name, "--what", what]).stdout
        for what in ("groups", "answers")
        for name in ("places.ofk", "again.ofk")
    ]
    assert tables[0] == tables[1]
    assert tables[2] == tables[3]
    assert "Ada" in tables[2]


def test_R17_a_log_that_was_cut_off_or_is_none_makes_no_project(here):
    run("places.csv", "--id", "id")
    CliRunner().invoke(app, ["export", "places.ofk", "--log", "-o", "log.jsonl"])
    lines = Path("log.jsonl").read_text().splitlines(keepends=True)
    Path("cut.jsonl").write_text("".join(lines[:-1]))
    assert "it was cut off or changed" in refused("cut.jsonl", "--log")
    Path("changed.jsonl").write_text("".join(lines).replace("Ritz", "Fritz"))
    assert "was changed, or is not in its place" in refused("changed.jsonl", "--log")
    assert "places.csv, line 1" in refused("places.csv", "--log", "-o", "b.ofk")
    assert "none.jsonl is not there" in refused("none.jsonl", "--log")


@pytest.mark.parametrize("given", [("--id", "name of nobody"), ("--groups", "nope"), ("--text", "nope")])
def test_a_column_that_is_not_there_is_named_with_its_option(here, given):
    said = refused("places.csv", *given)
    assert f"places.csv has no column {given[1]!r}, which {given[0]} names; its columns: 'id'" in said


def test_R24_a_network_file_system_is_refused_by_its_name_unless_forced(here, monkeypatch):
    (here / "mounts").write_text("server:/ / nfs4 rw 0 0\n")
    monkeypatch.setattr(places, "MOUNTS", here / "mounts")
    assert "lies on a network file system (nfs4)" in refused("places.csv", "--id", "id")
    assert run("places.csv", "--id", "id", "--on-network").exit_code == 0
    invoke, name = CliRunner().invoke, "places.ofk"
    (here / "more.csv").write_text("id,name,city,kind\nz1,Ritz,Paris,2\n")
    for command in (["add", name, "more.csv"], ["rename", name, "0", "Joe"], ["label", name, "--terminal"]):
        result = invoke(app, command)
        assert result.exit_code == 2
        assert "insist: --on-network" in result.stderr
        assert invoke(app, [*command, "--on-network"]).exit_code == 0
    assert invoke(app, ["status", name]).exit_code == 0
