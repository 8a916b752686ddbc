"""Ctrl-C while compiled code runs: it stops the computation, but not on the way into or out of a kernel."""

import signal
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer, current_thread, main_thread
from types import FrameType
from typing import Any

HANDING_OVER = ("numba.core.serialize", "namedtuple_", "ctypes")
"""How the modules begin whose Python functions a kernel calls, to make arrays and tuples of its result and to
reach into a random generator that it was given."""


@dataclass(frozen=True, slots=True)
class InterruptRules:
    """Tuned numbers of Ctrl-C, chosen by judgement."""

    soon: float = 0.001  # seconds, after which a signal that came at a bad time comes again


INTERRUPT = InterruptRules()


@contextmanager
def stoppable() -> Iterator[None]:
    """Let Ctrl-C stop what is done inside, as soon as no kernel is handing over its result.

    A kernel runs to its end in any case. Then numba makes arrays and tuples of what it found, and calls a few
    Python functions for that; it calls others before, to find the addresses of a random generator. An error
    that Ctrl-C raises in one of those is taken for a result: what follows is a SystemError, or a crash. So a
    signal that comes there comes again a moment later.

    What it does then is up to the handler that was in force. Nothing changes outside of the main thread,
    which alone gets signals, nor where Ctrl-C is ignored.

    >>> with stoppable():
    ...     "as" + "before"
    'asbefore'
    """
    before: Any = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(before) or isinstance(before, _Waiting):
        yield
        return
    waiting = _Waiting(before)
    try:
        signal.signal(signal.SIGINT, waiting)
        yield
    finally:
        waiting.over = True
        signal.signal(signal.SIGINT, before)
        if waiting.missed:
            before(signal.SIGINT, None)


class _Waiting:
    """Does what another handler does, but not while a kernel hands over its result, nor when all is over."""

    def __init__(self, handler: Callable[[int, FrameType | None], Any]) -> None:
        self.handler = handler
        self.missed = self.over = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.missed = self.over or _handing_over(frame)
        if not self.missed:
            self.handler(number, frame)
        elif not self.over:
            again = Timer(INTERRUPT.soon, self.remind)
            again.daemon = True
            again.start()

    def remind(self) -> None:
        """Let the signal come again, unless it has."""
        if self.missed and not self.over:
            interrupt_main()


def _handing_over(frame: FrameType | None) -> bool:
    """Whether a kernel has called what is being done here, directly or not."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(HANDING_OVER):
            return True
        frame = frame.f_back
    return False
