"""What follows from a log: its order counts, its times do not, nor the order of answers to a pair."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ofakind.project.calls import in_order
from ofakind.project.events import (
    AnswerGiven,
    EventRetracted,
    ObjectsAdded,
    PairsPinned,
    ProjectCreated,
    QuestionsAsked,
    QuestionsShown,
    chain_hash,
    logged,
)
from ofakind.project.graphs import Graphs
from ofakind.project.leases import Leases
from ofakind.project.ledger import Ledger
from ofakind.project.replay import Replay

N = 5
PAIRS = tuple(itertools.combinations(range(N), 2))
pairs = st.sampled_from(PAIRS)
values = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])
others = st.tuples(pairs, values)
names = st.sampled_from(["Ada", "Bob"])
times = st.sampled_from(
    [
        "2026-03-29T01:59:59.999999Z",  # before and after clocks were put forward
        "2026-03-29T03:00:00.000000Z",
        "2026-10-25T01:30:00.000000Z",
        "2016-12-31T23:59:60.000000Z",  # a leap second
        "1970-01-01T00:00:00.000000Z",
        "2999-12-31T23:59:59.000000Z",
        "",
        "yesterday",
    ]
)
BEGIN = [ProjectCreated(3, "?", "0.1.0", {}), ObjectsAdded(tuple("abcde"), {}, "")]


def chained(events, at):
    """A log with these events at these times."""
    log = []
    for event, time in zip(events, at, strict=True):
        log.append(logged(event, before=log[-1] if log else None, at=time))
    return log


def state_of(log):
    """Everything that a ledger says, but for the times that it shows to people."""
    ledger = Ledger(log)
    left_out = {"times", "milestones", "pins", "_handlers"}
    found = {name: value for name, value in vars(ledger).items() if name not in left_out}
    found["milestones"] = [event for _, event in ledger.milestones]
    leases = Leases.after_restart(ledger, lambda: 5.0)
    return found, ledger.pins.implied(*np.array(PAIRS).T).tolist(), vars(leases)["_until"]


def learner_of(log):
    ledger = Ledger(log)
    replay = Replay(Graphs(ledger.features, ledger.columns, {}.get))
    replay.advance(in_order(ledger.calls))
    return replay.begun


@st.composite
def events_of_any_kind(draw):
    events, answers = [*BEGIN], []
    for number in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(["answer", "answer", "asked", "undo", "pin"]))
        if kind == "answer":
            answers.append(len(events) + 1)
            events.append(AnswerGiven(f"k{number}", draw(names), (draw(pairs),), (draw(values),)))
        elif kind == "asked":
            pair = draw(pairs)
            events.append(QuestionsAsked(2, 1, (pair,), (None,), "uniform"))
            events.append(QuestionsShown(draw(names), (f"q{number}",), (pair,)))
        elif kind == "undo" and answers:
            events.append(EventRetracted(answers.pop(), "Ada"))
        elif kind == "pin":
            events.append(PairsPinned((draw(pairs),), True, "Ada"))
    return events


@pytest.mark.slow
@given(events_of_any_kind(), st.data())
def test_R14_no_time_of_day_changes_the_state(events, data):
    at = [f"2026-01-01T00:00:{number:02}.000000Z" for number in range(len(events))]
    others = data.draw(st.permutations(at) | st.lists(times, min_size=len(at), max_size=len(at)))
    assert state_of(chained(events, others)) == state_of(chained(events, at))


@given(
    st.lists(st.tuples(names, values), min_size=1, max_size=5), st.lists(st.tuples(pairs, values)), st.data()
)
@settings(max_examples=settings.default.max_examples // 2)
def test_R7_the_order_of_answers_to_a_pair_does_not_matter(to_one, to_others, data):
    """All of them are kept; what is known of each pair is the same, and so are the groups."""
    mixed = data.draw(st.permutations(to_one))
    states = []
    for order in (to_one, mixed):
        events = [AnswerGiven(f"a{row}", who, ((0, 1),), (value,)) for row, (who, value) in enumerate(order)]
        events += [
            AnswerGiven(f"b{row}", "Ada", (pair,), (value,)) for row, (pair, value) in enumerate(to_others)
        ]
        log = chained([*BEGIN, *events], ["now"] * (2 + len(events)))
        kept = [(one.event.annotator, one.event.values) for one in log if one.kind == "answer"]
        assert sorted(kept) == sorted((event.annotator, event.values) for event in events)
        ledger, learner = Ledger(log), learner_of(log)
        everything = {pair: sorted(found.values()) for pair, found in ledger.answered.items()}
        known = learner.similarity.pairs()
        states.append((everything, [*known], learner.n_answers))
        states[-1] += (np.round(learner.similarity.values_of(known.u, known.v), 12).tolist(),)
    assert states[0] == states[1]


@pytest.mark.slow
@given(events_of_any_kind())
def test_what_is_counted_on_the_way_is_what_counting_at_the_end_gives(events):
    ledger = Ledger(chained(events, ["now"] * len(events)))
    given = [event for seq, event in ledger.events.items() if ledger.force[seq]]
    names = Counter(event.annotator for event in given if isinstance(event, AnswerGiven))
    assert +ledger.answerers == names
    assert ledger.several.keys() == {pair for pair, found in ledger.answered.items() if len(found) > 1}
    assert ledger.had == Counter(name for name, _ in ledger.shown.values())


def test_the_hash_covers_the_time_so_that_it_cannot_be_changed_either():
    (one,) = chained(BEGIN[:1], ["2026"])
    assert one.hash != chain_hash(bytes(32), 1, "2027", (one.kind, one.body))
