"""Revisions of the methods, a part of each result's key: no result of older code passes for a new one.

A revision is a number that is raised by hand when methods of its family ask other questions, find other
clusters or report another accuracy than before with the same seed. Ours stands in `engine.revision`, since
the logs of projects state it, too. A change of what all runs share (oracles, datasets, measures) raises all
of them. `tests/study/test_revision.py` runs each family with fixed seeds, and fails when something else comes
out and the revision is what it was.
"""

from collections.abc import Iterable

from ofakind.engine.composition import OURS
from ofakind.engine.revision import REVISION

REVISIONS = {"ours": REVISION, "paper": 2, "rivals": 2, "graph rivals": 4}
RIVALS = "ofakind.rivals"
ON_A_GRAPH = {"TransitiveJoin", "UncertaintySampling"}  # what they do depends on features and their start too


def family(uses: Iterable[str]) -> str:
    """Name the family of a method by its parts, each ``module:Class``.

    A rival, on a candidate graph or not, or else ours where any part is ours, or else the paper's: the parts
    that are not named come from there, also with a class of your own.

    >>> family(["ofakind:JEIG"]), family(["mine:Nearest", "ofakind:PartitionBelief"])
    ('paper', 'ours')
    """
    parts = [use.partition(":") for use in uses]
    rivals = {name for module, _, name in parts if module == RIVALS}
    if rivals:
        return "graph rivals" if rivals & ON_A_GRAPH else "rivals"
    return "ours" if any(name in OURS.values() for _, _, name in parts) else "paper"


def revision(uses: Iterable[str]) -> str:
    """Say which revision of which family a method with these parts is, as in ``"ours 1"``."""
    found = family(uses)
    return f"{found} {REVISIONS[found]}"
