"""What a person recognises a group by: its most typical member, its most telling words, how sure it is."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable
from ofakind.project.events import GroupNamed
from ofakind.project.fields import Content, ObjectId

TELLING_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class DescribeRules:
    """How groups are described; by judgement."""

    words: int = 4  # in a name that ofakind gives
    letters: int = 60  # of such a name, at most
    least: float = 0.4  # of the best word's score that another one must have
    read: int = 2_000  # characters of a cell that are read for words
    kept: int = 100  # typical members that a name is kept with


DESCRIBE = DescribeRules()


@dataclass(frozen=True, slots=True)
class GroupDescription:
    """A group: its number, its name, its face (the most typical member) and its members, the face first.

    ``named`` says whether somebody gave the name; else it is made of telling words, or is the face's id.
    ``confidence`` is how sure it is that the members belong together, and a single one alone, None before
    anything is believed; ``wrong_pairs`` how many wrong pairs are expected to have a member in it.
    """

    group: int
    name: str
    named: bool
    face: ObjectId
    members: tuple[ObjectId, ...]
    confidence: float | None
    wrong_pairs: float | None

    def __len__(self) -> int:
        return len(self.members)


def belonging(samples: NDArray[np.int32], groups: Ints) -> Floats:
    """How sure it is that each object belongs to its group: its mean P(same) with the other members.

    Of an object alone, the probability that it is alone. O(samples x n).

    >>> belonging(np.array([[0, 0, 1], [0, 1, 1]], np.int32), np.array([4, 4, 7])).tolist()
    [0.5, 0.5, 0.5]
    """
    _, group = np.unique(groups, return_inverse=True)
    n, size = len(group), np.bincount(group)[group]
    sure = np.zeros(n)
    for sample in samples:
        _, cell, count = np.unique(group * n + sample, return_inverse=True, return_counts=True)
        alone = np.bincount(sample, minlength=n)[sample] == 1
        sure += np.where(size == 1, alone, (count[cell] - 1) / np.maximum(size - 1, 1))
    return np.asarray(sure / max(len(samples), 1), np.float64)


def members_by_group(groups: Ints, sure: Floats | None) -> dict[int, list[int]]:
    """Return the objects of each group, the most typical first, then in their order; groups by number."""
    n = len(groups)
    order = np.arange(n) if sure is None else np.lexsort((np.arange(n), -np.round(sure, 9)))
    found: dict[int, list[int]] = {group: [] for group in np.unique(groups).tolist()}
    for one in order.tolist():
        found[int(groups[one])].append(one)
    return found


# -- names -------------------------------------------------------------------------------------------------


def given_names(named: Sequence[GroupNamed], groups: Ints) -> dict[int, str]:
    """Return the names that people gave, by groups as they are now; later ones win.

    A name goes with the group that holds most of the objects it was given to; of several such, with the one
    that has its number.

    >>> names = [GroupNamed(3, "Diners", (0, 1, 2), "")]
    >>> given_names(names, np.array([5, 3, 5, 3]))
    {5: 'Diners'}
    """
    found: dict[int, str] = {}
    for one in named:
        count = Counter(int(groups[number]) for number in one.objects if number < len(groups))
        if not count:
            continue
        most = max(count.values())
        best = [group for group, number in count.items() if number == most]
        group = one.group if one.group in best else best[0]
        found.pop(group, None)
        if one.name:
            found[group] = one.name
    return found


class Vocabulary:
    """The words of all objects, and how many objects have each."""

    def __init__(self, columns: Mapping[str, Sequence[Content]], n: int) -> None:
        self._texts = [one for one in columns.values() if any(isinstance(cell, str) for cell in one)]
        self._words = [self._words_of(number) for number in range(n)]
        self._everywhere = Counter(word for words in self._words for word in words)

    def name(self, members: Sequence[int]) -> str:
        """Return the most telling words of some objects, as the first of them has them; "" if it has none.

        Telling are words that most of the members have and few others, the more so in an early column.
        """
        own = Counter(word for number in members for word in self._words[number])
        face = self._words[members[0]]
        scores = {word: self._score(word, own[word], len(members)) / (1 + face[word][1]) for word in face}
        plain = {word: score for word, score in scores.items() if not any(map(str.isdigit, word))}
        chosen = plain or scores
        best = sorted(chosen, key=lambda word: -chosen[word])[: DESCRIBE.words]
        told = {word for word in best if chosen[word] >= DESCRIBE.least * chosen[best[0]]}
        return " ".join(face[word][0] for word in face if word in told)[: DESCRIBE.letters].strip()

    def _score(self, word: str, own: int, size: int) -> float:
        """Return how telling a word is that so many of the members have."""
        return own / size * (1 + portable.log(len(self._words) / (1 + self._everywhere[word] - own)))

    def _words_of(self, number: int) -> dict[str, tuple[str, int]]:
        """Return the words of an object in lower case, each as it is written first, and in which column."""
        found: dict[str, tuple[str, int]] = {}
        for place, column in enumerate(self._texts):
            cell = column[number]
            for word in TELLING_WORD.findall(cell[: DESCRIBE.read]) if isinstance(cell, str) else ():
                found.setdefault(word.lower(), (word, place))
        return found


def described(
    ids: Sequence[ObjectId],
    groups: Ints,
    names: Mapping[int, str],
    words: Vocabulary,
    sure: Floats | None,
    wrong: Floats | None,
) -> list[GroupDescription]:
    """Describe all groups, in the order of their numbers; ``wrong`` is each object's wrong pairs."""
    found = []
    for group, members in members_by_group(groups, sure).items():
        face, rows = ids[members[0]], np.array(members)
        description = GroupDescription(
            group=group,
            name=names.get(group) or words.name(members) or str(face)[: DESCRIBE.letters],
            named=group in names,
            face=face,
            members=tuple(ids[one] for one in members),
            confidence=None if sure is None else float(sure[rows].mean()),
            wrong_pairs=None if wrong is None else float(wrong[rows].sum()),
        )
        found.append(description)
    return found


def most_doubtful_first(groups: Sequence[GroupDescription]) -> list[GroupDescription]:
    """Return groups by how many wrong pairs they may have, then by size."""
    return sorted(groups, key=lambda one: (-(one.wrong_pairs or 0.0), -len(one), one.group))
