"""Independent parts of a computation on several cores; what comes out does not depend on how many."""

import os
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import starmap
from typing import Any, TypeVar

import numpy as np

from ofakind.arrays import read_only
from ofakind.interrupts import uninterrupted
from ofakind.progress import progressed

T = TypeVar("T")
Call = tuple[Any, ...]
AT_ONCE = 2  # calls for each core, after which it is said how far it is


def run_each(function: Callable[..., T], calls: Iterable[Call], n_jobs: int | None = None) -> Iterator[T]:
    """Give ``function(*call)`` for each of the calls, in their order, with joblib's meaning of ``n_jobs``.

    None is one job, or what a surrounding ``joblib.parallel_config`` says; -1 is all cores. Jobs are threads,
    for our kernels let go of Python's lock, unless that ``parallel_config`` names another backend, such as
    "loky" (processes) or "dask" (a cluster). So the function must be importable by its name and must change
    nothing that it is given: what it has to say, it returns. Arrays among its arguments cannot be written to.
    Randomness is given to each call, as a generator of its own. The calls are taken in this thread.

    >>> list(run_each(divmod, [(7, 2), (9, 4)], n_jobs=2))
    [(3, 1), (2, 1)]
    """
    if n_jobs in (None, 1) and "joblib" not in sys.modules:  # then no parallel_config can be in force
        return starmap(function, _all_fixed(calls))
    return _run_all(function, calls, n_jobs)


def run_on_all_cores(function: Callable[..., T], calls: Sequence[Call], n_jobs: int | None = None) -> list[T]:
    """Do as `run_each` does, but where nobody says how many jobs, on all `cores`, in threads that stay.

    For work of some milliseconds a call, for which starting joblib would take too long.

    >>> run_on_all_cores(divmod, [(7, 2), (9, 4)])
    [(3, 1), (2, 1)]
    """
    jobs = min(cores(), len(calls))
    if n_jobs is not None or jobs <= 1 or _is_configured():
        return list(run_each(function, calls, n_jobs))
    fixed = [_fixed(call) for call in calls]
    futures = uninterrupted(lambda: [_threads(os.getpid()).submit(function, *call) for call in fixed])
    return [future.result() for future in futures]


def run_watched(function: Callable[..., T], calls: Sequence[Call], doing: str) -> list[T]:
    """Do as `run_on_all_cores` does, and say from time to time how far it is; ``doing`` is what it is called.

    >>> run_watched(divmod, [(7, 2), (9, 4)], "dividing")
    [(3, 1), (2, 1)]
    """
    found: list[T] = []
    step = AT_ONCE * cores()
    for begin in range(0, len(calls), step):
        progressed(doing, begin, len(calls))
        found += run_on_all_cores(function, calls[begin : begin + step])
    return found


def cores() -> int:
    """Count the cores that this process may use: no more than OMP_NUM_THREADS says, if it is set.

    So do NumPy's libraries; and joblib and Dask set it for their workers, which share the cores.
    """
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(usable, int(limit))) if limit.isdecimal() else usable


@cache
def _threads(process: int) -> ThreadPoolExecutor:  # noqa: ARG001 - a fork has none of its parent's threads
    return ThreadPoolExecutor(cores(), thread_name_prefix="ofakind")


def _is_configured() -> bool:
    """Whether a surrounding ``joblib.parallel_config`` says where to run, or how many jobs."""
    if "joblib" not in sys.modules:
        return False
    from joblib.parallel import DEFAULT_BACKEND, get_active_backend

    backend, jobs = get_active_backend()
    return jobs is not None or type(backend).__name__.lower() != f"{DEFAULT_BACKEND}backend"


def _run(function: Callable[..., T], *call: Any) -> T:
    """Call the function; to the kernels in it, arrays look the same in whatever process this is.

    What a process is sent can be written to, or is not aligned. For every such mixture a kernel would be
    compiled again, which takes longer than to run it.
    """
    return function(*_fixed(call))


def _fixed(call: Call) -> Call:
    """Make arrays among the arguments aligned, and such that they cannot be written to."""
    return tuple(
        read_only(np.require(part, requirements="A"))
        if isinstance(part, np.ndarray) and (part.flags.writeable or not part.flags.aligned)
        else part
        for part in call
    )


def _all_fixed(calls: Iterable[Call]) -> Iterable[Call]:
    """Prepare the calls: a list at once, others one after another, since they may take much memory."""
    return [_fixed(call) for call in calls] if isinstance(calls, list) else map(_fixed, calls)


def _run_all(function: Callable[..., T], calls: Iterable[Call], n_jobs: int | None) -> Iterator[T]:
    from joblib import Parallel, delayed, effective_n_jobs

    # Where threads are preferred and no backend is named, joblib forgets the n_jobs of a parallel_config.
    jobs = effective_n_jobs(n_jobs)
    if jobs > 1:  # a thread for which there is no work would be started all the same
        calls = list(calls)
        jobs = min(jobs, max(len(calls), 1))
    # Arrays are sent, not shared as files on a disk that may be full.
    parallel = Parallel(jobs, prefer="threads", pre_dispatch="all", max_nbytes=None, return_as="generator")
    yield from closed_quietly(lambda: parallel(delayed(_run)(function, *call) for call in calls))


def closed_quietly(start: Callable[[], Generator[T, Any, Any]]) -> Iterator[T]:
    """Give what joblib finds once its work is started, and stop that at the end, however it comes.

    After an error or Ctrl-C joblib warns that work was lost, which is no news to anybody then. Ctrl-C waits
    until all is started: threads that half are would end in an error of another kind.
    """
    started: list[Generator[T, Any, Any]] = []
    try:
        uninterrupted(lambda: started.append(start()))
        # Not "yield from", which would close it by itself, and not quietly.
        for one in started[0]:  # noqa: UP028
            yield one
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for found in started:
                found.close()
