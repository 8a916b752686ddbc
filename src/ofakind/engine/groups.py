"""Groups that keep their identity: a cluster's number changes with the others, a group's id does not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ofakind.arrays import Ints, read_only
from ofakind.checks import as_objects, whole_number
from ofakind.errors import InvalidInputError


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The id of each object's group, and the first id that was never given away.

    >>> before = Groups.none(6).followed_by(np.array([0, 0, 0, 1, 1, 1]))
    >>> before.ids.tolist()
    [0, 0, 0, 1, 1, 1]
    >>> before.followed_by(np.array([0, 1, 1, 2, 2, 2])).ids.tolist()  # one object has left the first group
    [2, 0, 0, 1, 1, 1]
    """

    ids: Ints  # (n,) and -1 for objects that were in no group yet
    unused: int

    @classmethod
    def none(cls, n: int) -> Self:
        """Return n objects, none of which was in a group yet."""
        return cls(read_only(np.full(n, -1)), 0)

    def followed_by(self, labels: Ints) -> Self:
        """Return the groups of a later clustering, each with the id of the group it shares most objects with.

        Of all couples of an old and a new group, those with most objects in common come first (then the older
        id, then the first label); each id is kept by one group only. Other groups get ids that no group ever
        had, in the order of their labels. O(n log n).
        """
        k, old = int(labels.max(initial=-1)) + 1, self.ids >= 0
        couple, common = np.unique(self.ids[old] * k + labels[old], return_counts=True)
        ids, taken = np.full(k, -1), set[int]()
        for row in np.argsort(-common, kind="stable"):
            group, label = divmod(int(couple[row]), k)
            if ids[label] < 0 and group not in taken:
                ids[label] = group
                taken.add(group)
        new = np.flatnonzero(ids < 0)
        ids[new] = self.unused + np.arange(len(new))
        return type(self)(read_only(ids[labels]), self.unused + len(new))

    def to_entry(self) -> dict[str, Any]:
        """Return them as they stand in a document."""
        return {"ids": self.ids, "unused": self.unused}

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], n: int) -> Self:
        """Read what `to_entry` gave of n objects, checked."""
        ids, unused = as_objects(entry["ids"]), whole_number("unused", entry["unused"], least=0)
        if len(ids) != n or ids.min(initial=-1) < -1 or ids.max(initial=-1) >= unused:
            raise InvalidInputError(f"the groups are not ids below {unused} of {n} objects")
        return cls(read_only(ids), unused)

    def extended(self, more: int) -> Self:
        """Return them with so many more objects, which were in no group yet."""
        return type(self)(read_only(np.append(self.ids, np.full(more, -1))), self.unused)
