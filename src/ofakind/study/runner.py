"""Running a study: the cells that are not done yet, on one core, on many, or on a Dask cluster."""

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from ofakind.errors import InvalidInputError
from ofakind.pairs import whole_number
from ofakind.study.cell import Result, run_cell
from ofakind.study.manifest import manifest
from ofakind.study.parts import check_parts
from ofakind.study.spec import Cell, Study
from ofakind.study.store import Store


@dataclass(frozen=True, slots=True)
class Finished:
    """A cell that has just been finished: its result is kept, or the reason for its failure is."""

    cell: Cell
    seconds: float
    failure: str | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """What comes back from a worker: a result or the text of an error."""

    index: int
    seconds: float
    result: Result | None
    failure: str | None


def pending(study: Study, store: Store, *, retry: bool = False) -> list[Cell]:
    """Cells to run: neither finished nor, unless ``retry``, failed before; equal ones once."""
    cells = {cell.key: cell for cell in study.cells if not store.has(cell)}
    return [cell for cell in cells.values() if retry or store.failure(cell) is None]


def run_study(
    study: Study, store: Store, *, jobs: int = 1, dask: str | None = None, retry: bool = False
) -> Iterator[Finished]:
    """Run what is not done yet; one item for each cell as it finishes, in whatever order.

    Workers only compute: every file is written here, whole, before the item comes out. So a run may be
    stopped at any time, by Ctrl-C or worse, and run again; only cells under way begin anew. The results do
    not depend on ``jobs`` or on ``dask``, the address of a Dask scheduler, whose workers need ofakind and
    the data.
    """
    whole_number("jobs", jobs, least=1)
    check_parts(study)
    store.prepare()
    return _finish(study, store, pending(study, store, retry=retry), jobs, dask)


def _finish(study: Study, store: Store, cells: list[Cell], jobs: int, dask: str | None) -> Iterator[Finished]:
    for attempt in _attempts(cells, study.folder, jobs, dask):
        cell = cells[attempt.index]
        if attempt.result is not None:
            store.write(cell, attempt.result)
        else:
            store.write_failure(cell, attempt.failure or "")
        yield Finished(cell, attempt.seconds, attempt.failure)


def _attempts(cells: Sequence[Cell], folder: str | None, jobs: int, dask: str | None) -> Iterator[Attempt]:
    """Attempts as they come back: in this process, from joblib's workers, or from a cluster's."""
    if dask is None and (jobs == 1 or len(cells) <= 1):
        yield from (attempt(index, cell, folder) for index, cell in enumerate(cells))
        return
    from joblib import Parallel, delayed

    with _workers(jobs, dask):
        parallel = Parallel(batch_size=1, pre_dispatch="all", return_as="generator_unordered")
        yield from parallel(delayed(attempt)(index, cell, folder) for index, cell in enumerate(cells))


@contextmanager
def _workers(jobs: int, dask: str | None) -> Iterator[None]:
    """Where joblib finds its workers: processes of this machine, or a Dask cluster."""
    from joblib import parallel_config

    if dask is None:
        with parallel_config("loky", n_jobs=jobs):
            yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise InvalidInputError("a Dask cluster needs the dask extra: pip install 'ofakind[dask]'") from error
    try:
        client = Client(dask, timeout="10s", set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"no Dask scheduler answers at {dask}: {error}") from error
    with client, parallel_config("dask", client=client):
        yield


def attempt(index: int, cell: Cell, folder: str | None) -> Attempt:
    """Run one cell; an error becomes a text, so that it stops no other cell."""
    start = perf_counter()
    try:
        rows, seconds, stopped = run_cell(cell, folder)
        result = Result(rows, seconds, stopped, manifest())
    except Exception:  # the outermost loop of a study: whatever it is, it is kept and shown
        return Attempt(index, perf_counter() - start, None, traceback.format_exc())
    return Attempt(index, perf_counter() - start, result, None)
