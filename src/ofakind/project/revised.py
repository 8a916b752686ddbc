"""What another version of ofakind computed: its questions need not come out here, and that is no damage.

A version computes under a revision (`engine.revision`), which is raised whenever something else comes out;
what states none was computed before revisions were kept. What was computed under the present one and comes
out otherwise was changed, or computed by a machine that errs.
"""

from collections.abc import Iterable, Iterator

from ofakind.engine import revision
from ofakind.project.events import FeaturesUsed
from ofakind.project.replay import Replay

QUESTIONS_DIFFER = "the answers are the same, the questions differ"


def made_by(revisions: Iterable[int | None]) -> str | None:
    """Name the versions that compute under these revisions; None if they are no other than this one.

    >>> made_by([None, revision.REVISION]), made_by([revision.REVISION])
    ('an earlier version', None)
    """
    others = {-1 if one is None else one for one in revisions} - {revision.REVISION}
    if not others:
        return None
    if min(others) > revision.REVISION:
        return "a later version"
    return "an earlier version" if max(others) < revision.REVISION else "earlier and later versions"


def strange_features(replay: Replay, *, here: bool) -> list[FeaturesUsed]:
    """Return features whose graph came out otherwise, of those computed under the present revision or not."""
    strange = (replay.graphs.features[number][0] for number in replay.graphs.strange)
    return [one for one in strange if (one.revision == revision.REVISION) == here]


def differences(replay: Replay) -> Iterator[str]:
    """Say in lines for people what came out other than it stands in the log."""
    if (seq := replay.different.get(revision.REVISION)) is not None:
        yield f"since event {seq} questions are others than when they were asked"
    if (who := made_by(replay.different)) is not None:
        yield f"made by {who}: {QUESTIONS_DIFFER}"
    for event in strange_features(replay, here=True):
        yield f"features are computed a little differently here ({event.digest[:8]})"
