"""All calls of a log made again: do the same questions come out, and the same learner?"""

from ofakind.project.books import Books
from ofakind.project.calls import in_order
from ofakind.project.graphs import Graphs
from ofakind.project.ledger import Ledger
from ofakind.project.log import Checked
from ofakind.project.replay import CHECKPOINT, Progress, Replay, unpacked_learner


def replayed(books: Books, found: Checked, progress: Progress | None = None) -> Checked:
    """Make all calls again from the start, and compare with what was asked and with the checkpoint."""
    ledger: Ledger = books.ledger
    calls, checkpoint = books.run(lambda: (in_order(ledger.calls), books.file.cached(CHECKPOINT)))
    replay = Replay(Graphs(ledger.features, ledger.columns, books.file.blob))
    at = -1 if checkpoint is None else checkpoint[0]
    early = [call for call in calls if call.seq <= at]
    replay.advance(early, progress)
    if checkpoint is not None:
        saved = unpacked_learner(checkpoint[1], checkpoint[2], books.hashes[at - 1])
        if saved is None or saved.to_document() != replay.begun.to_document():
            return Checked(found.n_events, f"the checkpoint at event {at} is not what the log gives", at)
    if later := [call for call in calls if call.seq > at]:
        replay.advance(later, progress)
    if replay.different is not None:
        got = f"event {replay.different} asked other questions than the log gives now"
        return Checked(found.n_events, f"{got}; no answer is touched by that", replay.different)
    if replay.graphs.strange:
        return Checked(found.n_events, "the features of objects are computed differently here")
    return found
