"""What can be seen of a project: objects, answers, groups, people, and the evidence between two objects."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ofakind.project.ahead import AHEAD, Ahead
from ofakind.project.books import Books
from ofakind.project.evidence import (
    GivenAnswer,
    PairEvidence,
    answers_in,
    chain_between,
    prior_probability,
    same_probability,
)
from ofakind.project.fields import Content, ObjectId, Pair
from ofakind.project.model import LiveModel, LookedAt
from ofakind.project.people import Person, agreement, people_of
from ofakind.project.questions import Meant, number_of, pair_of
from ofakind.project.replay import Progress
from ofakind.project.status import ProjectStatus
from ofakind.project.undoing import PastAction, last_action_of


class ProjectView:
    """The side of a `Project` that only looks: nothing here writes an event."""

    def __init__(self, books: Books, model: LiveModel) -> None:
        self._books, self._model = books, model
        self._ahead: Ahead | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return self._books.file.path

    @property
    def ids(self) -> tuple[ObjectId, ...]:
        """Ids of all objects, in the order in which they came."""
        return self._books.run(lambda: tuple(self._books.ledger.ids))

    @property
    def question(self) -> str:
        """What people are asked."""
        created = self._books.ledger.created
        return "" if created is None else created.question

    @property
    def answers(self) -> list[GivenAnswer]:
        """All answers in order, those that were taken back among them."""
        return self._books.run(lambda: answers_in(self._books.ledger))

    @property
    def n_answers(self) -> int:
        """Number of answers in force; unlike `status` it never waits for the learner."""
        return self._books.run(lambda: sum(map(len, self._books.ledger.answered.values())))

    def contents(self, id: ObjectId) -> dict[str, Content]:  # noqa: A002
        """Return what is known of an object, by columns."""
        return self._contents(self._number(id))

    def status(self) -> ProjectStatus:
        """Return where the project stands, with all answers so far.

        While questions are chosen ahead it may be as of some events ago, rather than wait.
        """
        seen, ledger = self._look(), self._books.ledger
        accuracy = seen.accuracy

        def job() -> ProjectStatus:
            by = sorted({one.annotator for one in answers_in(ledger) if one.in_force})
            return ProjectStatus(
                n_objects=len(seen.groups),
                n_answers=seen.n_answers,
                n_clusters=len(set(seen.groups.tolist())),
                expected_wrong_pairs=None if accuracy is None else accuracy.expected_wrong_pairs,
                interval=None if accuracy is None else accuracy.wrong_pairs_interval,
                open_ended=accuracy is not None and accuracy.open_ended,
                people=tuple(by),
                agreement=agreement(ledger),
                n_open=len(ledger.open),
                n_pins=len(ledger.pinned),
                as_of=seen.as_of,
                last=ledger.last,
                notes=(*seen.notes, *self._doubts()),
            )

        return self._books.run(job)

    def labels(self) -> dict[ObjectId, int]:
        """Return the group of each object; a group keeps its number while others come and go."""
        return dict(zip(self.ids, self._look().groups.tolist(), strict=False))

    def groups(self) -> dict[int, list[ObjectId]]:
        """Return the objects of each group."""
        found: dict[int, list[ObjectId]] = {}
        for one, group in self.labels().items():
            found.setdefault(group, []).append(one)
        return found

    def people(self) -> list[Person]:
        """Return everybody who has answered or skipped, with error rates once they mean something."""
        with self._model.lock:
            self._follow()
            pairs = self._books.run(lambda: list(self._books.ledger.answered))
            same = dict(zip(pairs, same_probability(self._model.learner, pairs), strict=True))
            return self._books.run(lambda: people_of(self._books.ledger, same))

    def why(self, left: ObjectId, right: ObjectId) -> PairEvidence:
        """Return the evidence between two objects. Print it for some lines."""
        pair, ledger = self._pair((left, right)), self._books.ledger
        with self._model.lock:
            groups = self._look().groups
            (now,) = same_probability(self._model.learner, [pair])
            prior = prior_probability(self._model.learner, pair)

        def job() -> PairEvidence:
            together, pinned = bool(groups[pair[0]] == groups[pair[1]]), ledger.pinned.get(pair)
            given = tuple(one for one in answers_in(ledger, pair) if one.in_force)
            chain, asked = chain_between(ledger, pair), ledger.reasons.get(pair)
            return PairEvidence(left, right, together, now, prior, pinned, given, chain, asked)

        return self._books.run(job)

    def last_action(self, annotator: str | None = None) -> PastAction | None:
        """Return what `undo` would take back next, of anybody or of one ``annotator``; None if nothing."""
        return self._books.run(lambda: last_action_of(self._books.ledger, annotator))

    def __repr__(self) -> str:
        ledger = self._books.ledger
        return (
            f"Project({self.path.name!r}, {len(ledger.ids)} objects, {len(ledger.answered)} pairs answered)"
        )

    def _repr_html_(self) -> str:
        return self.status()._repr_html_()

    # -- inside --------------------------------------------------------------------------------------------

    def _follow(self, progress: Progress | None = None) -> None:
        """Bring the learner up to date."""
        made = self._model.made
        calls, last = self._books.run(lambda: (self._books.ledger.calls[made:], self._books.ledger.last))
        self._model.follow(calls, last, progress)

    def _look(self) -> LookedAt:
        """Return what is believed now; or, while questions are chosen beside, what was believed before."""
        before = None if self._ahead is None else self._model.last_look
        if not self._model.lock.acquire(timeout=-1 if before is None else AHEAD.patience) and before:
            return before
        try:
            self._follow()
            return self._model.look()
        finally:
            self._model.lock.release()

    def _doubts(self) -> Iterator[str]:
        replay = self._model.replay
        if self._ahead is not None and self._ahead.failure is not None:
            yield self._ahead.failure
        if replay.different is not None:
            yield f"since event {replay.different} questions are others than when they were asked"
        for number in replay.graphs.strange:
            event, _ = self._books.ledger.features[number]
            yield f"features are computed a little differently here ({event.digest[:8]})"

    def _contents(self, number: int) -> dict[str, Content]:
        columns = self._books.ledger.columns
        return self._books.run(lambda: {name: column[number] for name, column in columns.items()})

    def _number(self, one: Any) -> int:
        return number_of(self._books.ledger.numbers, one)

    def _pair(self, meant: Meant) -> Pair:
        return pair_of(self._books.ledger.numbers, meant)
