"""Where cells are run: in this process, in several on this machine, or on a Dask cluster.

All three call `attempt`, and give what it returns as it comes back. Closing the generator stops the work.
"""

import logging
import os
import re
import signal
import traceback
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock, Thread, current_thread, main_thread
from time import perf_counter, sleep
from typing import Any

from ofakind.errors import InvalidInputError, OfakindError
from ofakind.parallel import closed_quietly
from ofakind.study.cell import Failure, Result, run_cell
from ofakind.study.manifest import manifest
from ofakind.study.spec import Cell

ADDRESS = re.compile(r"((tcp|tls|ws|wss)://)?[^\s/]+:\d+")

# A limit on threads holds for a whole process, so one that runs several threads takes one cell at a time.
ONE_AT_A_TIME = Lock()


@dataclass(frozen=True, slots=True)
class WorkerRules:
    """How long workers are waited for and how often looked after; chosen by judgement."""

    wait: float = 10  # seconds, for a scheduler and its first worker
    watch_every: float = 0.5  # seconds between two looks of a process whether its parent is still there


WORKERS = WorkerRules()


@dataclass(frozen=True, slots=True)
class Attempt:
    """What comes of a cell: its place in the list, the seconds that it took, and a result or why not."""

    index: int
    seconds: float
    outcome: Result | Failure


Attempts = Generator[Attempt, None, None]


def attempt(index: int, cell: Cell, folder: str | None) -> Attempt:
    """Run one cell; an error becomes a text, so that it stops no other cell."""
    with ONE_AT_A_TIME:
        start = perf_counter()
        try:
            rows, seconds, stopped = run_cell(cell, folder)
            origin = {"revision": cell.method.revision, **manifest()}
            outcome: Result | Failure = Result(rows, seconds, stopped, origin)
        except Exception as error:  # the outermost loop of a study: whatever it is, it is kept and shown
            outcome = Failure(_reason(error), traceback.format_exc())
        return Attempt(index, perf_counter() - start, outcome)


def _reason(error: BaseException) -> str:
    """Say in one line what went wrong; our own errors need no name."""
    message = " ".join(str(error).split())
    if isinstance(error, OfakindError):
        return message
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def attempts(cells: Sequence[Cell], folder: str | None, *, jobs: int, dask: str | None) -> Attempts:
    """Attempts as they come back, in whatever order."""
    if dask is not None and cells:
        return _on_cluster(cells, folder, dask)
    if jobs > 1 and len(cells) > 1:
        return _on_processes(cells, folder, jobs)
    return (attempt(index, cell, folder) for index, cell in enumerate(cells))


# -- processes ---------------------------------------------------------------------------------------------


def _on_processes(cells: Sequence[Cell], folder: str | None, jobs: int) -> Attempts:
    from concurrent.futures.process import BrokenProcessPool

    from joblib import Parallel, delayed

    parent = os.getpid()
    calls = (delayed(_attempt_for)(parent, index, cell, folder) for index, cell in enumerate(cells))
    # No call waits in joblib's own queue: what is stopped there is stopped with noise.
    parallel = Parallel(jobs, "loky", batch_size=1, pre_dispatch="n_jobs", return_as="generator_unordered")

    @_without_interrupts()
    def start() -> Attempts:
        found: Attempts = parallel(calls)
        return found

    try:
        yield from closed_quietly(start)
    except BrokenProcessPool as error:
        raise OfakindError(
            "a process was killed from outside, perhaps because the memory was full; what is done is kept: "
            "run the study again, with fewer jobs"
        ) from error


def _attempt_for(parent: int, index: int, cell: Cell, folder: str | None) -> Attempt:
    _end_with(parent)
    return attempt(index, cell, folder)


@lru_cache(maxsize=1)
def _end_with(parent: int) -> None:
    """Let this process end with its parent and not before, even if the parent is killed and cannot tell."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(WORKERS.watch_every)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":  # elsewhere a process keeps the number of a parent that is gone
        Thread(target=watch, daemon=True).start()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes started here ignore Ctrl-C, which a terminal sends to all: it is for their parent to obey.

    The parent is deaf to it for this moment, too. Blocking the signal would be kinder, but the helpers that
    Python starts along with the processes let it through again.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# -- a cluster ---------------------------------------------------------------------------------------------


def _on_cluster(cells: Sequence[Cell], folder: str | None, address: str) -> Attempts:
    """What a lost worker had under way is run by another; a cell that loses several fails."""
    try:
        from distributed import as_completed
    except ImportError as error:
        raise InvalidInputError("a Dask cluster needs the dask extra: pip install 'ofakind[dask]'") from error
    with _quiet(), _told_when_lost(address), _client(address) as client:
        calls = range(len(cells)), cells, [folder] * len(cells)
        futures = client.map(attempt, *calls, pure=False)
        places = {future.key: index for index, future in enumerate(futures)}
        for future in as_completed(futures, loop=client.loop):  # type: ignore[no-untyped-call]
            yield _fetched(future, places[future.key])


def _fetched(future: Any, index: int) -> Attempt:
    lost = future.exception()
    found: Attempt = future.result() if lost is None else Attempt(index, 0.0, Failure(_reason(lost), ""))
    return found


@contextmanager
def _told_when_lost(address: str) -> Iterator[None]:
    """Say in one line that the scheduler is gone. A run keeps its own errors, so none of these is a run's.

    Which error comes depends on the moment: the connection breaks under a request, or has broken before and
    what was to come is cancelled, or the client has given up already.
    """
    from distributed import CancelledError
    from distributed.client import ClosedClientError

    try:
        yield
    except (OSError, CancelledError, ClosedClientError) as error:
        raise OfakindError(
            f"the Dask scheduler at {address} was lost; what is done is kept: run the study again"
        ) from error


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """Connect to a scheduler that has workers."""
    from distributed import Client

    if not ADDRESS.fullmatch(address):
        raise InvalidInputError(f"the address of the scheduler is {address!r}; expected tcp://host:8786")
    try:
        client = Client(address, timeout=WORKERS.wait, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=WORKERS.wait)
        except TimeoutError as error:
            hint = f"start some: dask worker {address} --nthreads 1"
            raise InvalidInputError(f"the scheduler at {address} has no workers; {hint}") from error
        yield client


@contextmanager
def _quiet() -> Iterator[None]:
    """Let Dask say nothing of connections that end: what matters is raised."""
    names = ("distributed", "distributed.client", "tornado", "tornado.application")
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
