"""Compiling for the first time, on two cores."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import DEVNULL, Popen


@contextmanager
def while_compiling(code: str) -> Iterator[None]:
    """Let another process run some code as soon as anything is compiled inside, and wait for its end.

    What it compiles is then read from disk here. If it fails, or cannot keep what it compiled, that is
    compiled here later.
    """
    from numba.core import event

    started: list[Popen[bytes]] = []

    class Start(event.Listener):
        def on_start(self, _: object) -> None:
            if not started:
                started.append(_start(code))

        def on_end(self, _: object) -> None:
            """Nothing is to be done."""

    try:
        with event.install_listener("numba:compile", Start()):
            yield
        for process in started:
            process.wait()
    finally:
        for process in started:
            process.kill()
            process.wait()


def _start(code: str) -> Popen[bytes]:
    """Run Python code silently, in a session of its own, where Ctrl-C does not reach it."""
    command = [sys.executable, "-c", code]
    return Popen(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True)  # noqa: S603
