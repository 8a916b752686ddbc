"""A project as somebody uses it: ask, tell, undo, correct, pin, look."""

import threading

import numpy as np
import pytest

import ofakind as ok
from ofakind.errors import (
    ConflictingAnswerError,
    ContradictingPinsError,
    InvalidAnswerError,
    InvalidInputError,
    OfakindError,
)
from twins.projects import IDS, right


def values(project):
    return [one.value for one in project.answers if one.in_force]


def test_the_journey_of_the_scientist(path):
    with ok.new_project(IDS, path=path) as project:
        for question in project.ask(8):
            project.tell(question, 0.7 * right(question))
        project.tell(("o0", "o3"), 1.0)
        assert project.status().n_answers == 9
        assert project.status().n_clusters == len(project.groups())
        low, high = project.status().interval
        assert low <= project.status().expected_wrong_pairs <= high
        assert project.labels().keys() == set(IDS)
    with ok.open_project(path) as project:
        assert project.status().n_answers == 9
    assert [file.name for file in path.parent.iterdir()] == ["a.ofk"]


@pytest.mark.slow
def test_questions_and_answers_lead_to_the_right_groups(project):
    while project.status().n_answers < 60:
        for question in project.ask(12, "Ada"):
            project.tell(question, right(question))
    groups = {frozenset(group) for group in project.groups().values()}
    assert groups == {frozenset(IDS[start::3]) for start in range(3)}
    assert str(project.status()).startswith("12 objects · ")
    assert "Ada" in project._repr_html_()


# -- R6: the same answer twice -----------------------------------------------------------------------------


def test_R6_a_repeated_answer_is_the_same_answer(project):
    (question,) = project.ask()
    first = project.tell(question, 1)
    assert project.tell(question, 1.0) == first
    assert values(project) == [1.0]


def test_R6_another_answer_under_the_same_key_is_a_conflict_and_the_first_is_kept(project):
    (question,) = project.ask(1, "Ada")
    project.tell(question, 1)
    with pytest.raises(ConflictingAnswerError, match=r"answer 1 already \(event 5\), and -1 came"):
        project.tell(question, -1)
    with pytest.raises(ConflictingAnswerError):
        project.tell(question, 1, "Bob")
    with pytest.raises(ConflictingAnswerError):
        project.tell(
            ("o0", "o1") if "o0" not in (question.left_id, question.right_id) else ("o10", "o11"),
            1,
            "Ada",
            key=question.key,
        )
    assert values(project) == [1.0]


def test_R6_what_was_taken_back_does_not_come_again_by_a_repeat(project):
    (question,) = project.ask()
    project.tell(question, 1)
    project.undo()
    with pytest.raises(ConflictingAnswerError, match="was taken back"):
        project.tell(question, 1)
    assert values(project) == []


def test_R6_it_holds_after_the_project_was_closed_too(path, project):
    (question,) = project.ask()
    first = project.tell(question, 1)
    project.close()
    with ok.open_project(path) as again:
        assert again.tell(question, 1) == first
        with pytest.raises(ConflictingAnswerError):
            again.tell(question, 0)


def test_two_answers_to_two_ids_are_two_answers(project):
    project.tell(("o0", "o1"), 1)
    project.tell(("o1", "o0"), 1)
    assert values(project) == [1, 1]


# -- R7: everything is kept --------------------------------------------------------------------------------


def test_R7_contradictory_answers_are_all_kept(project):
    for name, value in (("Ada", 1), ("Bob", -1), ("Ada", -0.5), ("Cyd", 0)):
        project.tell(("o0", "o1"), value, name)
    assert [(one.annotator, one.value) for one in project.answers] == [
        ("Ada", 1),
        ("Bob", -1),
        ("Ada", -0.5),
        ("Cyd", 0),
    ]
    assert project.status().people == ("Ada", "Bob", "Cyd")


# -- undo and correct --------------------------------------------------------------------------------------


def test_undo_goes_back_as_far_as_one_likes(project):
    for value in (1, 0.5, -1):
        project.tell(("o0", "o1"), value)
    project.pin(("o2", "o3"), same=True)
    seen = []
    while project.undo() is not None:
        seen.append((values(project), project.status().n_pins))
    assert seen == [([1, 0.5, -1], 0), ([1, 0.5], 0), ([1], 0), ([], 0)]
    assert len(project.answers) == 3


def test_the_undo_of_an_undo_changes_nothing(project):
    project.tell(("o0", "o1"), 1)
    event = project.tell(("o0", "o2"), -1)
    before = project.status().n_answers, project.labels()
    undo = project.undo()
    assert values(project) == [1]
    again = project.undo(undo)
    assert values(project) == [1, -1]
    assert (project.status().n_answers, project.labels()) == before
    project.undo(again)
    assert values(project) == [1]
    with pytest.raises(InvalidInputError, match=f"event {event} was taken back already"):
        project.undo(event)


def test_somebody_undoes_their_own_answers(project):
    project.tell(("o0", "o1"), 1, "Ada")
    project.tell(("o0", "o2"), -1, "Bob")
    project.undo(annotator="Ada")
    assert values(project) == [-1]
    assert project.undo(annotator="Ada") is None


def test_any_past_answer_can_be_changed_and_the_change_undone(project):
    first = project.tell(("o0", "o1"), 1, "Ada")
    project.tell(("o0", "o2"), 1, "Ada")
    change = project.correct(first, -1)
    assert sorted(values(project)) == [-1, 1]
    assert [one.annotator for one in project.answers] == ["Ada"] * 3
    project.correct(("o2", "o0"), 0.5)
    assert sorted(values(project)) == [-1, 0.5]
    project.undo(change)
    assert sorted(values(project)) == [0.5, 1]
    with pytest.raises(InvalidAnswerError, match="no answer to"):
        project.correct(("o7", "o8"), 1)
    with pytest.raises(InvalidAnswerError, match="taken back"):
        project.correct(change, 1)
    with pytest.raises(InvalidAnswerError, match="is no answer"):
        project.correct(1, 1)


def test_a_question_that_was_answered_wrongly_is_corrected_by_itself(project):
    (question,) = project.ask()
    project.tell(question, 1)
    project.correct(question, -1)
    second = project.correct(question, 0)
    assert values(project) == [0]
    project.undo(second)
    assert values(project) == [-1]
    project.undo()
    assert values(project) == [1]
    with pytest.raises(InvalidAnswerError, match="answer is 3"):
        project.correct(question, 3)


@pytest.mark.parametrize("event", [1, 2, 99])
def test_what_cannot_be_taken_back_is_refused(project, event):
    with pytest.raises(InvalidInputError, match="cannot be taken back"):
        project.undo(event)


# -- pins --------------------------------------------------------------------------------------------------


def test_pins_hold_and_what_contradicts_them_is_refused_with_the_chain(project):
    project.pin(("o0", "o1"), same=True)
    project.pin(("o1", "o2"), same=True)
    with pytest.raises(ContradictingPinsError, match="'o0' = 'o1', 'o1' = 'o2'"):
        project.pin(("o0", "o2"), same=False)
    with pytest.raises(ContradictingPinsError, match="unpin them first"):
        project.pin(("o0", "o1"), same=False)
    labels = project.labels()
    assert labels["o0"] == labels["o1"] == labels["o2"]
    assert project.status().n_pins == 2


def test_a_pin_that_is_repeated_is_one_pin_and_one_undo_takes_it_back(project):
    first = project.pin(("o0", "o1"), same=True)
    assert project.pin(("o1", "o0"), same=True) == first
    project.undo()
    assert project.status().n_pins == 0
    second = project.pin(("o0", "o1"), same=False)
    assert second > first
    project.unpin(("o0", "o1"))
    assert project.pin(("o0", "o1"), same=False) > second
    assert project.check(replay=True)


def test_two_people_who_pin_the_same_pair_each_take_back_their_own(project):
    ada = project.pin(("o0", "o1"), same=True, annotator="Ada")
    bob = project.pin(("o0", "o1"), same=True, annotator="Bob")
    assert bob > ada
    project.undo(annotator="Bob")
    assert project.status().n_pins == 1
    assert project.pin(("o0", "o1"), same=True, annotator="Ada") == ada
    project.undo(annotator="Ada")
    assert project.status().n_pins == 0


def test_an_undo_that_would_contradict_other_pins_is_refused(project):
    project.pin(("o0", "o1"), same=True)
    unpinned = project.unpin(("o0", "o1"))
    project.pin(("o0", "o1"), same=False)
    with pytest.raises(ContradictingPinsError, match="nothing was changed"):
        project.undo(unpinned)
    assert project.labels()["o0"] != project.labels()["o1"]


def test_only_what_is_pinned_is_unpinned(project):
    project.pin(("o0", "o1"), same=True)
    project.pin(("o1", "o2"), same=True)
    with pytest.raises(InvalidInputError, match="it follows from other pins"):
        project.unpin(("o0", "o2"))
    project.unpin(("o1", "o0"))
    assert project.status().n_pins == 1


def test_a_question_that_a_pin_decides_is_not_asked_any_more(project):
    questions = project.ask(66)
    assert len(questions) == 66  # all pairs there are
    project.pin((questions[0].left_id, questions[0].right_id), same=True)
    assert project.status().n_open == 65


# -- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [2, -1.01, float("nan"), None, "same", True])
def test_R12_an_answer_that_cannot_be_is_refused_and_leaves_nothing(project, value):
    before = project._books.ledger.last
    with pytest.raises(InvalidAnswerError, match="nothing was kept"):
        project.tell(("o0", "o1"), value)
    with pytest.raises(InvalidInputError):
        project.tell(("o0", "o0"), 1)
    assert project._books.ledger.last == before


@pytest.mark.parametrize(
    "pair", [("o0", "x"), ("o0",), "o0", None, ("o0", "o1", "o2"), (0, 1), (["o0"], "o1")]
)
def test_a_pair_that_cannot_be_is_refused(project, pair):
    with pytest.raises(InvalidInputError, match="expected"):
        project.tell(pair, 1)
    with pytest.raises(InvalidInputError, match="expected"):
        project.pin(pair, same=True)


def test_a_closed_project_says_so(path):
    project = ok.new_project(IDS, path=path)
    project.close()
    project.close()
    for call in (project.ask, project.status, lambda: project.tell(("o0", "o1"), 1)):
        with pytest.raises(OfakindError, match="is closed"):
            call()


# -- R10: few objects --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 2])
def test_R10_hardly_any_objects(tmp_path, n):
    with ok.new_project(IDS[:n], path=tmp_path / "b.ofk") as project:
        questions = project.ask(5)
        assert len(questions) == (n == 2)
        for question in questions:
            project.tell(question, 1)
        assert project.ask(5) == []
        assert project.status().n_objects == n
        assert len(project.groups()) == min(n, 1)
        assert project.check(replay=True)


@pytest.mark.parametrize("value", [1, -1, 0])
@pytest.mark.filterwarnings("error")
def test_R10_every_pair_asked_and_answered_alike(tmp_path, value):
    with ok.new_project(IDS[:5], path=tmp_path / "b.ofk") as project:
        for question in project.ask(10):
            project.tell(question, value)
        assert project.ask(1) == []
        assert project.status().n_answers == 10
        if value:
            assert len(project.groups()) == (1 if value == 1 else 5)


# -- looking -----------------------------------------------------------------------------------------------


def test_why_shows_the_answers_and_the_chain(project):
    project.tell(("o0", "o3"), 1, "Ada")
    project.tell(("o3", "o6"), 1, "Bob")
    project.tell(("o0", "o1"), -1, "Bob")
    project.pin(("o6", "o9"), same=True)
    why = project.why("o0", "o9")
    assert why.chain == (("o0", "o3"), ("o3", "o6"), ("o6", "o9"))
    assert why.answers == ()
    assert why.prior is None
    assert 0.5 < why.probability <= 1
    assert why.together
    other = project.why("o1", "o0")
    assert [(one.annotator, one.value) for one in other.answers] == [("Bob", -1)]
    assert other.chain == ()
    assert "Bob said -1" in str(other)
    project.undo()
    assert project.why("o0", "o9").chain == ()


def test_looking_writes_nothing(path, project):
    project.tell(("o0", "o1"), 1)
    before = project._books.ledger.last
    for _ in range(2):
        project.status(), project.labels(), project.why("o0", "o1"), project.people(), repr(project)
    assert project._books.ledger.last == before


def test_a_project_that_somebody_else_has_can_be_looked_at(path, project):
    project.tell(("o0", "o1"), 1, "Ada")
    with ok.open_project(path, read_only=True) as other:
        assert other.status().n_answers == 1
        assert other.why("o0", "o1").answers[0].annotator == "Ada"
        project.tell(("o0", "o2"), 1)
        assert other.status().n_answers == 1  # as it was
        with pytest.raises(OfakindError, match="opened to be looked at"):
            other.tell(("o0", "o1"), 1)
        with pytest.raises(OfakindError, match="opened to be looked at"):
            other.ask()
    with ok.open_project(path, read_only=True) as other:
        assert other.status().n_answers == 2


def test_closing_computes_nothing_that_nobody_has_needed(path, project, monkeypatch):
    for question in project.ask(2):
        project.tell(question, 1)
    project._books.file.empty_cache()
    project._saved = project._model.through + 2
    project._follow()
    project.close()

    def never(self, size=None):
        raise AssertionError("nobody has asked")

    monkeypatch.setattr(ok.ActiveClustering, "ask", never)
    for options in ({}, {"read_only": True}):
        with ok.open_project(path, **options) as again:
            assert len(again.answers) == 2


def test_html_shows_names_and_does_nothing(project):
    """S6: the names of people are text."""
    project.tell(("o0", "o1"), 1, "<script>alert(1)</script>")
    assert "<script>" not in project._repr_html_()
    assert "&lt;script&gt;" in project._repr_html_()


# -- threads -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_R26_many_people_at_once_lose_nothing_and_never_get_the_same_pair(tmp_path):
    with ok.new_project([f"o{i}" for i in range(30)], path=tmp_path / "b.ofk") as project:
        asked, failed = [], []

        def person(name):
            try:
                for _ in range(6):
                    for question in project.ask(3, name):
                        asked.append((name, question))
                        project.tell(question, right(question))
                    project.status()
            except OfakindError as error:
                failed.append(error)

        threads = [threading.Thread(target=person, args=(name,)) for name in "ABCDEFGH"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        assert len(asked) == 8 * 18
        assert len({question.key for _, question in asked}) == len(asked)
        assert project.status().n_answers == len(asked)
        by_pair = {}
        for name, question in asked:
            by_pair.setdefault(frozenset((question.left_id, question.right_id)), []).append(name)
        twice = [names for names in by_pair.values() if len(names) > 1]
        assert len(twice) <= 0.1 * len(asked)  # the planned overlap
        assert all(len(set(names)) == len(names) for names in twice)
        assert project.check(replay=True)


# -- ids as tables and arrays have them --------------------------------------------------------------------


def test_ids_and_events_may_come_out_of_an_array(tmp_path):
    with ok.new_project([1, 2, "x"], path=tmp_path / "n.ofk") as project:
        event = project.tell(np.array([1, 2]), 1)
        project.correct(np.int64(event), -1)
        project.tell((np.int64(1), np.str_("x")), 1)
        assert [(one.left_id, one.right_id, one.in_force) for one in project.answers] == [
            (1, 2, False),
            (1, 2, True),
            (1, "x", True),
        ]


def test_a_truth_value_is_not_taken_for_the_id_1(tmp_path):
    with ok.new_project([1, 2], path=tmp_path / "n.ofk") as project:
        with pytest.raises(InvalidAnswerError, match="True is no object"):
            project.tell((True, 2), 1)
        assert project.answers == []


@pytest.mark.parametrize("annotator", [None, 7, "x" * 201])
def test_a_name_that_cannot_be_chooses_no_question(project, annotator):
    with pytest.raises(InvalidInputError, match="annotator"):
        project.ask(1, annotator)
    assert project.status().n_open == 0
    assert project.status().last == 2


def test_what_is_only_looked_at_refuses_a_question_before_it_computes_one(project):
    with ok.open_project(project.path, read_only=True) as other:
        with pytest.raises(OfakindError, match="without read_only"):
            other.ask()
        assert other._model.replay.learner is None


def test_a_question_keeps_what_was_believed_when_it_was_chosen(path):
    names = [{"name": name} for name in ("Joe's Diner", "Joes Diner", "The Ritz", "Ritz", "Bluenote")]
    with ok.new_project(names, path=path) as project:
        groups = project.labels()
        (question,) = project.ask(1)
        pair = question.left_id, question.right_id
        before = project.why(*pair)
        assert before.asked.by == "model"
        assert before.asked.probability == before.probability
        assert before.asked.groups == tuple(groups[one] for one in sorted(pair))
        for _ in range(3):
            project.tell(question, -1)
            project.tell(pair, -1)
        assert project.why(*pair).probability < before.probability
    with ok.open_project(path) as project:
        assert project.why(*pair).asked == before.asked
        assert f"P(same) was {before.probability:.2f}" in str(project.why(*pair))
        assert project.check(replay=True)


def test_where_questions_are_drawn_nothing_was_believed_and_nothing_is_said(project):
    (question,) = project.ask(1)
    asked = project.why(question.left_id, question.right_id).asked
    assert (asked.probability, asked.groups) == (None, None)


@pytest.mark.parametrize("how", ["moved", "replaced"])
def test_no_answer_goes_into_a_file_that_nobody_will_find(path, project, how):
    first = project.tell(("o0", "o1"), 1)
    aside = path.with_name("aside.ofk")
    path.rename(aside)
    if how == "replaced":
        path.write_bytes(b"another file")
    with pytest.raises(ok.MovedProjectError, match="was moved, deleted or replaced"):
        project.tell(("o0", "o2"), 1)
    aside.replace(path)
    assert project.tell(("o0", "o2"), -1) == first + 1  # and when it is back
    project.close()
    with ok.open_project(path) as again:
        assert values(again) == [1, -1]
