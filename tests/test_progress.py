"""How far long work has come: only those who watch are told, and only in their block."""

from threading import Thread

import pytest

import ofakind as ok
from ofakind.parallel import run_watched
from ofakind.progress import progressed, watched_by


def test_nobody_need_watch():
    assert progressed("counting", 1, 3) is None


def test_whoever_watches_is_told_in_this_block_and_not_after_it():
    told = []
    with watched_by(lambda *what: told.append(what)):
        progressed("counting", 1, 3)
        with watched_by(lambda *_: None):
            progressed("counting", 2, 3)
    progressed("counting", 3, 3)
    assert told == [("counting", 1, 3)]


def test_other_threads_are_not_watched():
    told = []
    with watched_by(lambda *what: told.append(what)):
        thread = Thread(target=progressed, args=("counting", 1, 3))
        thread.start()
        thread.join()
    assert told == []


def test_many_calls_say_how_far_they_are_and_give_what_they_would_otherwise():
    told = []
    calls = [(number, 7) for number in range(100)]
    with watched_by(lambda _, done, total: told.append((done, total))):
        found = run_watched(divmod, calls, "dividing")
    assert found == [divmod(*call) for call in calls]
    assert told[0] == (0, 100)
    assert told == sorted(told)
    assert len(told) > 1


def test_watching_changes_no_graph():
    rows = [f"record {number % 37} of {number % 11}" for number in range(300)]
    told = []
    plain = ok.Neighbours.from_records(rows)
    with watched_by(lambda doing, *_: told.append(doing)):
        seen = ok.Neighbours.from_records(rows)
    assert plain.pairs == seen.pairs
    assert dict.fromkeys(told).keys() >= {
        "counting letters and words",
        "comparing letters",
        "comparing words",
    }


def test_whoever_watches_can_stop_the_work():
    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), watched_by(stop):
        ok.Neighbours.from_records(["a b", "a c"])
