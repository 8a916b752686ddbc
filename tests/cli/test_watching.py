"""The live picture of long work: on a terminal only, after a moment, and gone at the end."""

import io
import sys

from ofakind.cli import watching
from ofakind.progress import progressed


class Terminal(io.StringIO):
    def isatty(self):
        return True


def looked_at(monkeypatch):
    """Put a terminal in the place of standard error; not in a fixture, since pytest takes it back there."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    return screen


def work():
    for part in ("reading [b]a.csv\x1b[2J", "comparing letters"):
        for done in range(3):
            progressed(part, done, 3)


def test_long_work_is_shown_with_what_is_done_and_how_far_it_is(monkeypatch):
    terminal = looked_at(monkeypatch)
    monkeypatch.setattr(watching, "WATCH", watching.WatchRules(patience=0, every=0))
    with watching.shown():
        work()
        seen = terminal.getvalue()
    assert "reading [b]a.csv\\x1b[2J" in seen
    assert "comparing letters" in seen
    assert "67%" in seen


def test_short_work_is_not_shown(monkeypatch):
    terminal = looked_at(monkeypatch)
    with watching.shown():
        work()
    assert terminal.getvalue() == ""


def test_where_there_is_no_terminal_nothing_is_written(monkeypatch):
    monkeypatch.setattr(watching, "WATCH", watching.WatchRules(patience=0, every=0))
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    with watching.shown():
        work()
    assert log.getvalue() == ""
