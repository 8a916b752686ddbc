"""Events: what they may hold, how they are written, and how they are chained."""

import math
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.errors import InvalidInputError
from ofakind.project.events import (
    BEFORE_THE_FIRST,
    KINDS_OF_EVENTS,
    AnswerGiven,
    EventRetracted,
    FeaturesUsed,
    GroupNamed,
    JudgeCalled,
    JudgeSent,
    NoteWritten,
    ObjectsAdded,
    PairsPinned,
    PairsUnpinned,
    ProjectCreated,
    QuestionsAsked,
    QuestionSkipped,
    QuestionsReleased,
    QuestionsShown,
    chain_hash,
    logged,
    read_event,
)

AT = "2026-01-01T00:00:00.000000Z"
DIGEST = "ab" * 32
EXAMPLES = [
    ProjectCreated(0, "Of a kind?", "0.1.0", {"initial": None, "batch_size": 8}),
    ObjectsAdded(
        ("a", 7),
        {"name": ("Ann", None), "born": (1970, 1.5)},
        "a list",
        True,
        frame="polars",
        order=("name", "born"),
    ),
    FeaturesUsed(DIGEST, ("name",), DIGEST, DIGEST, DIGEST, revision=3),
    QuestionsAsked(3, 2, ((0, 1), (0, 2)), (0.5, None), same=(0.1, 1.0), groups=((0, 0), (0, 2)), revision=3),
    QuestionsShown("Ada", ("k1", "k2"), ((1, 0), (0, 2))),
    AnswerGiven("k1", "Ada", ((0, 1),), (-0.5,), 1200, 4),
    QuestionSkipped("k2", "Ada", (0, 2)),
    EventRetracted(6, ""),
    PairsPinned(((0, 1),), same=False, annotator=""),
    PairsUnpinned(((0, 1),), ""),
    QuestionsReleased(((0, 2),)),
    GroupNamed(3, "Diners", (0, 2), "Ada"),
    JudgeSent("small", DIGEST, 0.25),
    JudgeCalled("small", "m", DIGEST, ((0, 1),), (-0.5,), True, 12, 3, 0.5, 80, (4,), copies=2),
    NoteWritten("é\ud800\0"),
]
by_kind = pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.KIND)


def test_there_is_an_example_of_every_kind():
    assert {event.KIND for event in EXAMPLES} == set(KINDS_OF_EVENTS)


@by_kind
def test_an_event_is_read_as_it_was_written(event):
    again = read_event(event.KIND, event.body())
    assert again == event
    assert again.body() == event.body()


@by_kind
def test_an_event_with_a_field_more_or_less_is_refused(event):
    with pytest.raises(InvalidInputError, match="expected"):
        read_event(event.KIND, event.body()[:-1] + ',"more":1}')
    with pytest.raises(InvalidInputError, match="expected"):
        read_event(event.KIND, "{}")
    with pytest.raises(InvalidInputError, match="does not know"):
        read_event("nonsense", event.body())


@by_kind
@pytest.mark.parametrize("strange", [1j, [[0, [1j]]], -1.5], ids=repr)
def test_R12_every_field_of_every_kind_refuses_what_it_cannot_hold(event, strange):
    known = {field.name: getattr(event, field.name) for field in fields(event)}
    for name in known:
        with pytest.raises(InvalidInputError, match="expected"):
            type(event)(**known | {name: strange})


@pytest.mark.parametrize("value", [1.0000001, -1.1, math.nan, math.inf, "1", None, True])
def test_R12_no_answer_outside_of_its_range_can_be_an_event(value):
    with pytest.raises(InvalidInputError, match="answer is"):
        AnswerGiven("k", "", ((0, 1),), (value,))


@pytest.mark.parametrize("pair", [(1, 0), (1, 1), (-1, 0), (0, 1.5), (0,), "01", (0, 1, 2)])
def test_R12_no_strange_pair_can_be_an_event(pair):
    with pytest.raises(InvalidInputError, match="expected"):
        AnswerGiven("k", "", (pair,), (1,))
    with pytest.raises(InvalidInputError, match="expected"):
        PairsPinned((pair,), same=True, annotator="")


def test_names_are_texts_of_bounded_length():
    """S18."""
    assert AnswerGiven("k" * 200, "n" * 200, ((0, 1),), (1,)).annotator == "n" * 200
    for key, name in (("", ""), ("k" * 201, ""), ("k", "n" * 201), ("k", None), (1, "")):
        with pytest.raises(InvalidInputError, match="expected"):
            AnswerGiven(key, name, ((0, 1),), (1,))


def test_numbers_that_are_equal_have_equal_hashes():
    one, other = AnswerGiven("k", "", ((0, 1),), (1,)), AnswerGiven("k", "", [[0, 1]], [1.0])
    assert one == other
    assert logged(one, before=None, at=AT).hash == logged(other, before=None, at=AT).hash


parts = st.tuples(st.binary(min_size=32, max_size=32), st.integers(1, 9), st.text(), st.text(), st.text())


@given(parts, parts)
def test_another_hash_seq_time_kind_or_body_gives_another_hash(one, other):
    (a, b, c, *d), (e, f, g, *h) = one, other
    assert (chain_hash(a, b, c, tuple(d)) == chain_hash(e, f, g, tuple(h))) == (one == other)


def test_where_one_text_ends_and_the_next_begins_makes_a_difference():
    start = BEFORE_THE_FIRST
    assert chain_hash(start, 1, "a", ("bc", "d")) != chain_hash(start, 1, "ab", ("c", "d"))


def test_events_follow_one_another():
    first = logged(EXAMPLES[0], before=None, at=AT)
    second = logged(EXAMPLES[1], before=first, at=AT)
    assert (first.seq, second.seq) == (1, 2)
    assert second.hash == chain_hash(first.hash, 2, AT, (second.kind, second.body))
    assert second.event == EXAMPLES[1]


def test_questions_of_files_from_before_beliefs_were_written_are_read_and_written_as_they_were():
    body = '{"after":3,"by":"model","pairs":[[0,1]],"scores":[0.5],"size":1}'
    event = read_event("asked", body)
    assert (event.same, event.groups) == (None, None)
    assert event.body() == body
    with pytest.raises(InvalidInputError, match="expected"):
        read_event("asked", body.replace('"after":3,', ""))
