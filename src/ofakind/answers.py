"""The append-only table of answers; everything else is folded from it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats, Ints
from ofakind.checks import as_count, as_objects, first_fault, pair_faults, plain_array
from ofakind.columns import Columns
from ofakind.errors import InvalidAnswerError, InvalidInputError
from ofakind.pairs import Pairs, PairSet, split_columns

ANSWER_COLUMNS = ("u", "v", "values", "who", "asked")  # what is kept of each answer


class Names:
    """Names in order of their first use, which is their number; the first is "". All tables may share them.

    >>> names = Names()
    >>> names.numbers(["Ben", "", "Ada", "Ben"]).tolist(), names.known()
    ([1, 0, 2, 1], ('', 'Ben', 'Ada'))
    """

    __slots__ = ("_lock", "_numbers")

    def __init__(self, known: Sequence[str] = ("",)) -> None:
        self._numbers = {name: number for number, name in enumerate(known)}
        self._lock = Lock()

    def known(self) -> tuple[str, ...]:
        """Return all names so far, by their numbers."""
        with self._lock:
            return tuple(self._numbers)

    def numbers(self, names: Sequence[str]) -> NDArray[np.int32]:
        """Return the number of each name; a new one gets the next."""
        new = [name for name in dict.fromkeys(names) if name not in self._numbers]
        if new:
            with self._lock:
                for name in new:
                    self._numbers.setdefault(name, len(self._numbers))
        return np.fromiter(map(self._numbers.__getitem__, names), np.int32, len(names))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answers:
    """Answers in order of arrival: objects ``u < v``, a value in [-1, 1] and who said so ("" when unknown).

    A pair may be answered more than once. ``asked`` says which answers were asked for; others were told
    because of what they say. Build one with `none` and `adding`, which check their input. A table never
    changes; those that grow out of one another share their memory while it has room.

    >>> Answers.none(3).adding([(2, 0), (0, 1)], [1, -0.5]).values.tolist()
    [1.0, -0.5]
    """

    n: int
    _columns: Columns  # ANSWER_COLUMNS; these answers are the rows from _begin to _end
    _names: Names
    _begin: int = 0
    _end: int = 0
    _named: bool = False  # whether any annotator was ever named
    u: Ints = field(init=False)  # the smaller object of each pair
    v: Ints = field(init=False)  # the larger object of each pair
    values: Floats = field(init=False)  # 1 the same kind, -1 different kinds, 0 undecided, and all between
    who: NDArray[np.int32] = field(init=False)  # position in `names` of who said so
    asked: NDArray[np.bool_] = field(init=False)  # whether each answer was asked for

    def __post_init__(self) -> None:
        """Look at the rows once: they never change, whoever adds others behind them."""
        for index, name in enumerate(ANSWER_COLUMNS):
            object.__setattr__(self, name, self._columns.rows(index, self._begin, self._end))

    @classmethod
    def none(cls, n: int) -> Self:
        """No answers about n objects."""
        types = (np.int64, np.int64, np.float64, np.int32, np.bool_)
        return cls(as_count(n), Columns(*(np.empty(0, kind) for kind in types)), Names())

    def adding(
        self,
        pairs: ArrayLike,
        values: ArrayLike,
        annotator: ArrayLike | None = None,
        *,
        asked: PairSet | Pairs | ArrayLike = True,
    ) -> Self:
        """Return the table with these answers at its end, all of them or, with an error, none.

        ``annotator`` gave them all; or is a list, an array or a column of a data frame, a name for each.
        ``asked`` says whether they were asked for, all or each; or holds the pairs that were.
        Takes time in proportion to the new answers, unless others were added to this same table before.

        Raises:
            InvalidAnswerError: a wrong shape, a value that is not finite or not in [-1, 1], a pair of an
                object with itself or an unknown object; the message names the row.
        """
        u, v, checked = check_answers(self.n, pairs, values)
        wanted = _wanted(u, v, asked)
        who = self._numbered(len(u), annotator)
        columns = self._columns.adding(self._end, (u, v, checked, who, wanted))
        named = self._named or annotator is not None
        return type(self)(self.n, columns, self._names, self._begin, self._end + len(u), named)

    def first(self, count: int) -> Self:
        """Return the table as it was when it had so many answers."""
        return replace(self, _end=self._begin + range(len(self))[:count].stop)

    def since(self, count: int) -> Self:
        """Return the answers that came after the first ``count``."""
        return replace(self, _begin=self._begin + range(len(self))[count:].start)

    def without(self, rows: ArrayLike) -> Self:
        """Return the table without the answers at these positions, or where a mask is true.

        >>> Answers.none(3).adding([(0, 1), (0, 2), (1, 2)], [1, 0, -1]).without([1]).values.tolist()
        [1.0, -1.0]
        """
        keep = ~self.mask(rows)
        columns = Columns(*(getattr(self, name)[keep] for name in ANSWER_COLUMNS))
        return replace(self, _columns=columns, _begin=0, _end=int(keep.sum()))

    def grown(self, n: int) -> Self:
        """Return the same answers about n objects, as many as before or more."""
        if as_count(n) < self.n:
            raise InvalidInputError(f"n is {n}; expected {self.n}, as many objects as before, or more")
        return replace(self, n=as_count(n))

    @property
    def names(self) -> tuple[str, ...]:
        """Names that `who` counts; the first is "", and some may have said nothing here."""
        return self._names.known()

    @property
    def annotators(self) -> tuple[str, ...] | None:
        """The name of who said so, for each answer; None if none was ever given. Listed at every look."""
        return tuple(map(self.names.__getitem__, self.who.tolist())) if self._named else None

    def _numbered(self, count: int, annotator: ArrayLike | None) -> NDArray[np.int32]:
        """Number of who gave each of so many new answers; a single one for all if it is the same for all."""
        if isinstance(annotator, str | None):
            return self._names.numbers((str(annotator or ""),))
        names = _as_names(annotator)
        if len(names) != count:
            got = f"got {len(names)} annotators for {count} answers"
            raise InvalidAnswerError(f"{got}; expected one name, or one for each; nothing was kept")
        return self._names.numbers(names)

    def mask(self, rows: ArrayLike) -> NDArray[np.bool_]:
        """Return where rows stand that are given by their positions or by a mask."""
        given = plain_array(rows, "rows")
        if given.dtype == bool:
            if given.shape != (len(self),):
                raise InvalidInputError(f"the mask has shape {given.shape}; expected ({len(self)},)")
            return given
        at, mask = as_objects(given, "rows"), np.zeros(len(self), np.bool_)
        strange = (at < 0) | (at >= len(self))
        if strange.any():
            raise InvalidInputError(f"rows hold {at[strange][0]}; expected positions below {len(self)}")
        mask[at] = True
        return mask

    def __len__(self) -> int:
        return self._end - self._begin

    def __repr__(self) -> str:
        return f"Answers({len(self)} about {self.n} objects)"

    def __getstate__(self) -> tuple[Any, ...]:
        """Leave out what other tables hold of the same columns and names."""
        used, who = np.unique(np.append(0, self.who), return_inverse=True)
        names = self.names
        columns = (self.u, self.v, self.values, who[1:].astype(np.int32), self.asked)
        return self.n, columns, tuple(names[number] for number in used), self._named

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        n, columns, names, named = state
        self.__init__(n, Columns(*columns), Names(names), 0, len(columns[0]), named)  # type: ignore[misc]


def _wanted(u: Ints, v: Ints, asked: PairSet | Pairs | ArrayLike) -> NDArray[np.bool_]:
    """Whether each of these pairs was asked for; a single truth value if it is the same for all."""
    if isinstance(asked, PairSet | Pairs):
        return (PairSet.of(asked.u, asked.v) if isinstance(asked, Pairs) else asked).holds(u, v)
    mask = plain_array(asked, "asked")
    if mask.shape not in ((), u.shape) or (mask.size and mask.dtype != np.bool_):
        got = f"asked has shape {mask.shape} and type {mask.dtype}"
        raise InvalidAnswerError(
            f"{got}; expected True or False, or one for each of {len(u)}; nothing was kept"
        )
    return mask.astype(np.bool_, copy=False)


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
    low, high = np.minimum(first, second), np.maximum(first, second)
    fits = (low >= 0) & (high < n) & (low < high) & (np.abs(answers) <= 1)  # not for NaN
    if not fits.all():
        raise InvalidAnswerError(f"{_fault(n, first, second, answers)}; nothing was kept")
    return low, high, answers


def _fault(n: int, u: Ints, v: Ints, answers: Floats) -> str:
    """Say what is wrong with the first row that is."""
    faults = pair_faults(u, v, n) | {
        "an answer that is not a finite number": ~np.isfinite(answers),
        "an answer outside [-1, 1]": np.abs(answers) > 1,
    }
    row, words = first_fault(faults) or (0, "a fault")
    return f"row {row} has {words}: pair ({u[row]}, {v[row]}), answer {answers[row]}"


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
