"""The command that says where a project stands."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import ofakind as ok
from ofakind.cli.main import app
from ofakind.cli.status import status_document
from twins.projects import IDS, SENT_BY_TERMINALS, hostile_records, right
from twins.prospects import ahead_of, said


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments], prog_name="ofakind")


def lines_of(output):
    """The lines under their first words; those without one belong to the line before."""
    return {line[2:17].strip(): line[17:] for line in output.splitlines()[1:] if line[2:17].strip()}


def test_a_status_says_what_is_there_and_what_is_too_early_to_say(tmp_path):
    ok.new_project(IDS, path=tmp_path / "a.ofk", question="Of a kind?").close()
    result = run("status", tmp_path / "a.ofk")
    assert result.exit_code == 0
    assert result.stdout.startswith("a.ofk · Of a kind?\n")
    lines = lines_of(result.stdout)
    assert lines["answers"] == "none yet"
    assert lines["objects"].startswith("12 in ")
    assert lines["wrong pairs"] == "too early to say how many pairs are wrong (about 12 more answers)"
    assert lines["left to ask"] == lines["next 100"] == "too early to say"
    assert lines["as of"] == "now"


def test_a_status_says_the_same_as_the_project(places_path):
    with ok.open_project(places_path) as project:
        project.tell(("a7", "b2"), 1.0, "Bob")
        found, people = project.status(), project.people()
    lines = lines_of(run("status", places_path, "--target", "0.05").stdout)
    assert lines["objects"] == "6 in 3 groups, 2 of two or more"
    assert lines["answers"] == "15"
    assert lines["wrong pairs"] == found.wrong.replace(" wrong pairs", "").replace(" wrong pair", "")
    reached = "nothing: 5 % of what random groups would get wrong is reached"
    said = lines["left to ask"]
    assert said == reached or said.endswith(", to 5 % of what random groups would get wrong") or found.lacking
    assert {one.name for one in people} == {"Ada", "Bob"}


def test_json_is_stable_and_has_no_nan(places_path):
    tree = json.loads(run("status", places_path, "--json").stdout, parse_constant=pytest.fail)
    assert list(tree) == [
        "ofakind", "project", "question", "objects", "answers", "pins", "open_questions", "groups", "people",
        "judges", "saved_by_judges", "agreement", "pairs_answered_by_two", "wrong_pairs", "never_compared",
        "target", "next", "as_of", "last_event", "last_answer_at", "notes",
    ]  # fmt: skip
    assert list(tree["wrong_pairs"]) == ["expected", "at_least", "at_most", "too_early", "answers_until_then"]
    names = ["share", "reached", "doubtful", "open_ended", "questions", "at_least", "at_most"]
    assert list(tree["target"]) == names
    assert list(tree["people"][0]) == ["name", "answers", "skips", "errors_on_same", "errors_on_different"]
    assert (tree["objects"], tree["answers"], tree["groups"]) == (6, 14, 3)
    assert tree["project"] == "places.ofk"


@pytest.mark.parametrize(
    ("found", "doubtful", "open_ended", "reached"),
    [
        (said(414), 414, False, False),
        (said(414).without_worst_case(60), None, True, False),
        (said(20), None, False, True),
    ],
)
def test_json_says_why_a_target_without_questions_left_is_not_reached(
    places_path, found, doubtful, open_ended, reached
):
    ahead = ahead_of(found, index=0.995)
    with ok.open_project(places_path, read_only=True) as project:
        status = replace(project.status(), lacking=0)
        told = status_document(project, status, ahead, [])["target"]
    assert (told["questions"], told["reached"]) == (0, reached)
    assert (told["doubtful"], told["open_ended"]) == (doubtful, open_ended)


def test_json_of_hardly_any_objects_is_json(tmp_path):
    for n in (0, 1, 2):
        ok.new_project(IDS[:n], path=tmp_path / f"{n}.ofk").close()
        tree = json.loads(run("status", tmp_path / f"{n}.ofk", "--json").stdout, parse_constant=pytest.fail)
        assert tree["objects"] == n
        assert tree["wrong_pairs"]["too_early"]
        assert tree["wrong_pairs"]["at_most"] is None


def test_pairs_that_nothing_connects_have_a_line_of_their_own(tmp_path):
    scores = [("o0", "o1", 0.9), ("o2", "o3", 0.4)]
    with ok.new_project(IDS[:6], path=tmp_path / "a.ofk", scores=scores) as project:
        project.tell(("o1", "o2"), -1.0)
    lines = lines_of(run("status", tmp_path / "a.ofk").stdout)
    assert lines["never compared"].startswith("9 pairs: taken to be different")  # of 15, six among o0 to o3
    tree = json.loads(run("status", tmp_path / "a.ofk", "--json").stdout)
    assert tree["never_compared"] == 9


@pytest.mark.slow
def test_somebody_else_may_look_while_a_project_is_open(tmp_path):
    path = tmp_path / "a.ofk"
    with ok.new_project(IDS, path=path) as project:
        for question in project.ask(6):
            project.tell(question, right(question))
        command = [sys.executable, "-m", "ofakind", "status", str(path), "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["answers"] == 6
        assert done.stderr == ""
        project.tell(("o0", "o1"), 1.0)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "a.ofk"
    rows = hostile_records()
    with ok.new_project(rows, "id", path=path, fields=(), question=rows[4]["text"]) as project:
        for row in rows[1:]:
            project.tell((rows[0]["id"], row["id"]), 1.0, row["text"][:100])
        project.rename(project.labels()[rows[0]["id"]], rows[4]["text"][:100])
    return path


COMMANDS = [
    ["status"],
    ["status", "--json"],
    ["check"],
    ["rename", "0", "\x1b[2J"],
    ["export", "--what", "nothing"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_S19_control_characters_of_records_and_names_are_shown_escaped(hostile, command):
    name, *rest = command
    result = run(name, hostile, *rest)
    printed = result.stdout + result.stderr
    assert printed
    assert not any(sign in printed for sign in SENT_BY_TERMINALS)


@pytest.mark.slow
def test_S19_the_evidence_between_hostile_records_is_shown_escaped(hostile):
    with ok.open_project(hostile, read_only=True) as project:
        ids = [one for one in project.ids if "\0" not in one and "\ud800" not in one]
    for other in ids[1:]:
        result = run("why", hostile, ids[0], other)
        assert result.exit_code == 0, result.stderr
        assert "said the same" in result.stdout
        assert not any(sign in result.stdout for sign in SENT_BY_TERMINALS)
    refused = run("why", hostile, "\x1b[2J", ids[0])
    assert refused.exit_code == 2
    assert not any(sign in refused.stderr for sign in SENT_BY_TERMINALS)


@pytest.mark.slow
def test_where_the_target_is_reached_nothing_is_left_to_ask(tmp_path):
    path = tmp_path / "a.ofk"
    with ok.new_project(IDS, path=path) as project:
        while questions := project.ask(6):
            for question in questions:
                project.tell(question, right(question))
    said = run("status", path, "--target", "0.05").stdout
    assert "left to ask    nothing: 5 % of what random groups would get wrong is reached\n" in said


@pytest.mark.parametrize("target", ["0", "1", "nan", "x"])
def test_a_target_that_cannot_be_is_refused(places_path, target):
    result = run("status", places_path, "--target", target)
    assert result.exit_code == 2
    assert "target" in result.stderr


@pytest.mark.parametrize("command", ["status", "check", "export", "report", "label", "add", "why", "backup"])
def test_a_table_given_as_a_project_is_told_how_to_become_one(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "my places.csv"
    table.write_text("id,name\na,Ann\nb,Bob\n")
    more = {"add": [table], "why": ["a", "b"], "backup": ["-o", tmp_path / "c.ofk"], "label": ["--terminal"]}
    result = run(command, table, *more.get(command, []))
    assert result.exit_code == 2
    assert result.stderr == f"ofakind: {table} is no project; make one with: ofakind new '{table}'\n"
    assert [one.name for one in tmp_path.iterdir()] == ["my places.csv"]


def test_a_file_that_is_no_project_is_one_sentence(tmp_path):
    for name in ("missing.ofk", "text.ofk"):
        (tmp_path / "text.ofk").write_text("no project")
        result = run("status", tmp_path / name)
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1
        assert name in result.stderr
