"""Ctrl-C and all other signals, while something runs that they would break: they wait for its end.

Python calls the handlers of signals in the main thread, between any two steps of Python code. Numba takes
such steps to hand arrays, tuples and random generators to a kernel, and to take them back. There an error
that a handler raises, as Ctrl-C and many a timeout do, is taken for a result: what follows is a SystemError,
or a crash. A module whose import stopped half-way may be broken for good.
"""

import os
import signal

# Those of the module "signal" do the same, and take ten times as long.
from _signal import getsignal  # type: ignore[import-not-found]
from _signal import signal as set_handler
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import compress
from threading import get_ident, main_thread
from types import FrameType
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
Handler = Callable[[int, FrameType | None], Any]

DEFAULT = int(signal.SIG_DFL)  # what a signal does where nobody handles it
DEADLY = ("SIGTERM", "SIGHUP")
NUMBERS = tuple(sorted(map(int, signal.valid_signals())))


def uninterrupted(function: Callable[..., T], *arguments: Any) -> T:
    """Call a function; a signal that comes meanwhile is handed to its handler afterwards.

    Then the handler may raise, in whose place nothing is returned. Several signals of one kind are handed
    over once. Other threads than the main one never see signals, so nothing is done there.

    >>> uninterrupted(max, 1, 2)
    2
    """
    if WAITING.now or get_ident() != main_thread().ident:
        return function(*arguments)
    stand_ins: list[tuple[int, _StandIn]] = []
    try:
        for number in compress(NUMBERS, map(callable, map(getsignal, NUMBERS))):
            stand_in = _StandIn(_original(number))
            stand_ins.append((number, stand_in))
            set_handler(number, stand_in)
        WAITING.now = True  # nothing raises from here ...
        return function(*arguments)
    finally:
        WAITING.now = False  # ... to here
        try:
            WAITING.hand_over()
        finally:
            _put_back(stand_ins)


@contextmanager
def before_the_end(end: Callable[[], None]) -> Iterator[None]:
    """Call a function before a signal ends the process, as SIGTERM or a closed window do.

    The process ends by that signal all the same. Where a signal does something else already, that stays.
    """
    mine: list[int] = []

    def handle(number: int, _: FrameType | None) -> None:
        set_handler(number, DEFAULT)
        try:
            end()
        finally:
            os.kill(os.getpid(), number)

    if get_ident() == main_thread().ident:
        for name in DEADLY:
            number = getattr(signal, name, None)
            if number is not None and getsignal(number) == DEFAULT:
                mine.append(number)
                set_handler(number, handle)
    try:
        yield
    finally:
        for number in mine:
            set_handler(number, DEFAULT)


class _Signal(NamedTuple):
    """A signal that came: its handler, its number, and what Python was doing."""

    handler: Handler
    number: int
    frame: FrameType | None


class _Waiting:
    """Whether signals wait now, and those that came since they do."""

    def __init__(self) -> None:
        self.now = False
        self.came: list[_Signal] = []

    def note(self, one: _Signal) -> None:
        """Keep a signal for later, unless one of its kind is waiting."""
        if one.number not in [other.number for other in self.came]:
            self.came.append(one)

    def hand_over(self) -> None:
        """Call the handlers of all that came, also when some of them raise.

        Signals may come here, too. Python looks for them at calls and in loops: before a signal is taken
        from the list, or when its handler has begun.
        """
        if self.came:
            handler, number, frame = self.came[0]
            del self.came[0]
            try:
                handler(number, frame)
            finally:
                self.hand_over()

    def forget(self) -> None:
        """Begin anew, in a process that another thread has forked while signals waited: they go on there."""
        self.now = False
        self.came.clear()


class _StandIn:
    """Stands in for a handler: while signals wait it notes them, otherwise it does what the handler does.

    So it does no harm when an error keeps it from being put back.
    """

    __slots__ = ("handler",)

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if WAITING.now:
            WAITING.note(_Signal(self.handler, number, frame))
            return
        try:
            WAITING.hand_over()
        finally:
            self.handler(number, frame)


WAITING = _Waiting()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=WAITING.forget)


def _original(number: int) -> Any:
    """Return the handler of a signal, or the one that a stand-in which was not put back stands for."""
    handler = getsignal(number)
    return handler.handler if isinstance(handler, _StandIn) else handler


def _put_back(stand_ins: list[tuple[int, _StandIn]]) -> None:
    """Let the handlers be what they were, but for those that a handler has changed."""
    for number, stand_in in stand_ins:
        if getsignal(number) is stand_in:
            set_handler(number, stand_in.handler)
