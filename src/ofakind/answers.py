"""The append-only table of answers; everything else is folded from it."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Ints, read_only, restore_read_only
from ofakind.checks import as_count, first_fault, pair_faults, plain_array
from ofakind.errors import InvalidAnswerError, InvalidInputError
from ofakind.pairs import split_columns


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Answers in order of arrival: objects ``u < v``, a value in [-1, 1] and who said so ("" when unknown).

    A pair may be answered more than once. Build one with `none` and `adding`, which check their input.

    >>> Answers.none(3).adding([(2, 0), (0, 1)], [1, -0.5]).values.tolist()
    [1.0, -0.5]
    """

    n: int
    u: Ints
    v: Ints
    values: NDArray[np.float64]
    annotators: tuple[str, ...] | None = None

    @classmethod
    def none(cls, n: int) -> Self:
        """No answers about n objects."""
        nothing = np.empty(0, np.int64)
        return cls(as_count(n), read_only(nothing), read_only(nothing), read_only(np.empty(0)))

    def adding(self, pairs: ArrayLike, values: ArrayLike, annotator: ArrayLike | None = None) -> Self:
        """Return the table with these answers at its end, all of them or, with an error, none.

        ``annotator`` gave them all; or is a list, an array or a column of a data frame, a name for each.

        Raises:
            InvalidAnswerError: a wrong shape, a value that is not finite or not in [-1, 1], a pair of an
                object with itself or an unknown object; the message names the row.
        """
        u, v, checked = check_answers(self.n, pairs, values)
        return type(self)(
            self.n,
            read_only(np.concatenate([self.u, u])),
            read_only(np.concatenate([self.v, v])),
            read_only(np.concatenate([self.values, checked])),
            self._named(len(u), annotator),
        )

    def first(self, count: int) -> Self:
        """Return the table as it was when it had so many answers."""
        return self._rows(slice(0, count))

    def since(self, count: int) -> Self:
        """Return the answers that came after the first ``count``."""
        return self._rows(slice(count, None))

    def _rows(self, rows: slice) -> Self:
        names = None if self.annotators is None else self.annotators[rows]
        return type(self)(self.n, self.u[rows], self.v[rows], self.values[rows], names)

    def _named(self, count: int, annotator: ArrayLike | None) -> tuple[str, ...] | None:
        if self.annotators is None and annotator is None:
            return None
        names = (annotator or "",) * count if isinstance(annotator, str | None) else _as_names(annotator)
        if len(names) != count:
            got = f"got {len(names)} annotators for {count} answers"
            raise InvalidAnswerError(f"{got}; expected one name, or one for each; nothing was kept")
        return (self.annotators or ("",) * len(self)) + names

    def __len__(self) -> int:
        return len(self.values)

    def __setstate__(self, values: list[Any]) -> None:
        restore_read_only(self, values)


def _as_names(annotators: Any) -> tuple[str, ...]:
    """Return a name for each answer, from a list or a column of them, checked to be text."""
    listed = _listed(annotators)
    if isinstance(listed, list | tuple) and all(isinstance(name, str) for name in listed):
        return tuple(map(str, listed))
    got = f"annotator is {annotators!r:.80}".replace("\n", ", ")
    expected = "a name, or a list, an array or a column that holds a name, as text, for each answer"
    raise InvalidAnswerError(f"{got}; expected {expected}; nothing was kept")


def _listed(column: Any) -> Any:
    """Return an array or a column of a data frame as a list; anything else as it is.

    NumPy and pandas say `tolist`, polars `to_list`, Arrow `to_pylist`; others can be made an array.
    """
    for name in ("tolist", "to_list", "to_pylist"):
        if callable(method := getattr(column, name, None)):
            return method()
    return np.asarray(column).tolist() if hasattr(column, "__array__") else column


def check_answers(n: int, pairs: ArrayLike, values: ArrayLike) -> tuple[Ints, Ints, NDArray[np.float64]]:
    """Endpoints ``u < v`` and float values, or an `InvalidAnswerError` that names the first bad row."""
    try:
        first, second = split_columns(pairs)
        answers = _as_numbers(values)
    except InvalidInputError as error:
        raise InvalidAnswerError(f"{error}; nothing was kept") from error
    if answers.ndim != 1 or len(answers) != len(first):
        shape = f"{answers.shape[0]} answers" if answers.ndim == 1 else f"answers of shape {answers.shape}"
        raise InvalidAnswerError(f"got {shape} for {len(first)} pairs; expected one each; nothing was kept")
    faults = pair_faults(first, second, n) | {
        "an answer that is not a finite number": ~np.isfinite(answers),
        "an answer outside [-1, 1]": np.abs(answers) > 1,
    }
    fault = first_fault(faults)
    if fault is not None:
        row, words = fault
        got = f"pair ({first[row]}, {second[row]}), answer {answers[row]}"
        raise InvalidAnswerError(f"row {row} has {words}: {got}; nothing was kept")
    return np.minimum(first, second), np.maximum(first, second), answers


def _as_numbers(values: ArrayLike) -> NDArray[np.float64]:
    """Float array of answers. Truth values are refused: False would count as 0, which is "undecided"."""
    array = plain_array(values, "answers")
    if array.size and array.dtype.kind not in "iufO":
        meaning = "1 for the same kind, -1 for different kinds, 0 for undecided"
        raise InvalidInputError(f"answers have type {array.dtype}; expected numbers in [-1, 1]: {meaning}")
    try:
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        wrong = next((one for one in array.ravel().tolist() if not isinstance(one, int | float)), "more")
        raise InvalidInputError(f"answers must be numbers in [-1, 1], and hold {wrong!r:.80}") from error
