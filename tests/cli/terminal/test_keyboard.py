"""Keys and signals of a real pseudo-terminal."""

import os
import pty
import signal
import threading
import time
from dataclasses import replace

import pytest

from ofakind.cli.terminal.keyboard import CLOSED, KEYBOARD, REDRAW, TIME_IS_UP, Keyboard, Signals


@pytest.fixture
def keyboard():
    own, other = pty.openpty()
    import tty

    tty.setcbreak(other)
    signals = Signals()
    signals.watch()
    yield Keyboard(other, signals), own, signals
    signals.stop()
    os.close(other)


def test_a_key_comes_without_enter_and_an_arrow_is_one_key(keyboard):
    keys, own, _ = keyboard
    os.write(own, b"s")
    assert keys.press(5) == "s"
    os.write(own, b"\x1b[A")
    assert keys.press(5) == "\x1b[A"
    os.close(own)


def test_what_was_pressed_before_does_not_count(keyboard):
    keys, own, _ = keyboard
    os.write(own, b"ssss")
    keys.settle()
    assert keys.press(0.05) == TIME_IS_UP
    os.close(own)


def test_R6_a_key_that_is_held_down_is_one_key(keyboard, monkeypatch):
    keys, own, _ = keyboard
    monkeypatch.setattr("ofakind.cli.terminal.keyboard.KEYBOARD", replace(KEYBOARD, quiet=0.6))
    stop = threading.Event()

    def hold():
        while not stop.is_set():
            os.write(own, b"s")
            time.sleep(0.03)

    holding = threading.Thread(target=hold)
    holding.start()
    assert keys.press(5) == "s"
    timer = threading.Timer(0.5, stop.set)
    timer.start()
    begun = time.monotonic()
    keys.settle()
    assert time.monotonic() - begun > 0.4
    assert keys.press(0.05) == TIME_IS_UP
    holding.join()
    os.close(own)


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (signal.SIGINT, "SIGINT"),
        (signal.SIGTERM, "SIGTERM"),
        (signal.SIGHUP, "SIGHUP"),
        (signal.SIGWINCH, REDRAW),
    ],
)
def test_a_signal_wakes_whoever_waits_for_a_key(keyboard, number, name):
    keys, own, _ = keyboard
    threading.Timer(0.05, os.kill, (os.getpid(), number)).start()
    assert keys.press(10) == name
    os.close(own)


def test_news_wake_whoever_waits_for_a_key(keyboard):
    keys, own, signals = keyboard
    threading.Timer(0.05, signals.poke).start()
    assert keys.press(10) == REDRAW
    os.close(own)


def test_a_terminal_that_is_gone_is_noticed(keyboard):
    keys, own, _ = keyboard
    os.close(own)
    assert keys.press(10) in (CLOSED, "SIGHUP")


def test_signals_do_afterwards_what_they_did_before():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGWINCH)}
    signals = Signals()
    signals.watch()
    assert signal.getsignal(signal.SIGTERM) != before[signal.SIGTERM]
    signals.stop()
    assert {number: signal.getsignal(number) for number in before} == before
