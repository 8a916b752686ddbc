"""All calls of a log made again: do the same questions come out, and the same learner?

What was computed under the present revision has to come out again, or something was changed. What another
version computed need not: the chain of hashes vouches for the answers, and a remark says so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ofakind.engine import revision
from ofakind.errors import DamagedProjectError
from ofakind.project.books import Books
from ofakind.project.calls import AskCall, LearnerCall, in_order
from ofakind.project.graphs import Graphs
from ofakind.project.ledger import Ledger
from ofakind.project.log import Checked
from ofakind.project.replay import CHECKPOINT, Progress, Replay, cached_under, unpacked_learner
from ofakind.project.revised import QUESTIONS_DIFFER, made_by, strange_features


def replayed(books: Books, found: Checked, progress: Progress | None = None) -> Checked:
    """Make all calls again from the start, and compare with what was asked and with the checkpoint."""
    ledger: Ledger = books.ledger
    calls, checkpoint = books.run(lambda: (in_order(ledger.calls), books.file.cached(CHECKPOINT)))
    replay = Replay(Graphs(ledger.features, ledger.columns, books.file.blob))
    at: int = -1
    under: int | None = revision.REVISION
    if checkpoint is not None:
        at = checkpoint[0]
        try:
            under = _computed_under(checkpoint, books)
        except DamagedProjectError:
            return _strange_checkpoint(found, at)
    replay.advance([call for call in calls if call.seq <= at], progress)
    if checkpoint is not None and under == revision.REVISION:
        saved = unpacked_learner(checkpoint[1], checkpoint[2], books.hashes[at - 1])
        if saved is None or replay.learner is None or saved.to_document() != replay.learner.to_document():
            return _strange_checkpoint(found, at)
    if later := [call for call in calls if call.seq > at]:
        replay.advance(later, progress)
    if (different := replay.different.get(revision.REVISION)) is not None:
        got = f"event {different} asked other questions than the log gives now"
        return Checked(found.n_events, f"{got}; no answer is touched by that", different)
    if strange_features(replay, here=True):
        return Checked(found.n_events, "the features of objects are computed differently here")
    return replace(found, remark="; ".join(_remarks(calls, replay, under)))


def _computed_under(checkpoint: tuple[int, str, bytes], books: Books) -> int | None:
    at, digest, content = checkpoint
    if not 1 <= at <= len(books.hashes):
        raise DamagedProjectError(f"the checkpoint is of event {at}, and there are {len(books.hashes)}")
    return cached_under(digest, books.hashes[at - 1], content)


def _strange_checkpoint(found: Checked, at: int) -> Checked:
    return Checked(found.n_events, f"the checkpoint at event {at} is not what the log gives", at)


def _remarks(calls: Sequence[LearnerCall], replay: Replay, under: int | None) -> Iterator[str]:
    """Say whether questions are the same and, where not, that another version asked them.

    ``under`` is the revision of the checkpoint, or the present one where there is none.
    """
    asked = [call.revision for call in calls if isinstance(call, AskCall)]
    stated = [*asked, *(event.revision for event, _ in replay.graphs.features)]
    who = made_by([*stated, under])
    if who is not None:
        part = "in part " if revision.REVISION in stated else ""
        differ = f": {QUESTIONS_DIFFER}" if replay.different else ""
        yield f"{part}made by {who}{differ}"
    if not replay.different:
        yield "a replay asks the same questions"
    if strange_features(replay, here=False):
        yield "the features of its objects come out a little otherwise"
    if under != revision.REVISION:
        yield "its checkpoint is thrown away, and built anew when somebody next labels"
