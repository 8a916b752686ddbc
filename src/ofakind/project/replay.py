"""From a log to a learner: the same calls in the same order give the same questions, bit for bit.

A checkpoint is the learner after all calls up to some event. It lies in the file's cache with a digest that
fits the log, and makes opening quick; without it, or if it does not fit, all calls are made again. So they
are where it was made under another revision (`engine.revision`): whoever goes on from it would ask what no
replay gives.
"""

import copy
import hashlib
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ofakind.acquire.uniform import Uniform
from ofakind.engine import document as documents
from ofakind.engine import revision
from ofakind.engine.learner import ActiveClustering
from ofakind.errors import DamagedProjectError, InvalidInputError
from ofakind.pairs import Pairs
from ofakind.priors.neighbours import Neighbours
from ofakind.project.calls import (
    AskCall,
    BeginCall,
    ExtendCall,
    JudgeCall,
    LearnerCall,
    PinCall,
    ReleaseCall,
    RetractCall,
    TellCall,
    UnpinCall,
)
from ofakind.project.curve import ErrorCurve
from ofakind.project.events import QuestionsAsked
from ofakind.project.fields import Pair
from ofakind.project.graphs import Graphs

CHECKPOINT = "learner"  # its name in the cache
DIGEST_WITH_REVISION = re.compile("([0-9]{1,9}) [0-9a-f]{64}")
Progress = Callable[[int, int], None]  # calls made, and all of them


class Replay:
    """A learner on its way through the calls of a log.

    ``through`` is the last event whose calls were made, ``rows`` has the event of each of the learner's
    answers. ``different`` has, by the revision under which they were asked, the first event that gave other
    questions than it did then. ``curve`` has what was expected on the way.
    """

    def __init__(self, graphs: Graphs) -> None:
        self.graphs = graphs
        self.learner: ActiveClustering | None = None
        self.rows: list[int] = []
        self.through = 0
        self.different: dict[int | None, int] = {}
        self.curve = ErrorCurve()

    def advance(self, calls: Sequence[LearnerCall], progress: Progress | None = None) -> None:
        """Make further calls, which must be in order: all of them or, with an error or Ctrl-C, none."""
        before = copy.copy(self.learner), [*self.rows], self.through, {**self.different}
        try:
            for number, call in enumerate(calls):
                if progress is not None:
                    progress(number, len(calls))
                self.make(call)
            if progress is not None:
                progress(len(calls), len(calls))
        except BaseException:
            self.learner, self.rows, self.through, self.different = before
            raise

    def make(self, call: LearnerCall) -> None:
        """Make one call."""
        self._note(call)
        if isinstance(call, BeginCall):
            self.learner = self._begin(call)
            return
        learner = self.begun
        match call:
            case TellCall():
                learner.tell(call.pairs, call.values, call.annotator, asked=call.asked)
            case RetractCall():
                self._retract(learner, call.source)
            case AskCall():
                self._ask(learner, call)
            case JudgeCall():
                learner.tell_judge(call.pairs, call.scores, call.judge)
            case ReleaseCall():
                learner.release(call.pairs)
            case PinCall():
                learner.pin(call.pairs, same=call.same)
            case UnpinCall():
                learner.unpin(call.pairs)
            case ExtendCall():
                learner.extend(call.more, prior=self._graph(call.graph))

    @property
    def begun(self) -> ActiveClustering:
        """The learner, which is there after the first call."""
        if self.learner is None:
            raise InvalidInputError("the log has no objects; expected some before anything else")
        return self.learner

    def begin_at(
        self, calls: Sequence[LearnerCall], seq: int, learner: ActiveClustering
    ) -> list[LearnerCall]:
        """Take the learner of a checkpoint at an event; the calls that are left to make are returned."""
        done = [call for call in calls if call.seq <= seq]
        left = [call for call in calls if call.seq > seq]
        for call in done:
            self._note(call)
            if isinstance(call, RetractCall):
                self.rows = [row for row in self.rows if row != call.source]
        if len(self.rows) != learner.n_answers or any(call.place < (seq, 1) for call in left):
            raise InvalidInputError(f"the checkpoint at event {seq} does not fit the calls")
        self.learner = learner
        return left

    def _note(self, call: LearnerCall) -> None:
        self.through = max(self.through, call.seq)
        if isinstance(call, TellCall):
            self.rows += [call.source] * len(call.pairs)

    def _ask(self, learner: ActiveClustering, call: AskCall) -> None:
        found = learner.ask_screen(call.size).pairs if call.screen else learner.ask(call.size)
        if tuple(found) != call.pairs:
            self.different.setdefault(call.revision, call.seq)
            learner.release(sorted({*found} - {*call.pairs}))  # nobody has them
        self.curve.follow(call.after, learner)

    def _retract(self, learner: ActiveClustering, source: int) -> None:
        gone = np.array(self.rows) == source
        learner.retract_rows(gone)
        self.rows = [row for row in self.rows if row != source]

    def _begin(self, call: BeginCall) -> ActiveClustering:
        prior = self._graph(call.graph)
        size, initial = call.options.get("batch_size"), call.options.get("initial")
        return ActiveClustering(call.n, seed=call.seed, prior=prior, batch_size=size, initial=initial)

    def _graph(self, number: int | None) -> Neighbours | None:
        return None if number is None else self.graphs[number]


class Chosen(NamedTuple):
    """Questions with their scores, None where there is none, and what was believed of them, if anything."""

    pairs: Pairs
    scores: tuple[float | None, ...] = ()
    same: tuple[float, ...] | None = None
    groups: tuple[tuple[int, int], ...] | None = None

    def event(self, after: int, size: int, *, by: str = "model") -> QuestionsAsked:
        """Return what the log says of them: that they were chosen here, under the present revision."""
        pairs, believed = as_pairs(self.pairs), (self.same, self.groups)
        return QuestionsAsked(after, size, pairs, self.scores, by, *believed, revision.REVISION)


def chosen(learner: ActiveClustering, size: int, *, screen: bool = False) -> Chosen:
    """Let a learner ask, and return its questions, or those of one ``screen``, with what speaks for them.

    Where they were drawn at random, what is believed of them was not computed, and is not now.
    """
    pairs = learner.ask_screen(size).pairs if screen else learner.ask(size)
    batch = learner.last_batch
    if not len(pairs) or batch is None:
        return Chosen(Pairs.empty())
    scores = tuple(float(score) if np.isfinite(score) else None for score in batch.scores)
    if batch.acquisition == repr(Uniform()):
        return Chosen(pairs, scores)
    same = np.clip(learner.posterior.same_probability(pairs.u, pairs.v), 0, 1)
    groups = learner.groups[np.column_stack([pairs.u, pairs.v])]
    return Chosen(pairs, scores, tuple(same.tolist()), tuple((u, v) for u, v in groups.tolist()))


def packed_learner(learner: ActiveClustering, chain: bytes) -> tuple[str, bytes]:
    """Return a checkpoint's digest and content; ``chain`` is the hash of the event that it stands at."""
    content = learner.to_bytes()
    return cache_digest(chain, content), content


def unpacked_learner(digest: str, content: bytes, chain: bytes) -> ActiveClustering | None:
    """Read a checkpoint; None if it is not what is written here, at this event of this log."""
    if cache_digest(chain, content) != digest:
        return None
    try:
        return ActiveClustering.from_document(documents.unpacked(content))
    except documents.DAMAGE:
        return None


def cache_digest(chain: bytes, content: bytes) -> str:
    """Return the digest of something that is put into the cache, and belongs to the event with this hash.

    It begins with the revision under which that was computed.
    """
    return _digest_under(revision.REVISION, chain, content)


def cached_under(digest: str, chain: bytes, content: bytes) -> int | None:
    """Return the revision under which something in the cache was computed; None if by a version without any.

    What is not as it was written, or belongs to another event, raises `DamagedProjectError`.
    """
    stated = DIGEST_WITH_REVISION.fullmatch(digest)
    number = None if stated is None else int(stated[1])
    if _digest_under(number, chain, content) != digest:
        raise DamagedProjectError("what is in the cache is not what was written, or not at this event")
    return number


def _digest_under(number: int | None, chain: bytes, content: bytes) -> str:
    stated = "" if number is None else f"{number} "
    return stated + hashlib.sha256(stated.encode() + chain + content).hexdigest()


def as_pairs(pairs: Pairs) -> tuple[Pair, ...]:
    """Return pairs as events have them."""
    return tuple((int(u), int(v)) for u, v in pairs)
