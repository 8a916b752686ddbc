"""Keys as they are pressed, and signals as they come: both are waited for at one place, and nowhere else.

So no signal stops an answer half-way, and whatever comes, the terminal is left as it was found. A key that is
held down, or was pressed before the question was there to be seen, answers nothing.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any

REDRAW, TIME_IS_UP, CLOSED = "redraw", "time is up", "closed"  # besides keys and names of signals
STOPPING = {"SIGINT", "SIGTERM", "SIGHUP"}
WATCHED = (*sorted(STOPPING), "SIGWINCH", "SIGTSTP")
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"  # another screen without cursor, and back


@dataclass(frozen=True, slots=True)
class KeyboardRules:
    """Tuned numbers of the keyboard, chosen by judgement."""

    quiet: float = 0.12  # seconds without a key before one counts; keys that are held down repeat faster


KEYBOARD = KeyboardRules()


class Signals:
    """Signals that came since they were last looked at; a pipe wakes whoever waits for keys."""

    def __init__(self) -> None:
        self.came: list[str] = []
        self.wake, self._write = os.pipe()
        for end in (self.wake, self._write):
            os.set_blocking(end, False)
        self._before: dict[int, Any] = {}

    def watch(self) -> None:
        """Note signals from now on, instead of what else they would do."""
        self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for name in WATCHED:
            number = getattr(signal, name)
            self._before[number] = signal.signal(number, self._note)

    def stop(self) -> None:
        """Let signals do what they did before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        for end in (self.wake, self._write):
            os.close(end)

    def poke(self) -> None:
        """Wake whoever waits, to draw again what has changed; from any thread."""
        self.came.append(REDRAW)
        with suppress(OSError):  # full, or closed by now
            os.write(self._write, b"\0")

    def take(self) -> str | None:
        """Return the name of the next signal, None where none came."""
        with suppress(BlockingIOError):
            while os.read(self.wake, 512):
                pass
        return self.came.pop(0) if self.came else None

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.came.append(signal.Signals(number).name)


class Keyboard:
    """The keys of a terminal, one by one, without Enter."""

    def __init__(self, source: int, signals: Signals) -> None:
        self._source, self._signals = source, signals

    def settle(self) -> None:
        """Forget what was pressed until now, and wait until a key that is held down is let go."""
        while not self._signals.came and self._ready(KEYBOARD.quiet):
            if not self._read():
                return

    def press(self, seconds: float | None) -> str:
        """Wait for a key, at most so long; or REDRAW, TIME_IS_UP, CLOSED, or the name of a signal."""
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            if (name := self._signals.take()) is not None:
                return REDRAW if name == "SIGWINCH" else name
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return TIME_IS_UP
            if self._ready(left):
                pressed = self._read()
                if pressed is None or pressed:
                    return CLOSED if pressed is None else pressed

    def _ready(self, seconds: float | None) -> bool:
        """Wait for keys or a signal; whether there are keys."""
        found, _, _ = select.select([self._source, self._signals.wake], [], [], seconds)
        return self._source in found

    def _read(self) -> str | None:
        """Return what is there: a character, or a key with a name of several; None at the end."""
        try:
            got = os.read(self._source, 64)
        except OSError:  # the terminal is gone
            return None
        return got.decode("utf-8", "replace") if got else None


@contextmanager
def single_keys(source: int) -> Iterator[Signals]:
    """Let keys come one by one, and signals be noted; afterwards the terminal is what it was."""
    import termios
    import tty

    before = termios.tcgetattr(source)
    signals = Signals()
    signals.watch()
    try:
        tty.setcbreak(source, termios.TCSANOW)
        write(ENTER)
        yield signals
    finally:
        with suppress(OSError, termios.error):
            write(LEAVE)
        with suppress(OSError, termios.error):
            termios.tcsetattr(source, termios.TCSANOW, before)
        signals.stop()


def suspend(source: int) -> None:
    """Stop this process, as Ctrl-Z does, with the terminal as it was; go on when it is continued."""
    import termios
    import tty

    now = termios.tcgetattr(source)
    write(LEAVE)
    cooked = [*now]
    cooked[3] |= termios.ECHO | termios.ICANON
    termios.tcsetattr(source, termios.TCSANOW, cooked)
    os.kill(os.getpid(), signal.SIGSTOP)
    tty.setcbreak(source, termios.TCSANOW)
    write(ENTER)


def write(text: str) -> None:
    """Write to the terminal, all of it now; what its encoding does not have is shown as a question mark."""
    stream = sys.stdout
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()
