"""What a learner keeps from call to call; everything else is derived from it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from ofakind.acquire.base import Batch
from ofakind.answers import Answers
from ofakind.arrays import Ints
from ofakind.clustering import Clustering
from ofakind.engine import document as documents
from ofakind.pairs import Pairs, rank
from ofakind.posterior.base import Belief, SequentialBelief

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
class Kept:
    """All answers, what is out with somebody, and what the last round left.

    ``carried`` is what a sequential belief goes on from.
    """

    answers: Answers
    pending: Pairs
    history: tuple[Round, ...] = ()
    last_batch: Batch | None = None
    last_clustering: Clustering | None = None
    carried: Any = None

    @classmethod
    def nothing(cls, n: int) -> Self:
        """Return what a learner of n objects keeps before its first call."""
        return cls(Answers.none(n), Pairs.empty())

    def told(self, answers: Answers) -> Self:
        """Return it with all these answers, which begin with the present ones."""
        new = answers.since(len(self.answers))
        return replace(self.released(new.u, new.v), answers=answers)

    def released(self, u: Ints, v: Ints) -> Self:
        """Return it with these pairs, if they are pending, no longer so."""
        out, n = self.pending, self.answers.n
        return replace(self, pending=out.take(~np.isin(out.ranks(n), rank(u, v, n))))

    def asked(self, batch: Batch, clustering: Clustering, carried: Any) -> Self:
        """Return it after another round, in which this batch was chosen."""
        out, new = self.pending, batch.pairs
        record = Round(batch.round, self.answers.values.size, new.u.size, clustering.k, clustering.cost)
        return replace(
            self,
            pending=Pairs.trusted(np.concatenate([out.u, new.u]), np.concatenate([out.v, new.v])),
            history=(*self.history, record),
            last_batch=batch,
            last_clustering=clustering,
            carried=carried,
        )

    def to_entries(self) -> dict[str, Any]:
        """Return everything as it stands in a document."""
        return {
            "answers": documents.answers_entry(self.answers),
            "pending": documents.pairs_entry(self.pending),
            "history": {
                name: np.array([getattr(row, name) for row in self.history]) for name in HISTORY_COLUMNS
            },
            "last_batch": documents.batch_entry(self.last_batch),
            "last_clustering": documents.clustering_entry(self.last_clustering),
            "memory": None if self.carried is None else self.carried.to_entry(),
        }

    @classmethod
    def from_entries(cls, document: Mapping[str, Any], n: int, *, seed: int, belief: Belief) -> Self:
        """Read what `to_entries` gave, checking it on the way."""
        read = partial(documents.read_entry, document)
        rows = read("history", lambda entry: documents.read_rows(entry, HISTORY_COLUMNS))
        kept = cls(
            answers=read("answers", lambda entry: documents.read_answers(entry, n)),
            pending=read("pending", lambda entry: documents.read_pairs(entry, n)),
            history=tuple(Round(number, *row) for number, row in enumerate(rows)),
        )
        if rows:
            place = {"n": n, "round_": len(rows) - 1, "seed": seed}
            batch = read("last_batch", lambda entry: documents.read_batch(entry, **place))
            clustering = read("last_clustering", lambda entry: documents.read_clustering(entry, n))
            kept = replace(kept, last_batch=batch, last_clustering=clustering)
        if isinstance(belief, SequentialBelief) and document.get("memory") is not None:
            return replace(kept, carried=read("memory", lambda entry: belief.restore(entry, n)))
        return kept
