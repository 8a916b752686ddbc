"""What is computed beside: the newest at once, and a failure that stops nobody."""

import logging
from threading import Event

from ofakind.web.latest import Latest


def test_the_newest_is_there_at_once_while_another_is_computed():
    begun, go_on, looks = Event(), Event(), []

    def look():
        looks.append(1)
        if len(looks) > 1:
            begun.set()
            go_on.wait(20)
        return len(looks)

    latest = Latest(look)
    latest.want()
    assert latest.get(20) == 1
    latest.want()
    assert begun.wait(20)
    assert latest.get(20) == 1
    go_on.set()
    latest.close()
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

    latest = Latest(look)
    with caplog.at_level(logging.CRITICAL):
        latest.want()
        assert latest.get(20) == "first"
        latest.want()
        assert failed.wait(20)
        assert latest.newest == "first"
        again.set()
        latest.want()
        assert looked.wait(20)
    latest.close()
    assert latest.newest == "newer"
