"""Results on disk: one file for each finished cell, written once and whole."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from ofakind.errors import InvalidInputError
from ofakind.files import prepare_folder, write_whole
from ofakind.study.cell import Failure, Result
from ofakind.study.curves import MEASURES, Curve, Estimates, Forecasts
from ofakind.study.spec import Cell, nameless


class Store:
    """A folder of results that any number of studies share: equal cells are run once.

    ``KEY.jsonl`` holds the cell and then its rounds, and is the same on every machine with the same libraries
    and however many workers there are. ``KEY.run.json`` holds what is not: versions, machine, times. The
    first is written last, so it stands for a finished cell; ``KEY.failed.json`` for one that failed.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def prepare(self) -> None:
        """Create the folder, and make sure that results can be written before any is computed."""
        prepare_folder(self.folder)

    def write(self, cell: Cell, result: Result) -> None:
        """Keep the result of a finished cell."""
        head = {"cell": cell.content(), "stopped": result.stopped, "rounds": len(result.rows)}
        lines = [json.dumps(line, sort_keys=True) for line in (head, *result.rows)]
        run = {**result.manifest, "seconds": result.seconds}
        write_whole(self._file(cell, "run.json"), json.dumps(run, indent=1).encode())
        write_whole(self._file(cell, "jsonl"), ("\n".join(lines) + "\n").encode())
        self._file(cell, "failed.json").unlink(missing_ok=True)

    def write_failure(self, cell: Cell, failure: Failure) -> None:
        """Keep why a cell failed."""
        content = {"cell": cell.content(), **asdict(failure)}
        write_whole(self._file(cell, "failed.json"), json.dumps(content, indent=1).encode())

    def failure(self, cell: Cell) -> str | None:
        """Why the cell failed, in one line, or None if it did not fail, has a result or nobody can tell."""
        if self.kept(cell) or self.damage(cell) is not None:
            return None
        return self._reason(cell)

    def has(self, cell: Cell) -> bool:
        """Whether the cell is finished, and its result can be read."""
        return self.kept(cell) and self.damage(cell) is None

    def kept(self, cell: Cell) -> bool:
        """Whether there is a file for the result of the cell, be it damaged."""
        return self._file(cell, "jsonl").exists()

    def damage(self, cell: Cell) -> str | None:
        """Say which file of the cell cannot be read and why; None if all can, or there are none.

        The cell counts as not run: its files are written again when it is.
        """
        try:
            if self.kept(cell):
                self.curve(cell)
            else:
                self._reason(cell)
        except InvalidInputError as error:
            return str(error)
        return None

    def curve(self, cell: Cell) -> Curve:
        """Read a finished cell.

        Raises:
            InvalidInputError: the file is damaged; the message names it.
        """
        file = self._file(cell, "jsonl")
        try:
            head, *rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
            if head["rounds"] != len(rows):
                raise ValueError("rounds are missing")  # noqa: TRY301
            columns = {name: np.array([row[name] for row in rows]) for name in ("answers", "k", *MEASURES)}
            estimates, forecasts, stopped = _estimates(rows), _forecasts(rows), str(head["stopped"])
        except (ValueError, LookupError, TypeError, OSError) as error:
            raise _damaged(file, error) from error
        seconds = self.manifest(cell).get("seconds", [])
        return Curve(
            dataset=cell.data.title,
            oracle=cell.oracle.title,
            noise=cell.oracle.level,
            method=cell.method.name,
            seed=cell.seed,
            **columns,
            seconds=np.array(seconds),
            stopped=stopped,
            estimates=estimates,
            forecasts=forecasts,
        )

    def manifest(self, cell: Cell) -> dict[str, Any]:
        """Return versions, machine, commit and times of the run behind a finished cell."""
        file = self._file(cell, "run.json")
        try:
            return dict(json.loads(file.read_bytes()))
        except (ValueError, TypeError, OSError) as error:
            raise _damaged(file, error) from error

    def manifests(self, cells: Iterable[Cell]) -> dict[str, list[str]]:
        """Return what the finished cells were run with: every value that occurs, for each entry."""
        found: dict[str, set[str]] = {}
        for cell in filter(self.has, cells):
            for name, value in self.manifest(cell).items():
                if name not in ("seconds", "finished"):
                    found.setdefault(name, set()).add(str(value))
        return {name: sorted(values) for name, values in found.items()}

    def count_older(self, cells: Iterable[Cell]) -> int:
        """Count results of these cells that were found by other code: another revision, or version."""
        keys = {_canonical(cell.content()): cell.key for cell in cells}
        files = {file.stem: _head(file) for file in self.folder.glob("*.jsonl")}
        return sum(keys.get(content, key) != key for key, content in files.items())

    def _reason(self, cell: Cell) -> str | None:
        """Read why the cell failed, if it did."""
        file = self._file(cell, "failed.json")
        if not file.exists():
            return None
        try:
            return str(json.loads(file.read_bytes())["reason"])
        except (ValueError, LookupError, TypeError, OSError) as error:
            raise _damaged(file, error) from error

    def _file(self, cell: Cell, ending: str) -> Path:
        return self.folder / f"{cell.key}.{ending}"


def _estimates(rows: list[dict[str, float]]) -> Estimates | None:
    """Return the columns that only methods with samples have."""
    names = [field.name for field in fields(Estimates)]
    if not rows or "expected_wrong_pairs" not in rows[0]:
        return None
    full = [{"open_ended": 0.0} | row for row in rows]  # older results say nothing of it
    return Estimates(*(np.array([row[name] for row in full], np.float64) for name in names))


def _forecasts(rows: list[dict[str, float]]) -> Forecasts | None:
    """Return the columns that only random problems have."""
    names = [field.name for field in fields(Forecasts)]
    if not rows or names[0] not in rows[0]:
        return None
    return Forecasts(*(np.array([row[name] for row in rows], np.float64) for name in names))


def _canonical(content: Mapping[str, Any]) -> str:
    """Return the content of a cell as a text that is equal for equal ones."""
    return json.dumps(nameless(content), sort_keys=True)


def _head(file: Path) -> str:
    """Return the cell that a result is of, as `_canonical` has it; "" if the file does not say."""
    try:
        with file.open(encoding="utf-8") as lines:
            return _canonical(json.loads(next(lines))["cell"])
    except (ValueError, LookupError, TypeError, AttributeError, OSError, StopIteration):
        return ""


def _damaged(file: Path, error: Exception) -> InvalidInputError:
    return InvalidInputError(f"{file} is damaged ({error}); run the study again, which replaces it")
