"""Running a study: the cells that are not done yet, each result kept as soon as it is there."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass

from ofakind import __version__
from ofakind.checks import whole_number
from ofakind.errors import OfakindError
from ofakind.study.cell import Failure, Result
from ofakind.study.parts import check_parts
from ofakind.study.spec import Cell, Study
from ofakind.study.store import Store
from ofakind.study.workers import Attempts, attempts


@dataclass(frozen=True, slots=True)
class Finished:
    """A cell that has just been finished: its result is kept, or the reason for its failure is."""

    cell: Cell
    seconds: float
    failure: str | None


def pending(study: Study, store: Store, *, retry: bool = False) -> list[Cell]:
    """Cells to run: neither finished nor, unless ``retry``, failed before; equal ones once.

    A cell whose result is damaged is not finished.
    """
    cells = {cell.key: cell for cell in study.cells if not store.has(cell)}
    return [cell for cell in cells.values() if retry or store.failure(cell) is None]


def run_study(
    study: Study, store: Store, *, jobs: int = 1, dask: str | None = None, retry: bool = False
) -> Generator[Finished, None, None]:
    """Run what is not done yet; one item for each cell as it finishes, in whatever order.

    Workers only compute: every file is written here, whole, before the item comes out. So a run may be
    stopped at any time, by Ctrl-C or worse, and run again; only cells under way begin anew. The results do
    not depend on ``jobs`` or on ``dask``, the address of a Dask scheduler, whose workers need ofakind and
    the data. Closing the generator stops the workers.

    Raises:
        InvalidInputError: a part that cannot be made, a folder that cannot be written, no scheduler.
        OfakindError: a process was killed (the memory is often too small), or the cluster was lost.
    """
    whole_number("jobs", jobs, least=1)
    check_parts(study)
    store.prepare()
    cells = pending(study, store, retry=retry)
    return _finish(cells, store, attempts(cells, study.folder, jobs=jobs, dask=dask))


def _finish(cells: list[Cell], store: Store, attempted: Attempts) -> Generator[Finished, None, None]:
    with closing(attempted):
        for attempt in attempted:
            cell, outcome = cells[attempt.index], attempt.outcome
            if isinstance(outcome, Failure):
                store.write_failure(cell, outcome)
                yield Finished(cell, attempt.seconds, outcome.reason)
            else:
                _refuse_other_code(cell, outcome)
                store.write(cell, outcome)
                yield Finished(cell, attempt.seconds, None)


def _refuse_other_code(cell: Cell, result: Result) -> None:
    """A worker of a cluster may have another version, whose result must not be kept as one of this code."""
    here = {"ofakind": __version__, "revision": cell.method.revision}
    for name, expected in here.items():
        found = result.manifest[name]
        if found != expected:
            raise OfakindError(f"a worker has {name} {found} and this is {expected}; expected the same")
