"""Everything that ofakind raises or warns about on purpose."""

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

WITHIN = ("ofakind", "contextlib")  # modules that may stand between a caller and a warning
NOTED: ContextVar[dict[str, None] | None] = ContextVar("NOTED", default=None)  # texts instead of warnings


class OfakindError(Exception):
    """The parent of every error that ofakind raises on purpose."""


class InvalidInputError(OfakindError, ValueError):
    """An argument that cannot be used; the message says which, what was got and what was expected."""


class InvalidAnswerError(InvalidInputError):
    """Answers that were refused as a whole; nothing of them was kept."""


class ContradictingPinsError(InvalidInputError):
    """Pins that contradict each other; nothing was pinned, and the message gives the chain."""


class MissingFileError(InvalidInputError, FileNotFoundError):
    """A file that is not there; the message names it."""


class ConflictingAnswerError(InvalidAnswerError):
    """An answer under the key of another one that says something else; the first one is kept."""


class DamagedProjectError(InvalidInputError):
    """A project file that is not what was written; the message names the first event that is not."""


class ProjectInUseError(OfakindError):
    """A project that another process has open; the message names the process."""


class StorageError(OfakindError, OSError):
    """The disk is full, or failed; nothing was kept of what was to be written, and all else is there."""


class MovedProjectError(StorageError):
    """The file of an open project was moved, deleted or replaced; nothing more was written to it."""


class TooLargeError(OfakindError, MemoryError):
    """A computation that would not fit in memory; the message names the size and the remedy."""


class BudgetSpentError(OfakindError):
    """A question beyond the budget; it was not asked, and everything before it is kept."""


class GaveUpError(OfakindError):
    """An algorithm that cannot or may not go on; everything before is kept, and the message says why."""


class NotConvergedWarning(UserWarning):
    """An iteration reached its limit before it settled; the result is usable but not exact."""


class CollapsedWarning(UserWarning):
    """A posterior that knows much less than the answers say; the message says which option to change."""


class AccuracyWarning(UserWarning):
    """What a learner says of its own accuracy may be wrong; the parent of the warnings that say why."""


class ChainsDisagreeWarning(AccuracyWarning):
    """Chains of samples that found different clusters: the clustering may be worse than it seems."""


class ContradictedWarning(AccuracyWarning):
    """Clusters that contradict many of the answers, as if people meant the opposite of what they said."""


class OneSidedAnswersWarning(AccuracyWarning):
    """No answer speaks for "different": 0 may have been meant so, or only matches were told."""


class SimilarIdsWarning(UserWarning):
    """Ids of different objects that look the same, as with a blank at the end."""


class DependentErrorsWarning(AccuracyWarning):
    """Answers that are wrong about the same objects again and again: what seems certain may not be so."""


def warn(text: str, kind: type[Warning]) -> None:
    """Warn at the line outside of this package that led here: Python shows a warning once for each line."""
    noted = NOTED.get()
    if noted is not None:
        noted[text] = None
        return
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in WITHIN:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


@contextmanager
def noting(notes: dict[str, None]) -> Iterator[None]:
    """Keep what ofakind would warn about as texts, in this thread: for work that nobody watches."""
    token = NOTED.set(notes)
    try:
        yield
    finally:
        NOTED.reset(token)
