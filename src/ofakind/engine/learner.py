"""The learner: ask which pairs to compare, tell it the answers, look at the clusters."""

import os
from collections.abc import Mapping
from functools import partial
from threading import RLock
from typing import Any, Final, Self

from numpy.typing import ArrayLike

from ofakind.acquire.base import Acquisition, AdaptiveBatch, Batch, State
from ofakind.acquire.choose import choose
from ofakind.acquire.uniform import Uniform
from ofakind.arrays import Ints
from ofakind.checks import truth_value, whole_number
from ofakind.clustering import Clustering
from ofakind.engine import document as documents
from ofakind.engine.alone import alone
from ofakind.engine.composition import (
    checked_candidates,
    checked_growth,
    checked_number,
    checked_prior,
    parts_of,
    refuse_unpinnable,
)
from ofakind.engine.inference import CHOOSE, FORECAST, Known, derive, stream
from ofakind.engine.judging import Judging
from ofakind.engine.kept import Kept
from ofakind.engine.screening import Screening
from ofakind.errors import InvalidInputError
from ofakind.noise.calibration import Calibration
from ofakind.oracles.base import endpoints
from ofakind.pairs import Pairs
from ofakind.posterior.base import Belief, Posterior
from ofakind.posterior.forest.judged import believing
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.pair_map import PairMap
from ofakind.report.accuracy import Accuracy
from ofakind.report.assessment import assess, calibration_of, prior_map_of, warn_when_told
from ofakind.report.forecast import Forecast, forecast_questions
from ofakind.similarity import Similarity
from ofakind.solve.base import Solver

OPTIONS, ROLES = ("n", "initial", "repeats", "seed"), ("acquisition", "solver", "belief")
FEW = 40  # questions of a batch where features or judges say much: answers teach what they are worth


class ActiveClustering(Judging, Screening):
    """Clusters n objects by asking which pairs are of a kind (the loop of the paper's Alg. 1).

    The first `ask` gives ``initial`` (default n) uniformly random pairs. Once there are answers, each `ask`
    forms a belief about every pair and a clustering (from one another, in whichever order the parts need),
    and gives the ``batch_size`` (default 0.6 n) pairs that the acquisition function finds worth most. With
    ``initial=0`` it chooses from the start. Without parts named it is our own method; parts of the paper,
    such as ``acquisition=JEIG()``, bring the paper's others with them.

    A pair gets at most ``repeats`` answers on request, and only ``candidates`` are asked if they are given.
    With a ``prior`` (`Neighbours`), what features say of pairs is where the belief begins, and answers
    correct it; then it chooses from the start (``initial`` is 0), in batches of at most 40 by default.

    Everything is a function of the options, the seed and the sequence of asks, tells, pins and so on: equal
    sequences give equal questions, whether or not a learner was looked at, saved or loaded in between.

    >>> learner = ActiveClustering(4, initial=6)
    >>> pairs = learner.ask()
    >>> learner.tell(pairs, [1 if (u < 2) == (v < 2) else -1 for u, v in pairs])
    >>> learner.labels.tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        n: int,
        *,
        acquisition: Acquisition | None = None,
        solver: Solver | None = None,
        belief: Belief | None = None,
        batch_size: int | None = None,
        initial: int | None = None,
        repeats: int = 1,
        candidates: ArrayLike | None = None,
        prior: Neighbours | None = None,
        seed: int = 0,
    ) -> None:
        n, given = checked_number(n), {"acquisition": acquisition, "solver": solver, "belief": belief}
        parts = parts_of(featured=prior is not None, listed=candidates is not None, **given)
        super().__init__(parts["belief"], parts["solver"], seed)
        self.acquisition: Final[Acquisition] = parts["acquisition"]
        self._batch_size: Final = (
            None if batch_size is None else whole_number("batch_size", batch_size, least=1)
        )
        usual = 0 if prior is not None else n
        self.initial: Final = whole_number("initial", usual if initial is None else initial, least=0)
        self.repeats: Final = whole_number("repeats", repeats, least=1)

        allowed = checked_candidates(candidates, n, self.belief)
        self._kept = Kept.nothing(n, allowed, checked_prior(prior, n))
        # Derived from what is kept when first needed; thrown away when answers change.
        self._folded: Similarity | None = None
        self._current: State | None = None

    # -- asking and telling ------------------------------------------------------------------------------

    @alone
    def ask(self, size: int | None = None) -> Pairs:
        """Give the next questions, best first: ``size`` pairs, or `next_size` of them.

        They count as `pending` until they are told or released. Fewer come when fewer are open and, without
        a ``size``, when the others can wait for these answers (of our own method, down to a quarter). When
        none is open, no pairs come back and nothing changes, so a loop over ``ask`` ends by itself. Nor does
        anything change when it is stopped by Ctrl-C.
        """
        wanted = self.next_size if size is None else whole_number("size", size, least=1)
        pool = self._kept.pool(self._fold(), self.repeats)
        if pool.size == 0:
            return Pairs.empty()
        acquisition = Uniform() if self._starting else self.acquisition
        state = self._state()
        chosen = choose(acquisition, state, pool, wanted, stream(self.seed, CHOOSE, self.round))
        chosen = self._kept_awake(chosen, state, pool)
        if size is None and isinstance(acquisition, AdaptiveBatch):
            chosen = acquisition.urgent(chosen)
        batch = Batch(chosen.pairs, chosen.values, repr(acquisition), self.round, self.seed)
        self._kept = self._kept.asked(batch, state, self.belief)
        return chosen.pairs

    @alone
    def tell(
        self, pairs: ArrayLike, answers: ArrayLike, annotator: ArrayLike | None = None, *, asked: Any = None
    ) -> None:
        """Add answers in [-1, 1] to any pairs; all of them or, with an `InvalidAnswerError`, none.

        ``annotator`` is who gave them, or a list, an array or a column with a name for each. Matches that
        were not ``asked`` for, by default those that no `ask` ever gave, do not say how common matches are.
        """
        wanted = self._kept.chosen if asked is None else asked
        told = self._kept.answers.adding(pairs, answers, annotator, asked=wanted)
        warn_when_told(self._kept.answers, told)
        self._change(self._kept.told(told))

    @alone
    def retract(self, pairs: ArrayLike, annotator: str | None = None) -> None:
        """Take back all answers to these pairs, or those that ``annotator`` gave: as if never told.

        The pairs may be asked again. If a pair has no such answer, `InvalidInputError` names it, and nothing
        is taken back.
        """
        self._change(self._kept.retracted(self._kept.rows_of(*endpoints(pairs, self.n), annotator)))

    @alone
    def retract_rows(self, rows: ArrayLike) -> None:
        """Take back the answers at these positions of `answers`, or where a mask is true; see `retract`."""
        if (gone := self.answers.mask(rows)).any():
            self._change(self._kept.retracted(gone))

    @alone
    def extend(self, more: int, candidates: ArrayLike | None = None, prior: Neighbours | None = None) -> None:
        """Add so many objects, numbered from `n` on; nothing is known of them yet.

        Groups keep their ids. If only candidates are asked, give those of the new objects. A learner with
        features needs those of all objects, the new ones among them: `Neighbours.extended`.
        """
        total = checked_number(self.n + whole_number("more", more, least=0))
        if candidates is not None and self.candidates is None:
            raise InvalidInputError("candidates are given, and so far all pairs may be asked; leave them out")
        if total > self.n:
            added = None if candidates is None else checked_candidates(candidates, total, self.belief)
            features = checked_growth(self.prior, prior, total)
            self._change(self._kept.extended(total - self.n, added, features))

    @alone
    def pin(self, pairs: ArrayLike, *, same: bool) -> None:
        """Fix that these pairs, asked or not, are of a kind (or not): no answers outweigh it.

        What follows from pins is never asked, and a pending pair that follows from them is no longer pending.
        Objects that are pinned as the same count as one. All pairs are pinned or, with an error, none: if
        pins would contradict each other, `ContradictingPinsError` gives the chain.
        """
        truth_value("same", same)
        refuse_unpinnable(self.belief)
        self._change(self._kept.pinned(self.pins.adding(*endpoints(pairs, self.n), same=bool(same))))

    @alone
    def unpin(self, pairs: ArrayLike) -> None:
        """Take back the pins of these pairs; if one is not pinned itself, an error, and nothing is."""
        self._change(self._kept.pinned(self.pins.without(*endpoints(pairs, self.n))))

    @alone
    def release(self, pairs: ArrayLike | None = None) -> None:
        """Take pending pairs back, so that they may be asked again: all, or these (others are ignored)."""
        self._kept = self._kept.released(*endpoints(self.pending if pairs is None else pairs, self.n))

    # -- looking -----------------------------------------------------------------------------------------

    @property
    def batch_size(self) -> int:
        """How many pairs an `ask` gives at most by default, once there are answers."""
        usual = max(1, round(0.6 * self.n))
        if self.prior is not None or self._kept.judged is not None:
            usual = min(usual, FEW)
        return usual if self._batch_size is None else self._batch_size

    @property
    def clustering(self) -> Clustering:
        """The clustering of all answers so far, the one that the next `ask` would use.

        Computed when first looked at after a change. Looking never changes a later question.
        """
        return self._state().clustering

    @property
    def labels(self) -> Ints:
        """The cluster of each object, 0..k-1 in order of first appearance."""
        return self.clustering.labels

    @property
    @alone
    def groups(self) -> Ints:
        """The group of each object: as `labels`, but a group keeps its id while others come and go.

        A group has the id of the one before that it shares most objects with; if that id went to another one
        that shares more, it gets an id that no group ever had.
        """
        labels, kept = self.labels, self._kept
        anew = kept.changed or kept.held is None
        return kept.groups.followed_by(labels).ids if anew else kept.groups.ids

    @property
    @alone
    def posterior(self) -> Posterior:
        """What is believed of every pair, as the next `ask` would see it."""
        return self._state().posterior

    @property
    @alone
    def accuracy(self) -> Accuracy:
        """How wrong the clustering may be: expected wrong pairs and adjusted Rand index, with intervals.

        It knows of errors that answers contradict, not of those that all answers share. Gives a
        `ChainsDisagreeWarning` when the chains disagree, and a `DependentErrorsWarning` when errors come
        together: then the accuracy is ``open_ended``, without a worst case. With features it is an upper
        limit of wrong pairs, since features make a belief cautious; ``never_compared`` counts the pairs that
        neither they nor answers connect.
        """
        return assess(self.posterior, self.labels, self.answers, self._kept.pins)

    @alone
    def forecast(self, target: float = 0.95) -> Forecast:
        """How many more questions until the expected adjusted Rand index of `accuracy` is ``target``.

        The target is at most 0.999. With an interval from runs with simulated noise; early on with a lower
        limit only, as when errors depend on each other; of ``candidates``, with all that are left as the
        upper one. As `accuracy`, it knows of errors that answers contradict. It changes nothing.
        """
        rng, given = self._known().stream(FORECAST), self._askable()
        return forecast_questions(self.posterior, self.labels, target, answers=self.answers, rng=rng, **given)

    @property
    def calibration(self) -> Calibration:
        """What an answer of each value is worth, as learned from the answers so far."""
        return calibration_of(self.posterior, self.belief)

    @property
    def prior_map(self) -> PairMap:
        """What each feature of the prior is worth, as learned from the answers so far."""
        return prior_map_of(self.posterior)

    @property
    @alone
    def similarity(self) -> Similarity:
        """All answers folded: their mean and number for each pair."""
        return self._fold()

    @property
    def next_size(self) -> int:
        """How many pairs `ask` gives at most by default: first ``initial``, with answers ``batch_size``."""
        return self.initial if self._starting else self.batch_size

    def __repr__(self) -> str:
        return f"ActiveClustering({self.n} objects, {self.n_answers} answers, {self.round} rounds)"

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is derived, as `save` does: a copy derives it again, and gets the same."""
        return {**self.__dict__, "_folded": None, "_current": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({**state, "_lock": RLock()})

    # -- saving ------------------------------------------------------------------------------------------

    def to_document(self) -> dict[str, Any]:
        """Return the whole learner as dictionaries, lists, numbers and text, ready for JSON."""
        return dict(documents.plain(self._document()))

    @classmethod
    def from_document(
        cls,
        document: Mapping[str, Any],
        *,
        acquisition: Acquisition | None = None,
        solver: Solver | None = None,
        belief: Belief | None = None,
    ) -> Self:
        """Rebuild a learner; it goes on as the saved one would have.

        Parts of ofakind are rebuilt with their options. Parts of your own must be handed in again; one that
        is handed in takes the place of the saved one. `InvalidInputError` says what is wrong with a
        document that is damaged or comes from a newer ofakind.
        """
        documents.check_header(document)
        given = {"acquisition": acquisition, "solver": solver, "belief": belief}
        parts = {role: documents.rebuild(role, document, part) for role, part in given.items()}
        read = partial(documents.read_entry, document)
        options: dict[str, Any] = {name: read(name, documents.read_count) for name in OPTIONS}
        options["batch_size"] = read("batch_size", documents.read_optional_count)
        kept = Kept.from_entries(document, options["n"], seed=options["seed"], belief=parts["belief"])
        try:
            learner = cls(**parts, **options, candidates=kept.candidates, prior=kept.prior)
        except documents.DAMAGE as error:
            raise documents.damaged(error) from error
        learner._kept = kept
        return learner

    def to_bytes(self) -> bytes:
        """Return what `save` writes to a ``.npz`` file."""
        return documents.packed(self._document())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the learner to a ``.json`` or, faster, a ``.npz`` file: the whole of it or nothing."""
        documents.write(path, self._document())

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        acquisition: Acquisition | None = None,
        solver: Solver | None = None,
        belief: Belief | None = None,
    ) -> Self:
        """Read a learner that `save` wrote; parts of your own are handed in again (see `from_document`)."""
        return cls.from_document(documents.read(path), acquisition=acquisition, solver=solver, belief=belief)

    # -- inside ------------------------------------------------------------------------------------------

    @property
    def _starting(self) -> bool:
        return not self._kept.answers.values.size and self._kept.judged is None and self.initial > 0

    def _fold(self) -> Similarity:
        if self._folded is None:
            self._folded = Similarity.from_answers(self._kept.answers)
        return self._folded

    def _askable(self) -> dict[str, Any]:
        """What can still be asked: so many answers and, where only candidates are asked, which of them."""
        given, kept = (self._fold(), self.repeats), self._kept
        return {"left": kept.left(*given), "candidates": kept.open_candidates(*given)}

    def _known(self) -> Known:
        """Everything that a belief is derived from."""
        held = self._kept.held
        return Known(
            answers=self._kept.answers,
            similarity=self._fold(),
            before=None if held is None else held.clustering,
            carried=None if held is None else held.carried,
            candidates=self.candidates,
            seed=self.seed,
            round=self._kept.believed_in,
            pins=self._kept.pins,
            prior=self._kept.prior,
            judged=self._kept.judged,
        )

    @alone
    def _state(self) -> State:
        """Everything the next round is chosen from; derived once, until answers or pins change."""
        if self._current is None:
            changed, known = self._kept.changed, self._known()
            belief = believing(self.belief, known.judged)
            self._current = derive(self.solver, belief, known, changed=changed, starting=self._starting)
        return self._current

    def _change(self, kept: Kept) -> None:
        """Go on with other answers or pins, if they are others: nothing that was derived holds any longer."""
        if kept.changed:
            self._folded = self._current = None
        self._kept = kept

    def _document(self) -> dict[str, Any]:
        options = {name: getattr(self, name) for name in OPTIONS} | {"batch_size": self._batch_size}
        parts = {role: documents.describe(role, getattr(self, role)) for role in ROLES}
        return documents.sealed({**documents.HEADER, **options, **parts, **self._kept.to_entries()})
