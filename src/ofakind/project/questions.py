"""A question as somebody gets it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ofakind.errors import InvalidInputError
from ofakind.project.fields import Content, ObjectId, Pair
from ofakind.project.lookup import find_object


@dataclass(frozen=True, slots=True)
class Question:
    """Are these two of a kind? Its ``key`` belongs to this question to this person alone."""

    key: str
    left_id: ObjectId
    right_id: ObjectId
    annotator: str = ""
    left: Mapping[str, Content] = field(default_factory=dict, repr=False, compare=False)
    right: Mapping[str, Content] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class ScreenQuestion:
    """Which of these others are of a kind with this object? One ``key``, and an answer about each.

    ``object`` and ``others`` are the contents of the objects, by columns.
    """

    key: str
    object_id: ObjectId
    other_ids: tuple[ObjectId, ...]
    annotator: str = ""
    object: Mapping[str, Content] = field(default_factory=dict, repr=False, compare=False)
    others: tuple[Mapping[str, Content], ...] = field(default=(), repr=False, compare=False)


Meant = Question | Sequence[ObjectId]  # a question, or the ids of two objects


MeantScreen = ScreenQuestion | tuple[ObjectId, Sequence[ObjectId]]  # one, or the ids of an object and others


def shares_object(pairs: Sequence[Pair]) -> bool:
    """Whether all of some pairs have an object in common.

    >>> shares_object([(1, 2), (2, 5), (0, 2)]), shares_object([(1, 2), (2, 3), (1, 3)])
    (True, False)
    """
    return bool(set.intersection(*(set(pair) for pair in pairs))) if pairs else False


def number_of(numbers: Mapping[ObjectId, int], one: Any) -> int:
    """Return the number of an object by its id, which may come out of an array, a data frame or a text."""
    number = find_object(numbers, one)
    if number is None:
        raise InvalidInputError(f"{one!r:.60} is no object of the project; expected one of its ids")
    return number


def pair_of(numbers: Mapping[ObjectId, int], meant: Any) -> Pair:
    """Return the numbers of two objects, the smaller one first.

    >>> pair_of({"a": 0, "b": 1}, ("b", "a"))
    (0, 1)
    """
    ids = (meant.left_id, meant.right_id) if isinstance(meant, Question) else meant
    listed = isinstance(ids, Sequence) or (isinstance(ids, np.ndarray) and ids.ndim == 1)
    if isinstance(ids, str) or not listed or len(ids) != 2:
        raise InvalidInputError(f"got {meant!r:.80}; expected a question, or the ids of two objects")
    u, v = (number_of(numbers, one) for one in ids)
    if u == v:
        raise InvalidInputError(f"{ids[0]!r:.60} is paired with itself; expected two objects")
    return min(u, v), max(u, v)
