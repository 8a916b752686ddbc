"""Waiting that somebody sees: a word on what is being done, where it takes long."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from ofakind.project.project import Project


@dataclass(frozen=True, slots=True)
class WaitingRules:
    """When something is said, chosen by judgement."""

    patience: float = 1.0  # seconds; what takes less needs no word,
    compiling: float = 12.0  # and what takes more is compiling


WAITING_TIMES = WaitingRules()


@contextmanager
def waiting(doing: str) -> Iterator[None]:
    """Say on a terminal what is being done, if it takes a while, and why, if it takes long."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    status = Console(stderr=True).status(doing)
    long = f"{doing} (compiling, once: this takes up to a minute or two, later runs start at once)"
    timers = [
        Timer(WAITING_TIMES.patience, status.start),
        Timer(WAITING_TIMES.compiling, status.update, [long]),
    ]
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
            timer.join()  # one that has just begun must not show anything later
        with suppress(OSError):
            status.stop()


def open_to_answer(path: Path, *, on_network: bool = False) -> Project:
    """Open a project with questions chosen ahead."""
    from ofakind.project.opening import open_project

    with waiting("opening the project and choosing the first questions"):
        return open_project(path, ahead=True, on_network=on_network)
