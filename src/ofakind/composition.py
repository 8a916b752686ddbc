"""Which parts a learner is made of: those that were given, and defaults that go with them."""

from typing import Any

from ofakind import document as documents
from ofakind.errors import InvalidInputError
from ofakind.posterior.base import Reader, Remembering

METHODS = {"acquisition": "score", "solver": "__call__", "belief": "__call__"}
OURS = {"acquisition": "InformationGain", "solver": "Consensus", "belief": "PartitionBelief"}
PAPER = {"acquisition": "JEIG", "solver": "LocalSearch", "belief": "MeanFieldBelief"}


def parts_of(**given: Any) -> dict[str, Any]:
    """Return the parts of a learner, each checked, and the default where none is given.

    Where no part is given, or one of our own method is, the others are ours; else they are the paper's. Our
    solver reads samples, so a belief without any gets the paper's.
    """
    named = {role: type(part).__name__ for role, part in given.items() if part is not None}
    ours = not named or any(OURS[role] == name for role, name in named.items())
    defaults = dict(OURS if ours else PAPER)
    if given["belief"] is not None and not isinstance(given["belief"], Remembering):
        defaults["solver"] = PAPER["solver"]
    parts = {role: _part(role, part, defaults[role]) for role, part in given.items()}
    if isinstance(parts["solver"], Reader) and not isinstance(parts["belief"], Remembering):
        solver, belief = (type(parts[role]).__name__ for role in ("solver", "belief"))
        reads = f"{solver} reads the clusters from samples of partitions, and {belief} has none"
        raise InvalidInputError(f"{reads}; choose belief=PartitionBelief() or solver=LocalSearch()")
    return parts


def _part(role: str, given: Any, default: str) -> Any:
    """Return the given part, checked to be an object with the method that counts, or else the default one."""
    if given is None:
        return documents.build(role, default, {})
    if isinstance(given, type):
        raise InvalidInputError(f"{role} is the class {given.__name__}; expected {given.__name__}()")
    if not hasattr(given, METHODS[role]):
        raise InvalidInputError(f"{role} is {given!r}, without {METHODS[role]}; expected such as {default}()")
    return given
