"""What can be seen of a project: objects, answers, groups, people, and the evidence between two objects."""

from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any, TypeVar

from ofakind.arrays import Floats
from ofakind.checks import truth_value, whole_number
from ofakind.errors import noting
from ofakind.posterior.base import abilities_of
from ofakind.project.ahead import AHEAD, Ahead
from ofakind.project.books import Books
from ofakind.project.curve import CurvePoint
from ofakind.project.describe import GroupDescription, Vocabulary, belonging, described, given_names
from ofakind.project.doubtful import DoubtfulPair, doubtful_pairs, wrong_partners_of
from ofakind.project.events import FeaturesUsed
from ofakind.project.evidence import (
    GivenAnswer,
    PairEvidence,
    answer_counts,
    answers_in,
    chain_between,
    prior_probability,
    same_probability,
)
from ofakind.project.fields import Content, ObjectId, Pair
from ofakind.project.history import HistoryDay, history_of
from ofakind.project.judge_savings import Verdict
from ofakind.project.judge_worth import JudgeWorth, judged_pairs, worth_of
from ofakind.project.model import LiveModel, LookedAt
from ofakind.project.people import Person, agreement, overlapping, people_of
from ofakind.project.pictures import picture_bytes
from ofakind.project.plan import QuestionPlan, plan_of
from ofakind.project.prospect import Prospect, prospect
from ofakind.project.questions import Meant, number_of, pair_of
from ofakind.project.replay import Progress
from ofakind.project.results import (
    JudgedPair,
    KnownPair,
    Link,
    ResultOptions,
    as_frame,
    pairs_in_question,
    table_of,
)
from ofakind.project.revised import differences
from ofakind.project.status import ProjectStatus
from ofakind.project.undoing import PastAction, action_under, last_action_of

T = TypeVar("T")


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
    def grades(self) -> bool:
        """Whether people answer in five steps between different and the same."""
        created = self._books.ledger.created
        return created is not None and bool(created.grades)

    @property
    def show(self) -> tuple[str, ...]:
        """The columns that people are shown: those that were chosen, or all."""
        created, columns = self._books.ledger.created, tuple(self._books.ledger.columns)
        return columns if created is None or created.show is None else created.show

    @property
    def id_column(self) -> str | None:
        """What the column of the ids was called, None if there was none."""
        return self._books.ledger.id_column

    @property
    def features_used(self) -> FeaturesUsed | None:
        """What the prior is made from, None if there is none."""
        features = self._books.ledger.features
        return features[0][0] if features else None

    @property
    def answers(self) -> list[GivenAnswer]:
        """All answers in order, those that were taken back among them."""
        return self._books.run(lambda: answers_in(self._books.ledger))

    @property
    def n_answers(self) -> int:
        """Number of answers in force; unlike `status` it never waits for the learner."""
        return self._books.run(lambda: sum(map(len, self._books.ledger.answered.values())))

    def answer_counts(self) -> dict[str, int]:
        """Return how many answers in force everybody has given."""
        return self._books.run(lambda: answer_counts(self._books.ledger))

    @property
    def last_event(self) -> int:
        """The number of the last event."""
        return self._books.run(lambda: self._books.ledger.last)

    def contents(self, id: ObjectId) -> dict[str, Content]:  # noqa: A002
        """Return what is known of an object, by columns."""
        return self._contents(self._number(id))

    def about(self, id: ObjectId) -> dict[str, Content]:  # noqa: A002
        """Return what people are shown of an object as text; of a picture, its file and its size."""
        number = self._number(id)
        contents, known = self._contents(number), self._books.ledger.pictures.get(number)
        if known is not None:
            return {"picture": f"{id} ({known.size:,} bytes; not shown here)"}
        return {name: contents[name] for name in self.show if name in contents}

    def picture(self, id: ObjectId) -> bytes | None:  # noqa: A002
        """Return the bytes of a picture (PNG, JPEG, WebP or GIF), None if the object is none.

        One that was changed since it was added is refused, and so is one that is not there any more.
        """
        known = self._books.ledger.pictures.get(self._number(id))
        return None if known is None else picture_bytes(known, self.path, self._books.file.blob)

    def has_picture(self, id: ObjectId) -> bool:  # noqa: A002
        """Whether an object is a picture."""
        return self._number(id) in self._books.ledger.pictures

    def status(self) -> ProjectStatus:
        """Return where the project stands, with all answers so far.

        While questions are chosen ahead it may be as of some events ago, rather than wait.
        """
        seen, ledger = self._look(), self._books.ledger
        accuracy = seen.accuracy

        def job() -> ProjectStatus:
            by = sorted(name for name, count in ledger.answerers.items() if count)
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
                never_compared=0 if accuracy is None else accuracy.never_compared,
                lacking=seen.lacking,
                n_compared=overlapping(ledger),
                answered_at=ledger.answered_at,
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

    def describe(self) -> list[GroupDescription]:
        """Return all groups with their names, faces and members, and how sure each is; by their numbers."""
        with self._model.lock:
            groups, sure = self._look().groups, self._sureness()
            samples = abilities_of(self._model.learner.posterior).samples
        wrong = None if samples is None else wrong_partners_of(samples.labels, groups)
        ids, columns, named = self._books.run(
            lambda: (list(self._books.ledger.ids), self._books.ledger.columns, self._books.ledger.names)
        )
        words = Vocabulary(columns, len(groups))
        return described(ids, groups, given_names(named, groups), words, sure=sure, wrong=wrong)

    def doubtful(self, limit: int = 100) -> list[DoubtfulPair]:
        """Return pairs to check by hand: nobody knows whether they are of a kind, and most hangs on them."""
        most, ids = whole_number("limit", limit, least=1), list(self.ids)
        with self._model.lock:
            groups = self._look().groups
            return doubtful_pairs(self._model.learner, ids, groups, most)

    def prospect(self, target: float = 0.01, questions: int = 100) -> Prospect:
        """Return how many questions are left to a share of wrong pairs, and what the next ones may bring.

        The share is of the wrong pairs that groups of these sizes would have by chance (1 - ARI).
        """
        with self._model.lock, noting({}):
            seen = self._look()
            learner, early = self._model.learner, seen.lacking > 0
            points = self._model.replay.curve.points
            return prospect(learner, seen.accuracy, points, target=target, questions=questions, early=early)

    def confidence(self) -> dict[ObjectId, float] | None:
        """Return how sure it is that each object belongs to its group; None before anything is believed.

        It is the mean P(same) with the other members or, of one alone, the probability that it is alone.
        """
        with self._model.lock:
            self._look()
            sure = self._sureness()
        return None if sure is None else dict(zip(self.ids, sure.tolist(), strict=False))

    def frame(
        self, what: str = "groups", *, columns: bool = False, least: float = 0.0, limit: int = 100
    ) -> Any:
        """Return results as a data frame of the kind that the objects came in, or as a list of dictionaries.

        ``what`` is groups (with the objects' own ``columns``, if wanted), golden, answers, doubtful (at most
        ``limit``), pairs (with P(same) of at least ``least``), must-link, cannot-link, splink or dedupe.
        """
        truth_value("columns", columns)
        options = ResultOptions(bool(columns), least, limit)
        return as_frame(table_of(self, what, options), self._books.ledger.frame)

    @property
    def columns(self) -> dict[str, tuple[Content, ...]]:
        """What is known of the objects, by columns, in their order."""
        ledger = self._books.ledger
        return self._books.run(lambda: {name: tuple(column) for name, column in ledger.columns.items()})

    def links(self) -> list[Link]:
        """Return what is known of pairs, from -1 to 1: pins, and else the mean of the answers in force."""
        ledger = self._books.ledger

        def job() -> list[Link]:
            pins = {pair: (1.0 if same else -1.0, "pin") for pair, same in ledger.pinned.items()}
            said = {pair: (sum(one.values()) / len(one), "answers") for pair, one in ledger.answered.items()}
            every = sorted({**said, **pins}.items())
            return [Link(ledger.ids[u], ledger.ids[v], mean, source) for (u, v), (mean, source) in every]

        return self._books.run(job)

    def pairs(self) -> list[KnownPair]:
        """Return P(same) of all pairs that are together, that features name or that were answered."""
        with self._model.lock:
            groups, learner = self._look().groups, self._model.learner
            found = pairs_in_question(learner, groups)
            same = same_probability(learner, found)
        ids, rows = self.ids, zip(found, same, strict=True)
        return [KnownPair(ids[u], ids[v], value, bool(groups[u] == groups[v])) for (u, v), value in rows]

    @property
    def curve(self) -> list[CurvePoint]:
        """What was expected of wrong pairs on the way here, as far as it was noted."""
        with self._model.lock:
            self._look()
            return list(self._model.replay.curve.points)

    def history(self) -> list[HistoryDay]:
        """Return what happened, day by day."""
        return self._books.run(lambda: history_of(self._books.ledger))

    def people(self) -> list[Person]:
        """Return everybody who has answered or skipped, with error rates once they mean something."""
        with self._model.lock:
            self._follow()
            pairs = self._books.run(lambda: list(self._books.ledger.answered))
            same = dict(zip(pairs, same_probability(self._model.learner, pairs), strict=True))
            return self._books.run(lambda: people_of(self._books.ledger, same))

    def judges(self) -> list[JudgeWorth]:
        """Return all judges: what they did and cost, how they do against people, what they saved them."""
        ledger = self._books.ledger
        if not self._books.run(lambda: ledger.judges.judges):
            return []
        with self._model.lock:
            self._follow()
            saved = self._model.saved_by_judges()
        used = saved.verdict is not Verdict.NOTHING
        return self._books.run(
            lambda: [worth_of(ledger, one, in_use=used, saved=saved) for one in ledger.judges.judges]
        )

    def judged(self) -> list[JudgedPair]:
        """Return all pairs that judges have looked at, with their scores in both orders."""
        return self._books.run(lambda: judged_pairs(self._books.ledger))

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
            said = ledger.judges.about(pair)
            return PairEvidence(left, right, together, now, prior, pinned, given, chain, asked, said)

        return self._books.run(job)

    def plan(self, target: float = 0.01, *, seconds: float = 5.0) -> QuestionPlan:
        """Return about how many questions it takes in all to a share of wrong pairs (that of `prospect`).

        They are played through, on groups that features allow, for about so many seconds of computing.
        """
        with self._model.lock, noting({}):
            self._follow()
            return plan_of(self._model.learner, target, seconds=seconds)

    def last_action(self, annotator: str | None = None) -> PastAction | None:
        """Return what `undo` would take back next, of anybody or of one ``annotator``; None if nothing."""
        return self._books.run(lambda: last_action_of(self._books.ledger, annotator))

    def action(self, which: int | str) -> PastAction | None:
        """Return something that was done, by the number of its event or by its key; None if there is none."""
        return self._books.run(lambda: action_under(self._books.ledger, which))

    def together(self, job: Callable[[], T]) -> T:
        """Call a function whose calls of this project happen with nothing of anybody else's in between.

        It must be quick, and never wait for the learner: nobody else can read or write meanwhile.
        """
        return self._books.run(job)

    def __repr__(self) -> str:
        ledger = self._books.ledger
        return (
            f"Project({self.path.name!r}, {len(ledger.ids)} objects, {len(ledger.answered)} pairs answered)"
        )

    def _repr_html_(self) -> str:
        head = f"<b>{escape(self.path.name)}</b> · {escape(self.question[:200])}"
        return f"<div>{head}</div>{self.status()._repr_html_()}"

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

    def _sureness(self) -> Floats | None:
        """Return how sure it is that each object belongs to its group; None before anything is believed."""
        samples = abilities_of(self._model.learner.posterior).samples
        return None if samples is None else belonging(samples.labels, self._look().groups)

    def _doubts(self) -> Iterator[str]:
        replay = self._model.replay
        if self._ahead is not None and self._ahead.failure is not None:
            yield self._ahead.failure
        yield from differences(replay)

    def _contents(self, number: int) -> dict[str, Content]:
        columns = self._books.ledger.columns
        return self._books.run(lambda: {name: column[number] for name, column in columns.items()})

    def _number(self, one: Any) -> int:
        return number_of(self._books.ledger.numbers, one)

    def _pair(self, meant: Meant) -> Pair:
        return pair_of(self._books.ledger.numbers, meant)
