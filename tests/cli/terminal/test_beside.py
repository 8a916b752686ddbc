"""Where a project stands, looked at beside."""

import logging
import threading

from ofakind.cli.terminal.beside import StatusBeside


def test_whoever_answers_does_not_wait_and_gets_the_newest_look():
    may_look, looked, answers = threading.Event(), threading.Event(), []

    def look():
        may_look.wait(10)
        answers.append(len(answers) + 1)
        return answers[-1]

    beside = StatusBeside(look)
    beside.seen = looked.set
    beside.want()
    assert beside.newest is None
    may_look.set()
    assert looked.wait(10)
    assert beside.newest == 1
    beside.close()


def test_a_look_that_fails_is_noted_and_the_next_one_is_tried(caplog):
    turns, seen = iter([ZeroDivisionError("no"), 7]), threading.Semaphore(0)

    def look():
        found = next(turns)
        if isinstance(found, Exception):
            raise found
        return found

    beside = StatusBeside(look)
    beside.seen = seen.release
    with caplog.at_level(logging.ERROR):
        beside.want()
        assert seen.acquire(timeout=10)
        assert beside.newest is None
        beside.want()
        assert seen.acquire(timeout=10)
    assert beside.newest == 7
    assert "not known" in caplog.text
    beside.close()
