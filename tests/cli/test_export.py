"""The command that writes results to files."""

import csv
import io
import json

import pytest
from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.main import app
from ofakind.project.results import RESULTS
from ofakind.project.writing import FORMULA
from twins.projects import hostile_records


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments], prog_name="ofakind")


def test_groups_are_written_by_default_and_the_ending_says_how(places_path, tmp_path):
    with ok.open_project(places_path, read_only=True) as project:
        labels = project.labels()
    for name in ("g.csv", "g.jsonl"):
        result = run("export", places_path, "-o", tmp_path / name)
        assert result.stdout == f"written: {tmp_path / name} (6 rows)\n"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "g.csv").read_text(encoding="utf-8"))))
    assert {row["id"]: int(row["group"]) for row in rows} == labels
    lines = [json.loads(line) for line in (tmp_path / "g.jsonl").read_text().splitlines()]
    assert {row["id"]: row["group"] for row in lines} == labels


@pytest.mark.parametrize("command", ["export", "report"])
@pytest.mark.parametrize("linked", [False, True])
def test_no_project_is_ever_replaced_not_even_by_force(places_path, tmp_path, command, linked):
    target = tmp_path / "link.csv" if linked else places_path
    if linked:
        target.symlink_to(places_path)
    before = places_path.read_bytes()
    options = ["--format", "csv"] if command == "export" else []
    found = run(command, places_path, "-o", target, "--force", *options)
    assert found.exit_code == 2
    assert "never replaced" in found.output
    assert places_path.read_bytes() == before


def test_a_file_that_is_there_is_replaced_only_by_force(places_path, tmp_path):
    target = tmp_path / "g.csv"
    target.write_text("mine")
    result = run("export", places_path, "-o", target)
    assert result.exit_code == 2
    assert "is there already, and is left as it is" in result.stderr
    assert target.read_text() == "mine"
    assert run("export", places_path, "-o", target, "--force").exit_code == 0
    assert target.read_text().startswith("id,group")


@pytest.mark.parametrize("what", RESULTS)
def test_every_table_goes_to_standard_output(places_path, what):
    result = run("export", places_path, "--what", what)
    assert result.exit_code == 0, result.stderr
    if what == "dedupe":
        assert set(json.loads(result.stdout)) == {"match", "distinct"}
    else:
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        assert rows or what in ("doubtful", "judged")  # nobody has judged here


@pytest.mark.slow
def test_links_that_were_exported_are_pins_of_a_new_project(places_path, tmp_path):
    for what in ("must-link", "cannot-link"):
        assert run("export", places_path, "-o", tmp_path / f"{what}.csv", "--what", what).exit_code == 0
    run("export", places_path, "-o", tmp_path / "again.csv", "--columns")
    links = [f"--{what}={tmp_path / what}.csv" for what in ("must-link", "cannot-link")]
    ours, target = ["--ignore", "group,group_name,confidence"], ["-o", tmp_path / "again.ofk"]
    result = run("new", tmp_path / "again.csv", "--id", "id", *ours, *target, *links)
    assert result.exit_code == 0, result.stderr
    with ok.open_project(tmp_path / "again.ofk") as again, ok.open_project(places_path) as before:
        assert again.status().n_pins == len(before.links())
        assert sorted(map(sorted, again.groups().values())) == sorted(map(sorted, before.groups().values()))


def test_options_choose_columns_pairs_and_formats(places_path):
    with_columns = run("export", places_path, "--columns", "--format", "jsonl").stdout.splitlines()
    assert json.loads(with_columns[0])["city"] == "Rome"
    every, likely = (run("export", places_path, "--what", "pairs", "--least", p).stdout for p in (0, 0.5))
    assert 1 < len(likely.splitlines()) < len(every.splitlines())
    assert run("export", places_path, "--what", "doubtful", "--limit", 1).stdout.count("\n") <= 2


@pytest.mark.slow
def test_S15_no_cell_of_an_export_is_a_formula_unless_it_is_raw_and_json_is_exact(tmp_path):
    rows = hostile_records()[:8]
    with ok.new_project(rows, "id", path=tmp_path / "a.ofk", fields=()) as project:
        for row in rows[1:]:
            project.tell((rows[0]["id"], row["id"]), 1.0, row["text"])
    for what in ("groups", "golden", "answers", "pairs", "must-link", "cannot-link", "splink", "doubtful"):
        for raw in (False, True):
            target = tmp_path / f"{what}-{raw}.csv"
            assert (
                run(
                    "export", tmp_path / "a.ofk", "-o", target, "--what", what, "--columns", *["--raw"] * raw
                ).exit_code
                == 0
            )
            with target.open(newline="", encoding="utf-8") as file:
                cells = [cell for row in csv.reader(file) for cell in row if not _is_number(cell)]
            assert raw or not [cell for cell in cells if cell.startswith(FORMULA)]
            if raw and what == "groups":
                assert [cell for cell in cells if cell.startswith("=")]
    run("export", tmp_path / "a.ofk", "-o", tmp_path / "g.jsonl", "--columns")
    exact = [json.loads(line) for line in (tmp_path / "g.jsonl").read_bytes().split(b"\n")[:-1]]
    assert [(row["id"], row["text"]) for row in exact] == [(row["id"], row["text"]) for row in rows]


def _is_number(cell):
    try:
        return bool(float(cell)) or True
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--what", "group"], "--what is 'group'; expected one of groups"),
        (["-o", "a.xlsx"], "does not say in which format"),
        (["-o", "no/a.csv"], "there is no folder"),
        (["--what", "dedupe", "-o", "a.csv"], "dedupe reads JSON"),
        (["--format", "xml"], "the format is 'xml'"),
        (["--least", "2"], "--least"),
    ],
)
def test_what_cannot_be_written_is_refused_and_leaves_nothing(
    places_path, tmp_path, monkeypatch, arguments, words
):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    result = run("export", places_path, *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_the_log_goes_to_a_file_or_to_standard_output(places_path, tmp_path):
    printed = run("export", places_path, "--log")
    assert json.loads(printed.stdout.splitlines()[0])["ofakind"] == "log"
    target = tmp_path / "log.jsonl"
    result = run("export", places_path, "--log", "-o", target)
    assert result.stdout == f"written: {target} ({len(printed.stdout.splitlines()) - 1} events)\n"
    assert target.read_text() == printed.stdout
    assert "is there already" in run("export", places_path, "--log", "-o", target).stderr
    assert run("export", places_path, "--log", "-o", target, "--force").exit_code == 0


@pytest.mark.parametrize("more", [["--what", "pairs"], ["--raw"], ["--format", "csv"], ["--columns"]])
def test_the_log_is_whole_so_other_options_are_refused(places_path, more):
    result = run("export", places_path, "--log", *more)
    assert result.exit_code == 2
    assert "--log writes everything" in result.stderr


def test_what_there_is_none_of_is_refused_with_all_there_is(places_path):
    result = run("export", places_path, "--what", "foo")
    assert result.exit_code == 2
    assert "--what is 'foo'; expected one of groups, golden, answers" in result.stderr
