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

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """Runs ``ofakind`` in a pseudo-terminal; use it with ``with``."""

    def __init__(self, *arguments, columns=80, lines=24, environment=None):
        self.own, self.other = pty.openpty()
        self.resize(columns, lines)
        self.before = termios.tcgetattr(self.other)
        self.raw = ""

        def take_terminal():
            fcntl.ioctl(self.other, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            [sys.executable, "-m", "ofakind", *map(str, arguments)],
            stdin=self.other,
            stdout=self.other,
            stderr=self.other,
            start_new_session=True,
            preexec_fn=take_terminal,  # noqa: PLW1509
            env={**os.environ, "TERM": "xterm", **(environment or {})},
        )

    def resize(self, columns, lines):
        """Change the size, as dragging a window does."""
        fcntl.ioctl(self.own, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def until(self, text, seconds=120):
        """Read until a text is there after all that was read before, and return what was read."""
        found, end = "", time.monotonic() + seconds
        while text not in ESCAPES.sub("", found):
            ready, _, _ = select.select([self.own], [], [], max(end - time.monotonic(), 0))
            if not ready:
                raise TimeoutError(f"no {text!r} within {seconds} s; got {found!r}")
            try:
                got = os.read(self.own, 65536)
            except OSError:
                got = b""
            if not got:
                raise EOFError(f"no {text!r}; got {found!r}")
            found += got.decode()
        self.raw += found
        return ESCAPES.sub("", found)

    def press(self, keys):
        """Press keys, after as long as anybody takes to read."""
        time.sleep(0.2)
        os.write(self.own, keys.encode())

    def close(self):
        """Close the window."""
        if self.own is not None:
            os.close(self.own)
            self.own = None

    def ended(self):
        """Wait for the end and return the exit code."""
        return self.process.wait(60)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.other)
        self.close()
