"""What comes out of a project, as tables: groups, answers, pairs, links, golden records, labels for others.

A table is a dictionary of columns, all of the same length; ids and contents are as they came in.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Protocol

import numpy as np

from ofakind.arrays import Ints
from ofakind.checks import one_of, real_number, whole_number
from ofakind.engine.learner import ActiveClustering
from ofakind.errors import TooLargeError
from ofakind.pairs import count_pairs
from ofakind.posterior.base import abilities_of
from ofakind.priors.base import sorted_pairs
from ofakind.project.describe import GroupDescription
from ofakind.project.doubtful import DoubtfulPair
from ofakind.project.evidence import GivenAnswer
from ofakind.project.fields import Content, ObjectId, Pair

TableColumns = dict[str, list[Any]]


class Link(NamedTuple):
    """What is known of a pair, from -1 (different) to 1 (the same): by a "pin", or by "answers"."""

    left_id: ObjectId
    right_id: ObjectId
    value: float
    source: str


class KnownPair(NamedTuple):
    """Two objects, P(same), and whether they are in one group."""

    left_id: ObjectId
    right_id: ObjectId
    probability: float
    together: bool


class JudgedPair(NamedTuple):
    """What a judge says of two objects, from -1 to 1; ``swapped`` is its score in the other order, if any."""

    left_id: ObjectId
    right_id: ObjectId
    judge: str
    score: float | None
    swapped: float | None


MOST_PAIRS = 5_000_000  # of a table


class ProjectResults(Protocol):
    """What tables are made of: see `Project`."""

    @property
    def ids(self) -> tuple[ObjectId, ...]: ...  # noqa: D102
    @property
    def columns(self) -> dict[str, tuple[Content, ...]]: ...  # noqa: D102
    @property
    def answers(self) -> list[GivenAnswer]: ...  # noqa: D102

    def labels(self) -> dict[ObjectId, int]: ...  # noqa: D102
    def confidence(self) -> dict[ObjectId, float] | None: ...  # noqa: D102
    def describe(self) -> list[GroupDescription]: ...  # noqa: D102
    def doubtful(self, limit: int = 100) -> list[DoubtfulPair]: ...  # noqa: D102
    def pairs(self) -> list[KnownPair]: ...  # noqa: D102
    def links(self) -> list[Link]: ...  # noqa: D102
    def judged(self) -> list[JudgedPair]: ...  # noqa: D102
    def contents(self, id: ObjectId) -> dict[str, Content]: ...  # noqa: A002, D102


@dataclass(frozen=True, slots=True)
class ResultOptions:
    """What goes into a table: the objects' own ``columns``, pairs from ``least`` on, at most ``limit``."""

    columns: bool = False
    least: float = 0.0
    limit: int = 100

    def __post_init__(self) -> None:
        real_number("least", self.least, least=0, most=1)
        whole_number("limit", self.limit, least=1)


def table_of(project: ProjectResults, what: str, options: ResultOptions) -> TableColumns:
    """Return one of the tables of a project; `RESULTS` has their names."""
    one_of("what", what, *RESULTS)
    return RESULTS[what](project, options)


def as_frame(columns: TableColumns, package: Any) -> Any:
    """Return a table as a data frame of a package or, if there is none or it is missing, as dictionaries."""
    import narwhals as nw

    if package is not None:
        try:
            return nw.from_dict(columns, backend=package).to_native()
        except (ImportError, ValueError, TypeError):  # not here, or not one that makes frames of this
            pass
    return as_rows(columns)


def as_rows(columns: TableColumns) -> list[dict[str, Any]]:
    """Return a table as dictionaries, row by row.

    >>> as_rows({"id": ["a", "b"], "group": [0, 1]})
    [{'id': 'a', 'group': 0}, {'id': 'b', 'group': 1}]
    """
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


# -- the tables --------------------------------------------------------------------------------------------


def groups_table(project: ProjectResults, options: ResultOptions) -> TableColumns:
    """Each object's group, its name, and how sure it is that the object belongs there."""
    names = {one.group: one.name for one in project.describe()}
    labels, sure = project.labels(), project.confidence()
    found: TableColumns = {
        "id": list(labels),
        "group": list(labels.values()),
        "group_name": [names[group] for group in labels.values()],
        "confidence": [None if sure is None else round(sure[one], 4) for one in labels],
    }
    return found | (_own_columns(project, found) if options.columns else {})


def golden_table(project: ProjectResults, _: ResultOptions) -> TableColumns:
    """One record for each group: the most frequent value of each column, of equally frequent the first."""
    groups = project.describe()
    found: TableColumns = {
        "group": [one.group for one in groups],
        "group_name": [one.name for one in groups],
        "size": [len(one) for one in groups],
    }
    rows = {one: number for number, one in enumerate(project.ids)}
    for name, column in project.columns.items():
        members = (
            [column[rows[one]] for one in sorted(each.members, key=rows.__getitem__)] for each in groups
        )
        found[_free(name, found)] = [most_frequent(values) for values in members]
    return found


def answers_table(project: ProjectResults, _: ResultOptions) -> TableColumns:
    """All answers in order, those that were taken back among them, and whether the groups go with them."""
    labels, given = project.labels(), project.answers
    found: TableColumns = {
        part.name: [getattr(one, part.name) for one in given] for part in fields(GivenAnswer)
    }
    return found | {"together": [labels[one.left_id] == labels[one.right_id] for one in given]}


def doubtful_table(project: ProjectResults, options: ResultOptions) -> TableColumns:
    """Pairs to check by hand, those that matter most first."""
    pairs = project.doubtful(options.limit)
    names = ("left_id", "right_id", "probability", "together", "at_stake")
    return {name: [_short(getattr(one, name)) for one in pairs] for name in names}


def pairs_table(project: ProjectResults, options: ResultOptions) -> TableColumns:
    """P(same) of every pair in a group, of those that features name, and of those that were answered."""
    pairs = [one for one in project.pairs() if one.probability >= options.least]
    return {name: [_short(getattr(one, name)) for one in pairs] for name in KnownPair._fields}


def must_link_table(project: ProjectResults, _: ResultOptions) -> TableColumns:
    """Pairs that are of a kind: pinned so, or by what answers in force say on average."""
    return _linked(one for one in project.links() if one.value > 0)


def cannot_link_table(project: ProjectResults, _: ResultOptions) -> TableColumns:
    """Pairs that are not of a kind: pinned so, or by what answers in force say on average."""
    return _linked(one for one in project.links() if one.value < 0)


def _linked(links: Iterable[Link]) -> TableColumns:
    pairs = [(one.left_id, one.right_id) for one in links]
    return {"left_id": [left for left, _ in pairs], "right_id": [right for _, right in pairs]}


def judged_table(project: ProjectResults, _: ResultOptions) -> TableColumns:
    """What judges say of pairs, beside the mean of what people say, and whether they are together."""
    labels, pairs = project.labels(), project.judged()
    said = {frozenset(one[:2]): one.value for one in project.links() if one.source == "answers"}
    found: TableColumns = {name: [_short(getattr(one, name)) for one in pairs] for name in JudgedPair._fields}
    people = [said.get(frozenset(one[:2])) for one in pairs]
    return found | {
        "people": [_short(value) for value in people],
        "together": [labels[one.left_id] == labels[one.right_id] for one in pairs],
    }


def splink_table(project: ProjectResults, _: ResultOptions) -> TableColumns:
    """Labels as Splink reads them: pairs with a score from 0 (different) to 1 (the same)."""
    links = project.links()
    return {
        "unique_id_l": [one.left_id for one in links],
        "unique_id_r": [one.right_id for one in links],
        "clerical_match_score": [_short((one.value + 1) / 2) for one in links],
    }


def dedupe_table(project: ProjectResults, _: ResultOptions) -> TableColumns:
    """Labels as dedupe is trained with: two records and whether they match; undecided ones are left out."""
    links = [one for one in project.links() if one.value]
    return {
        "match": [one.value > 0 for one in links],
        "records": [[project.contents(one.left_id), project.contents(one.right_id)] for one in links],
    }


RESULTS: Mapping[str, Callable[[ProjectResults, ResultOptions], TableColumns]] = {
    "groups": groups_table,
    "golden": golden_table,
    "answers": answers_table,
    "doubtful": doubtful_table,
    "pairs": pairs_table,
    "must-link": must_link_table,
    "cannot-link": cannot_link_table,
    "judged": judged_table,
    "splink": splink_table,
    "dedupe": dedupe_table,
}


# -- inside ------------------------------------------------------------------------------------------------


def most_frequent(values: Sequence[Content]) -> Content:
    """Return what stands there most often, of several such the first; what is missing does not count.

    >>> most_frequent([None, "b", "a", "a", ""]), most_frequent([None, None])
    ('a', None)
    """
    there = [(type(one).__name__, one) for one in values if one is not None and one != ""]
    return Counter(there).most_common(1)[0][0][1] if there else None


def pairs_in_question(learner: ActiveClustering, groups: Ints) -> list[Pair]:
    """Return all pairs that are together, that features name, or that were answered; refused if too many."""
    _, group, size = np.unique(groups, return_inverse=True, return_counts=True)
    inside = int((size * (size - 1) // 2).sum())
    if inside > MOST_PAIRS:
        got = f"{inside:,} of {count_pairs(len(groups)):,} pairs are together"
        raise TooLargeError(f"{got}; expected at most {MOST_PAIRS:,}; export the groups instead")
    order, starts = np.argsort(group, kind="stable"), np.cumsum(size) - size
    cells = [order[start : start + many] for start, many in zip(starts, size, strict=True) if many > 1]
    couples = [np.triu_indices(len(cell), 1) for cell in cells]
    known, likely = learner.similarity.pairs(), abilities_of(learner.posterior).likely
    u = [known.u, *(cell[a] for cell, (a, _) in zip(cells, couples, strict=True))]
    v = [known.v, *(cell[b] for cell, (_, b) in zip(cells, couples, strict=True))]
    if likely is not None:
        u, v = [*u, likely[0].u], [*v, likely[0].v]
    return [(int(a), int(b)) for a, b in sorted_pairs(np.concatenate(u), np.concatenate(v), len(groups))]


def _own_columns(project: ProjectResults, taken: TableColumns) -> TableColumns:
    found: TableColumns = {}
    for name, column in project.columns.items():
        found[_free(name, taken | found)] = list(column)[: len(taken["id"])]
    return found


def _free(name: str, taken: TableColumns) -> str:
    """Return a name for a column that none has yet."""
    while name in taken:
        name += "_"
    return name


def _short(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value
