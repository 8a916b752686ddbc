"""What a learner keeps from call to call; everything else is derived from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import numpy as np

from ofakind.acquire.base import Batch, State
from ofakind.acquire.pool import Pool
from ofakind.answers import Answers
from ofakind.arrays import Ints, Mask, read_only
from ofakind.checks import truth_value
from ofakind.clustering import Clustering
from ofakind.engine import document as documents
from ofakind.engine.groups import Groups
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs, PairSet, count_pairs, rank
from ofakind.pins import Pins
from ofakind.posterior.base import Belief, SequentialBelief
from ofakind.posterior.forest.belief import FeatureBelief
from ofakind.posterior.forest.judged import JudgedBelief, believing
from ofakind.posterior.forest.judged_carried import JudgedReadings
from ofakind.priors.neighbours import Neighbours
from ofakind.similarity import Similarity

HISTORY_COLUMNS = ("n_answers", "n_asked", "k", "cost")  # of the history in a document


@dataclass(frozen=True, slots=True)
class Round:
    """What was known when a round's questions were chosen, and how many there were."""

    round: int
    n_answers: int
    n_asked: int
    k: int
    cost: float


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """What was believed when a question was last chosen, in this ``round``.

    It stays in force until answers change, and then is what the next belief goes on from. ``carried`` is what
    a sequential belief makes its posterior from again.
    """

    round: int
    clustering: Clustering
    groups: Groups
    carried: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """All answers and pins, what is out with somebody, and what was believed last.

    Only ``candidates`` may be asked, if there are any. ``changed`` says whether answers or pins are others
    since something was believed. Where nothing is pinned there are no ``pins``. ``prior`` is what
    features say of pairs, ``judged`` what judges say of them. ``chosen`` are all pairs that were ever asked:
    their answers count as asked for, whenever they come.
    """

    answers: Answers
    pending: Pairs
    candidates: Pairs | None = None
    history: tuple[Round, ...] = ()
    last_batch: Batch | None = None
    held: Held | None = None
    changed: bool = False
    pins: Pins | None = None
    prior: Neighbours | None = None
    chosen: PairSet = field(default_factory=PairSet.none)
    judged: Answers | None = None

    @classmethod
    def nothing(cls, n: int, candidates: Pairs | None = None, prior: Neighbours | None = None) -> Self:
        """Return what a learner of n objects keeps before its first call."""
        return cls(Answers.none(n), Pairs.empty(), candidates, prior=prior)

    @property
    def believed_in(self) -> int:
        """The round of the belief in force: that of what is held, or the next one if answers have changed."""
        return len(self.history) if self.held is None or self.changed else self.held.round

    @property
    def groups(self) -> Groups:
        """The groups that were held last."""
        return Groups.none(self.answers.n) if self.held is None else self.held.groups

    def left(self, similarity: Similarity, repeats: int) -> int:
        """Return how many answers can still be had on request, those to pending pairs among them."""
        if (open_now := self.open_candidates(similarity, repeats)) is not None:
            return int((repeats - similarity.count(open_now.u, open_now.v)).sum())
        if self.pins is not None:
            asked = undecided(similarity.pairs(), self.pins)
            had = int(np.minimum(similarity.counts_of(asked.u, asked.v), repeats).sum())
            return repeats * (count_pairs(similarity.n) - self.pins.n_implied) - had
        had = int(np.minimum(similarity.counts, repeats).sum()) // 2  # each pair has two entries
        return repeats * count_pairs(similarity.n) - had

    def open_candidates(self, similarity: Similarity, repeats: int) -> Pairs | None:
        """Return the candidates that can still be asked, or are pending; None if all pairs may be asked."""
        if self.candidates is None:
            return None
        found = undecided(self.candidates, self.pins)
        return found.take(similarity.count(found.u, found.v) < repeats)

    def pool(self, similarity: Similarity, repeats: int) -> Pool:
        """Return the pairs that may be asked now; ``similarity`` is the fold of the answers."""
        return Pool(similarity, self.pending, self.candidates, repeats, pins=self.pins)

    def rows_of(self, u: Ints, v: Ints, annotator: str | None) -> Mask:
        """Tell where the answers to these pairs stand, all or those of one annotator; each must have one."""
        answers, n = self.answers, self.answers.n
        theirs = np.ones(len(answers), np.bool_)
        if annotator is not None:
            theirs = np.array([name == annotator for name in answers.names])[answers.who]
        wanted, told = rank(np.minimum(u, v), np.maximum(u, v), n), rank(answers.u, answers.v, n)
        missing = ~np.isin(wanted, told[theirs])
        if missing.any():
            row, who = int(np.argmax(missing)), "" if annotator is None else f" by {annotator!r}"
            got = f"row {row}: pair ({u[row]}, {v[row]}) has no answer{who}"
            raise InvalidInputError(f"{got}; nothing was taken back")
        return np.isin(told, wanted) & theirs

    def told(self, answers: Answers) -> Self:
        """Return it with all these answers, which begin with the present ones."""
        if len(answers) == len(self.answers):
            return self
        new = answers.since(len(self.answers))
        return replace(self.released(new.u, new.v), answers=answers, changed=True)

    def told_by_judge(self, judged: Answers) -> Self:
        """Return it with all these scores of judges, which begin with the present ones."""
        return replace(self, judged=judged, changed=True) if len(judged) > self.n_scores else self

    @property
    def n_scores(self) -> int:
        """Number of scores that judges gave."""
        return 0 if self.judged is None else len(self.judged)

    def released(self, u: Ints, v: Ints) -> Self:
        """Return it with these pairs, if they are pending, no longer so."""
        out, n = self.pending, self.answers.n
        if not out.u.size:
            return self
        return replace(self, pending=out.take(~np.isin(out.ranks(n), rank(u, v, n))))

    def retracted(self, rows: Mask) -> Self:
        """Return it without the answers in these rows, as if they had never been told."""
        answers, held = self.answers.without(rows), self.held
        if held is not None and held.carried is not None:
            objects = np.unique(np.concatenate([self.answers.u[rows], self.answers.v[rows]]))
            held = replace(held, carried=held.carried.without(rows, objects))
        return replace(self, answers=answers, held=held, changed=True)

    def pinned(self, pins: Pins) -> Self:
        """Return it with these pins instead of the present ones; what they decide is no longer pending."""
        before, held, n = self.pins or Pins.none(self.answers.n), self.held, self.answers.n
        keys = [2 * each.pairs.ranks(n) + each.same for each in (before, pins)]
        changed = Pairs.from_ranks(np.unique(np.setxor1d(keys[0], keys[1]) // 2), n)
        if not changed.u.size:
            return self
        if held is not None and held.carried is not None:
            objects = np.unique(np.concatenate([changed.u, changed.v]))
            nothing = np.zeros(len(self.answers), np.bool_)
            held = replace(held, carried=held.carried.without(nothing, objects))
        pending = undecided(self.pending, pins)
        return replace(self, pins=pins if len(pins) else None, pending=pending, held=held, changed=True)

    def extended(self, more: int, candidates: Pairs | None, prior: Neighbours | None = None) -> Self:
        """Return it with so many more objects, with more candidates, or with the features of all."""
        total, held = self.answers.n + more, self.held
        answers, every = self.answers.grown(total), self.candidates
        if candidates is not None and every is not None:
            every = Pairs.from_ranks(np.union1d(every.ranks(total), candidates.ranks(total)), total)
        if held is not None:
            found, alone = held.clustering, held.clustering.k + np.arange(more)
            held = replace(
                held,
                clustering=Clustering(read_only(np.append(found.labels, alone)), found.k + more, found.cost),
                groups=held.groups.extended(more),
                carried=None if held.carried is None else held.carried.extended(more),
            )
        pins = None if self.pins is None else self.pins.grown(total)
        judged = None if self.judged is None else self.judged.grown(total)
        grown = replace(self, answers=answers, candidates=every, held=held, pins=pins, prior=prior)
        return replace(grown, judged=judged, changed=True)

    def asked(self, batch: Batch, state: State, belief: Belief) -> Self:
        """Return it after another round, in which this batch was chosen from this state.

        What takes time is done here, so that whoever is stopped in the middle has what was before.
        """
        held, carried, belief = self.held, None, believing(belief, self.judged)
        if held is None or self.changed:
            informed = self.answers.values.size or self.prior is not None or self.judged is not None
            if isinstance(belief, SequentialBelief) and informed:
                carried = belief.carry(state.posterior)
            groups = self.groups.followed_by(state.clustering.labels)
            held = Held(batch.round, state.clustering, groups, carried)
        out, new, found = self.pending, batch.pairs, held.clustering
        record = Round(batch.round, self.answers.values.size, new.u.size, found.k, found.cost)
        return replace(
            self,
            pending=Pairs.trusted(np.concatenate([out.u, new.u]), np.concatenate([out.v, new.v])),
            chosen=self.chosen.adding(new.u, new.v),
            history=(*self.history, record),
            last_batch=batch,
            held=held,
            changed=False,
        )

    def to_entries(self) -> dict[str, Any]:
        """Return everything as it stands in a document."""
        held = self.held
        carried = None if held is None else held.carried
        released = self.chosen.without(surely_chosen(self.answers, self.pending))
        return {
            "answers": documents.answers_entry(self.answers),
            "pending": documents.pairs_entry(self.pending),
            **({"released": documents.pairs_entry(released)} if len(released) else {}),
            "candidates": documents.pairs_entry(self.candidates),
            **({} if self.pins is None else {"pins": self.pins.to_entry()}),
            **({} if self.prior is None else {"prior": self.prior.to_entry()}),
            **({} if self.judged is None else {"judged": documents.answers_entry(self.judged)}),
            "history": {
                name: np.array([getattr(row, name) for row in self.history]) for name in HISTORY_COLUMNS
            },
            "last_batch": documents.batch_entry(self.last_batch),
            "last_clustering": None if held is None else documents.clustering_entry(held.clustering),
            "groups": self.groups.to_entry(),
            "believed_in": None if held is None else held.round,
            "changed": self.changed,
            "memory": None if carried is None else carried.to_entry(),
        }

    @classmethod
    def from_entries(cls, document: Mapping[str, Any], n: int, *, seed: int, belief: Belief) -> Self:
        """Read what `to_entries` gave, checking it on the way."""
        read = partial(documents.read_entry, document)
        rows = read("history", lambda entry: documents.read_rows(entry, HISTORY_COLUMNS))
        answers = read("answers", lambda entry: documents.read_answers(entry, n))
        pending = read("pending", partial(documents.read_pairs, n=n))
        released = (
            read("released", partial(documents.read_pairs, n=n)) if "released" in document else Pairs.empty()
        )
        kept = cls(
            answers=answers,
            pending=pending,
            chosen=surely_chosen(answers, pending).adding(released.u, released.v),
            candidates=read(
                "candidates", lambda entry: None if entry is None else documents.read_pairs(entry, n)
            ),
            history=tuple(Round(number, *row) for number, row in enumerate(rows)),
            pins=read("pins", lambda entry: Pins.from_entry(entry, n)) if "pins" in document else None,
            prior=read("prior", partial(_read_prior, n=n)) if "prior" in document else None,
            judged=read("judged", partial(documents.read_answers, n=n)) if "judged" in document else None,
        )
        belief = believing(belief, kept.judged)
        if not rows:
            changed = bool(len(kept.answers)) or kept.judged is not None or bool(document.get("changed"))
            return replace(kept, changed=changed)
        place = {"n": n, "round_": len(rows) - 1, "seed": seed}
        batch = read("last_batch", lambda entry: documents.read_batch(entry, **place))
        clustering = read("last_clustering", lambda entry: documents.read_clustering(entry, n))
        carried, still = None, "believed_in" in document and not read("changed", _read_truth)
        if isinstance(belief, SequentialBelief) and document.get("memory") is not None:
            carried = read("memory", lambda entry: _read_memory(entry, belief, kept))
        if "believed_in" not in document:  # of an older format: it held less, so the belief is formed anew
            held = Held(len(rows) - 1, clustering, Groups.none(n).followed_by(clustering.labels), carried)
        else:
            groups = read("groups", lambda entry: Groups.from_entry(entry, n))
            held = Held(read("believed_in", documents.read_count), clustering, groups, carried)
        outdated = isinstance(carried, JudgedReadings) and carried.is_outdated
        return replace(kept, last_batch=batch, held=held, changed=not still or outdated)


def surely_chosen(answers: Answers, pending: Pairs) -> PairSet:
    """Return the pairs that were asked, as far as answers and what is pending show it."""
    return PairSet.of(answers.u[answers.asked], answers.v[answers.asked]).adding(pending.u, pending.v)


def undecided(pairs: Pairs, pins: Pins | None) -> Pairs:
    """Return those of the pairs that pins do not decide."""
    return pairs if pins is None else pairs.take(pins.implied(pairs.u, pairs.v) == 0)


def _read_prior(entry: Any, *, n: int) -> Neighbours:
    return Neighbours.from_entry(entry, n)


def _read_memory(entry: Any, belief: Any, kept: Kept) -> Any:
    """Read what was carried over; a belief with features refuses what others were carried over with."""
    carried: Any = belief.restore(entry, kept.answers.n)
    prior, candidates = kept.prior, kept.candidates
    if isinstance(belief, JudgedBelief) and kept.judged is not None:
        given = {"prior": prior, "candidates": candidates, "pins": kept.pins}
        belief.refuse_others(carried, kept.answers, kept.judged, **given)
    if isinstance(belief, FeatureBelief) and (prior is not None or candidates is not None):
        belief.refuse_others(carried, kept.answers, prior=prior, candidates=candidates, pins=kept.pins)
    return carried


def _read_truth(entry: Any) -> bool:
    truth_value("it", entry)
    return bool(entry)
