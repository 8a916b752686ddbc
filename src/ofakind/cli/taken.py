"""What ``new`` and ``add`` say: what was taken, and what may be expected of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ofakind.cli.printable import printable

if TYPE_CHECKING:
    from ofakind.project.adding import Made
    from ofakind.project.events import FeaturesUsed
    from ofakind.project.objects import Brought

SHOWN_NAMES = 6  # of columns, in the line that says what was taken


def taken(brought: "Brought", made: "Made") -> list[str]:
    """Say in a few words each how many objects came, what the prior is made from, and what it promises."""
    from ofakind.project.events import AnswerGiven, FeaturesUsed, PairsPinned
    from ofakind.project.outlook import outlook_of

    parts = [counted(brought)]
    features = next((event for event in made.events if isinstance(event, FeaturesUsed)), None)
    parts.append("no prior" if features is None else f"prior from {prior_of(features)}")
    if made.graph is not None:
        parts.append(str(outlook_of(made.graph)))
    pins = sum(len(event.pairs) for event in made.events if isinstance(event, PairsPinned))
    answers = [event for event in made.events if isinstance(event, AnswerGiven)]
    parts += [f"{pins:,} pinned pair{'s' if pins > 1 else ''}"] if pins else []
    parts += [f"{len(answers):,} answers from the column {answers[0].annotator}"] if answers else []
    return [printable(part) for part in parts]


def counted(brought: "Brought") -> str:
    """Say how many objects came, and what they are."""
    n = len(brought.ids)
    what = "picture" if brought.pictures is not None else "record" if brought.columns else "object"
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def prior_of(features: "FeaturesUsed") -> str:
    """Say what the prior is made from."""
    parts = []
    if features.vectors is not None:
        parts.append("vectors" if features.descriptor is None else "how the pictures look")
    if features.fields is not None:
        parts.append(_columns("text", features.fields))
    if features.numbers is not None:
        parts.append(_columns("number", features.numbers))
    if features.scores is not None:
        parts.append("scores")
    return " and ".join(parts)


def _columns(kind: str, names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
    return f"the {kind} column{'s' if len(names) > 1 else ''} {', '.join(names[:SHOWN_NAMES])}{more}"
