"""A real terminal, without anybody in front of it: a process, its screen as text, keys that are pressed."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress

import psutil

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """Runs ``ofakind`` in a pseudo-terminal; use it with ``with``."""

    def __init__(self, *arguments, columns=80, lines=24, environment=None):
        self.own, self.other = pty.openpty()
        self.raw, self.seen = "", 0  # what was written, and how much of it, as text, was waited for
        self.resize(columns, lines)
        self.before = termios.tcgetattr(self.other)

        def take_terminal():
            fcntl.ioctl(self.other, termios.TIOCSCTTY, 0)

        inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ofakind", *map(str, arguments)],
            stdin=self.other,
            stdout=self.other,
            stderr=self.other,
            start_new_session=True,
            preexec_fn=take_terminal,  # noqa: PLW1509
            env={**inherited, "TERM": "xterm", **(environment or {})},
        )

    def resize(self, columns, lines):
        """Change the size, as dragging a window does."""
        self.drain()
        fcntl.ioctl(self.own, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def until(self, text, seconds=120):
        """Wait for a text after what was waited for before, and return all up to it."""
        end = time.monotonic() + seconds
        while (found := ESCAPES.sub("", self.raw).find(text, self.seen)) < 0:
            if not self.read(max(end - time.monotonic(), 0)):
                raise TimeoutError(f"no {text!r} within {seconds} s; got {self.raw[-3000:]!r}")
        start, self.seen = self.seen, found + len(text)
        return ESCAPES.sub("", self.raw)[start : self.seen]

    def read(self, seconds):
        """Take what is written within some seconds; whether anything was."""
        ready, _, _ = select.select([self.own], [], [], seconds)
        try:
            got = os.read(self.own, 65536) if ready else b""
        except OSError:  # nobody is there any more
            got = b""
        self.raw += got.decode(errors="replace")
        return bool(got)

    def drain(self):
        """Forget what was written until now."""
        while self.read(0):
            pass
        self.seen = len(ESCAPES.sub("", self.raw))

    def let_it_wait(self):
        """Until its main thread has done nothing for longer than a held key takes to come again."""
        end = time.monotonic() + 120
        with suppress(psutil.NoSuchProcess):  # it has ended
            program = psutil.Process(self.process.pid)
            while time.monotonic() < end and self.process.poll() is None:
                before = program.num_ctx_switches()
                time.sleep(0.2)
                still = (psutil.STATUS_SLEEPING, psutil.STATUS_IDLE, psutil.STATUS_STOPPED)
                if program.status() in still and program.num_ctx_switches() == before:
                    return

    def press(self, keys):
        """Press keys, after as long as anybody takes to read; first the program waits for some."""
        self.let_it_wait()
        self.drain()
        os.write(self.own, keys.encode())

    def close(self):
        """Close the window."""
        if self.own is not None:
            os.close(self.own)
            self.own = None

    def ended(self):
        """Wait for the end and return the exit code."""
        return self.process.wait(300)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.other)
        self.close()
