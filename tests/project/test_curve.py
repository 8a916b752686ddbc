"""The curve of expected wrong pairs: noted on the way, kept in the cache, found again without it."""

import sqlite3

import pytest

import ofakind as ok
from ofakind.project.curve import CurvePoint, ErrorCurve, curve_in
from ofakind.report.accuracy import Accuracy
from twins.projects import right


def some_accuracy(expected):
    return Accuracy(0.9, expected, (0.0, 2 * expected), 0.5, (0.0, 1.0), 3.0, (1.0, 5.0))


def test_points_are_noted_where_the_answers_have_grown_by_a_share():
    curve = ErrorCurve()
    for answers in range(1, 1001):
        curve.note(answers, answers, some_accuracy(1.0), 3)
    steps = [b.answers - a.answers for a, b in zip(curve.points, curve.points[1:], strict=False)]
    assert steps[:50] == [1] * 50
    assert steps == sorted(steps)
    assert len(curve.points) < 250


def test_answers_that_were_taken_back_are_not_on_the_way():
    curve = ErrorCurve()
    for event, answers in enumerate([0, 1, 2, 3, 1, 2, 0, 1, 2]):
        curve.note(event, answers, some_accuracy(float(event)), 3)
    assert [(point.event, point.answers) for point in curve.points] == [(6, 0), (7, 1), (8, 2)]


def test_a_curve_is_read_as_it_was_written_and_one_that_cannot_be_is_empty():
    points = [CurvePoint(3, 1, 7.5, 0.0, 9.25, 4, open_ended=True)]
    assert curve_in(ErrorCurve(points).to_bytes()).points == points
    for content in (b"", b"[[1]]", b"nonsense", b"7"):
        assert curve_in(content).points == []


@pytest.mark.slow
def test_R8_the_curve_is_the_same_without_the_cache(path, project):
    for _ in range(6):
        for question in project.ask(4):
            project.tell(question, right(question))
    expected = project.curve
    assert len(expected) >= 4
    assert [point.answers for point in expected] == sorted({point.answers for point in expected})
    assert expected[-1].answers == project.status().n_answers
    project.close()
    with ok.open_project(path) as again:
        assert again.curve == expected
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM cache")
    connection.commit()
    connection.close()
    with ok.open_project(path) as again:
        kept = {point.answers: point.expected for point in again.curve}
    noted = {point.answers: point.expected for point in expected}
    assert kept.keys() <= noted.keys()
    assert all(kept[answers] == noted[answers] for answers in kept)
    assert len(kept) >= len(noted) - 1


def test_a_curve_that_was_tampered_with_is_not_believed(path, project):
    project.tell(("o0", "o1"), 1.0)
    assert len(project.curve) == 1
    project.close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE cache SET data = '[[1, 1, 0.0, 0.0, 0.0, 1, false]]' WHERE name = 'curve'")
    connection.commit()
    connection.close()
    with ok.open_project(path) as again:
        assert all(point.expected > 0 for point in again.curve)


def test_whoever_looks_from_beside_need_not_replay_everything(path, project, monkeypatch):
    monkeypatch.setattr("ofakind.project.project.SAVED_EVERY", 5)
    for _ in range(3):
        for question in project.ask(2):
            project.tell(question, right(question))
    with ok.open_project(path, read_only=True) as beside:
        assert beside._model.through > 0
        assert beside.labels() == project.labels()
