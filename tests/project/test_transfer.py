"""A log as lines of JSON, and the same project made of them again."""

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ofakind as ok
from ofakind.errors import InvalidInputError, MissingFileError
from ofakind.project.events import AnswerGiven, NoteWritten, ObjectsAdded, ProjectCreated
from ofakind.project.log import check_file
from ofakind.project.store import ProjectFile
from ofakind.project.transfer import log_lines, project_from_log, write_log
from twins.projects import IDS, right

texts = st.text(st.characters(exclude_categories=()), max_size=12)  # any Unicode, halves of pairs too
keys = st.text(st.characters(exclude_categories=()), min_size=1, max_size=12)
answers = st.tuples(keys, texts, st.floats(-1, 1))


def log_of(path):
    with ProjectFile.open(path) as file:
        return file.events


@pytest.fixture
def used(tmp_path):
    """A project with objects, vectors, questions, answers, an undo and a pin."""
    path, vectors = tmp_path / "a.ofk", np.random.default_rng(0).normal(size=(12, 3))
    with ok.new_project(IDS, path=path, vectors=vectors, seed=5) as project:
        for question in project.ask(6, "Ada"):
            project.tell(question, right(question))
        project.undo()
        project.tell(("o1", "o4"), 1)
        project.pin(("o0", "o3"), same=True)
        project.labels()
    return path


def test_R17_a_project_made_of_its_own_lines_has_the_same_log_and_the_same_state(used, tmp_path):
    assert write_log(used, tmp_path / "log.jsonl") == len(log_of(used))
    found = project_from_log(tmp_path / "log.jsonl", tmp_path / "b.ofk")
    assert found
    assert log_of(tmp_path / "b.ofk") == log_of(used)
    with ok.open_project(used) as one, ok.open_project(tmp_path / "b.ofk") as other:
        assert one.labels() == other.labels()
        assert one.status() == other.status()
        pairs = [[(q.left_id, q.right_id) for q in project.ask(3, "Bob")] for project in (one, other)]
        assert pairs[0] == pairs[1]


def test_R17_a_project_in_use_is_written_as_it_is_now(used, tmp_path):
    with ok.open_project(used) as project:
        project.tell(("o1", "o2"), -1)
        n_events = write_log(used, tmp_path / "log.jsonl")
        assert n_events == project._books.ledger.last


@pytest.mark.slow
@given(
    st.lists(keys, min_size=2, max_size=5, unique=True), st.lists(answers, max_size=6), texts, st.lists(texts)
)
@settings(max_examples=settings.default.max_examples // 3)
def test_R17_any_text_goes_there_and_back(ids, given_answers, question, notes):
    events = [ProjectCreated(0, question, "0.1.0", {})]
    events += [ObjectsAdded(tuple(ids), {"name": tuple(ids)}, "a list")]
    events += [AnswerGiven(key, who, ((0, 1),), (value,)) for key, who, value in given_answers]
    events += [NoteWritten(note) for note in notes]
    with tempfile.TemporaryDirectory() as folder:
        one, lines, other = (Path(folder) / name for name in ("a.ofk", "log.jsonl", "b.ofk"))
        ProjectFile.create(one, events, {})
        write_log(one, lines)
        assert lines.read_bytes().isascii()
        assert project_from_log(lines, other)
        assert log_of(other) == log_of(one)
        assert list(log_lines(other)) == list(log_lines(one))


def test_R17_each_line_is_plain_json(used):
    head, *rest = (json.loads(line) for line in log_lines(used))
    assert head["ofakind"] == "log"
    assert head["events"] + head["arrays"] == len(rest)
    assert [one["seq"] for one in rest[: head["events"]]] == [*range(1, head["events"] + 1)]
    assert rest[0]["body"]["seed"] == 5
    assert head["arrays"] == 1


def changes(lines):
    """Ways to change a log, with the line that is named."""
    last = len(lines) - 1
    yield "cut off", lines[:-1], "whole lines"
    yield "one line more", [*lines, lines[-1]], "whole lines"
    yield "no head", lines[1:], "line 1: this is no log"
    yield "another format", [lines[0].replace('"format":1', '"format":2'), *lines[1:]], "line 1: "
    yield (
        "no counts",
        [lines[0].replace('"arrays":1', '"arrays":"x"'), *lines[1:]],
        "line 1: expected the num",
    )
    yield "an answer", [line.replace('"values":[1.0]', '"values":[-1.0]', 1) for line in lines], "was changed"
    yield "swapped", [*lines[:4], lines[5], lines[4], *lines[6:]], "line 5: event 4 was changed"
    yield "no json", [*lines[:3], "{", *lines[4:]], "line 4: this is no JSON"
    yield "a list", [*lines[:3], "[]", *lines[4:]], "line 4: expected an object"
    yield "NaN", [*lines[:3], '{"at":NaN}', *lines[4:]], "line 4: "
    yield "a part missing", [*lines[:3], '{"seq":3}', *lines[4:]], "line 4: expected an event with"
    yield (
        "array",
        [*lines[:last], lines[last].replace('"data":"k', '"data":"l', 1)],
        f"line {last + 1}: an array",
    )
    yield "no array", [*lines[:last], '{"array":"x","data":"?"}'], f"line {last + 1}: this is no array"


def test_R17_what_was_changed_is_refused_with_its_line_and_nothing_is_made(used, tmp_path):
    lines, source = list(log_lines(used)), tmp_path / "log.jsonl"
    for what, changed, words in changes(lines):
        assert changed != lines, what
        source.write_text("\n".join(changed) + "\n")
        with pytest.raises(InvalidInputError, match=words):
            project_from_log(source, tmp_path / "b.ofk")
        assert sorted(one.name for one in tmp_path.iterdir()) == ["a.ofk", "log.jsonl"], what
    source.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInputError, match="no text in UTF-8"):
        project_from_log(source, tmp_path / "b.ofk")
    with pytest.raises(MissingFileError, match="is not there"):
        project_from_log(tmp_path / "nowhere", tmp_path / "b.ofk")


def test_a_log_with_whole_hashes_that_cannot_be_is_refused(tmp_path):
    """Whoever computes all hashes anew still cannot bring in what cannot be."""
    ProjectFile.create(
        tmp_path / "a.ofk", [ProjectCreated(0, "?", "0.1.0", {}), AnswerGiven("k", "", ((0, 1),), (1.0,))], {}
    )
    write_log(tmp_path / "a.ofk", tmp_path / "log.jsonl")
    with pytest.raises(InvalidInputError, match="line 3: event 2 cannot be: it names an object"):
        project_from_log(tmp_path / "log.jsonl", tmp_path / "b.ofk")


def test_nothing_that_is_there_is_replaced_by_a_project_from_a_log(used, tmp_path):
    write_log(used, tmp_path / "log.jsonl")
    with pytest.raises(InvalidInputError, match="is there already"):
        project_from_log(tmp_path / "log.jsonl", used)
    assert check_file(used)
