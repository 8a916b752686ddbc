"""What is computed beside: the newest at once, and a failure that stops nobody."""

import logging
import threading
from threading import Event

from ofakind.project.latest import Latest


def test_the_newest_is_there_at_once_while_another_is_computed():
    begun, go_on, looks = Event(), Event(), []

    def look():
        looks.append(1)
        if len(looks) > 1:
            begun.set()
            go_on.wait(300)
        return len(looks)

    latest = Latest(look, "it could not be computed")
    latest.want()
    assert latest.get(300) == 1
    latest.want()
    assert begun.wait(300)
    assert latest.get(300) == 1
    go_on.set()
    latest.close(300.0)
    assert latest.newest == 2


def test_a_look_that_fails_keeps_the_last_one_and_the_next_is_tried(caplog):
    failed, again, looked = Event(), Event(), Event()

    def look():
        if again.is_set():
            looked.set()
            return "newer"
        if latest.newest is None:
            return "first"
        failed.set()
        raise RuntimeError("no idea")

    latest = Latest(look, "it could not be computed")
    with caplog.at_level(logging.CRITICAL):
        latest.want()
        assert latest.get(300) == "first"
        latest.want()
        assert failed.wait(300)
        assert latest.newest == "first"
        again.set()
        latest.want()
        assert looked.wait(300)
    latest.close(300.0)
    assert latest.newest == "newer"


def test_whoever_answers_does_not_wait_and_gets_the_newest_look():
    may_look, looked, answers = threading.Event(), threading.Event(), []

    def look():
        may_look.wait(300)
        answers.append(len(answers) + 1)
        return answers[-1]

    latest = Latest(look, "the numbers are not known", forgets=True)
    latest.seen = looked.set
    latest.want()
    assert latest.newest is None
    may_look.set()
    assert looked.wait(300)
    assert latest.newest == 1
    latest.close()


def test_a_look_that_fails_may_be_forgotten_is_noted_and_the_next_one_is_tried(caplog):
    turns, seen = iter([ZeroDivisionError("no"), 7]), threading.Semaphore(0)

    def look():
        found = next(turns)
        if isinstance(found, Exception):
            raise found
        return found

    latest = Latest(look, "the numbers are not known", forgets=True)
    latest.seen = seen.release
    with caplog.at_level(logging.ERROR):
        latest.want()
        assert seen.acquire(timeout=300)
        assert latest.newest is None
        latest.want()
        assert seen.acquire(timeout=300)
    assert latest.newest == 7
    assert "not known" in caplog.text
    latest.close()
