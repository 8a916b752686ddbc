"""Which screen somebody gets, from pairs alone."""

import numpy as np
import pytest

import ofakind as ok
from ofakind.errors import DamagedProjectError, InvalidInputError
from ofakind.pairs import Pairs
from ofakind.project.events import QuestionsAsked, QuestionSkipped, QuestionsShown, read_event
from ofakind.project.screens import cut, object_first, partners, take_any, take_cut


def test_a_list_is_cut_into_one_object_and_its_best_partners():
    pairs = [(0, 1), (2, 3), (2, 4), (2, 5), (0, 9)]
    assert cut(pairs, 3) == ((2, 3), (2, 4), (2, 5))
    assert cut(pairs, 2) == ((0, 1), (0, 9)) or cut(pairs, 2) == ((2, 3), (2, 4))
    assert cut([], 3) == ()


def test_where_nothing_is_known_an_object_meets_others_by_chance_and_those_that_features_name_first(project):
    books = project._books
    near = Pairs.of([0, 0, 3], [5, 7, 4])
    found = partners(books.ledger, near, 0, 6, np.random.default_rng(0))
    assert {*found[:2]} == {(0, 5), (0, 7)}
    assert len(found) == len({*found}) == 6
    lent = take_any(books, 4, "Ada", None)
    assert len(lent.pairs) == 4
    assert project.asked_screen(lent.key).annotator == "Ada"
    assert {books.ledger.reasons[min(pair), max(pair)].by for pair in lent.pairs} == {"uniform"}


def test_when_everything_was_asked_there_is_no_screen_by_chance(tmp_path):
    with ok.new_project(["a", "b"], path=tmp_path / "b.ofk") as project:
        project.tell(("a", "b"), 1.0)
        assert take_any(project._books, 4, "Ada", None) is None
        assert take_cut(project._books, 4, "Ada") is None


def test_the_object_that_pairs_share_comes_first():
    assert object_first([(1, 7), (0, 7)]) == ((7, 1), (7, 0))
    assert object_first([(1, 7)]) == ((1, 7),)


def test_pairs_under_one_key_must_share_their_first_object():
    shown = QuestionsShown("Ada", ("k", "k", "l"), ((3, 1), (3, 2), (0, 1)))
    assert shown.by_key() == {"k": ((3, 1), (3, 2)), "l": ((0, 1),)}
    with pytest.raises(InvalidInputError, match="different objects"):
        QuestionsShown("Ada", ("k", "k"), ((3, 1), (2, 3)))


def test_a_screen_without_a_common_object_is_no_part_of_a_log(project):
    torn = QuestionsAsked(1, 3, ((0, 1), (1, 2), (0, 2)), (None,) * 3, "screen")
    with pytest.raises(DamagedProjectError, match="common object"):
        project._books.write([torn])


def test_a_skip_of_one_question_is_written_as_ever():
    one = QuestionSkipped("k", "Ada", (0, 1))
    assert one.body() == '{"annotator":"Ada","key":"k","pair":[0,1]}'
    several = QuestionSkipped("k", "Ada", (0, 1), ((0, 2),))
    assert read_event("skip", several.body()) == several
    assert several.pairs == ((0, 1), (0, 2))
    with pytest.raises(InvalidInputError, match="twice"):
        QuestionSkipped("k", "Ada", (0, 1), ((0, 1),))
