"""Which parts a learner is made of: those that were given, and defaults that go with them."""

from typing import Any

from ofakind import document as documents
from ofakind.errors import InvalidInputError
from ofakind.posterior.base import Reader, Remembering

METHODS = {"acquisition": "score", "solver": "__call__", "belief": "__call__"}
OURS = {"acquisition": "InformationGain", "solver": "Consensus", "belief": "PartitionBelief"}
PAPER = {"acquisition": "JEIG", "solver": "LocalSearch", "belief": "MeanFieldBelief"}
FIELD = ("JEIG", "EIGO")  # they need a mean field; and so does Entropy on a GPU


def parts_of(**given: Any) -> dict[str, Any]:
    """Return the parts of a learner, each checked, and the default where none is given.

    Where no part is given, or one of our own method is, the others are ours; else they are the paper's. Our
    solver reads samples, so a belief without any gets the paper's.
    """
    named = {role: _name(part) for role, part in given.items() if part is not None}
    ours = not named or any(OURS[role] == name for role, name in named.items())
    defaults = dict(OURS if ours else PAPER)
    if given["belief"] is not None and not isinstance(given["belief"], Remembering):
        defaults["solver"] = PAPER["solver"]
    parts = {role: _part(role, part, defaults[role]) for role, part in given.items()}
    _refuse_without_field(parts, {role for role, part in given.items() if part is not None})
    _refuse_without_samples(parts)
    return parts


def _refuse_without_field(parts: dict[str, Any], given: set[str]) -> None:
    """Refuse one of our acquisition functions that needs a mean field with one of our beliefs without one."""
    acquisition, belief = parts["acquisition"], parts["belief"]
    if not _needs_field(acquisition):
        return
    if _is_ours("belief", belief, "PartitionBelief"):
        ours = [role for role in ("solver", "belief") if role in given and _name(parts[role]) == OURS[role]]
        lacks = "a mean field, and PartitionBelief gives none"
        remedy = "leave out " + " and ".join(f"{role}={OURS[role]}()" for role in ours)
    elif _is_ours("belief", belief, "MeanFieldBelief") and belief.form == "sparse":
        lacks = "a dense mean field, and MeanFieldBelief(form='sparse') gives none"
        remedy = "choose belief=MeanFieldBelief(form='dense')"
    else:
        return
    who, other = _name(acquisition), "InformationGain"
    if who not in FIELD:
        who, other = f"{who}(device='cuda')", who
    raise InvalidInputError(f"{who} needs {lacks}; {remedy} or choose acquisition={other}()")


def _refuse_without_samples(parts: dict[str, Any]) -> None:
    """Refuse a solver that reads samples with a belief that has none."""
    if isinstance(parts["solver"], Reader) and not isinstance(parts["belief"], Remembering):
        solver, belief = (_name(parts[role]) for role in ("solver", "belief"))
        reads = f"{solver} reads the clusters from samples of partitions, and {belief} has none"
        other = "" if _needs_field(parts["acquisition"]) else "belief=PartitionBelief() or "
        raise InvalidInputError(f"{reads}; choose {other}solver=LocalSearch()")


def _needs_field(acquisition: Any) -> bool:
    """Whether this is one of ours that works on a mean field only; of others nothing is known."""
    if any(_is_ours("acquisition", acquisition, name) for name in FIELD):
        return True
    return _is_ours("acquisition", acquisition, "Entropy") and acquisition.device == "cuda"


def _is_ours(role: str, part: Any, name: str) -> bool:
    return _name(part) == name and type(part).__module__ == documents.PARTS[role][name]


def _name(part: Any) -> str:
    return type(part).__name__


def _part(role: str, given: Any, default: str) -> Any:
    """Return the given part, checked to be an object with the method that counts, or else the default one."""
    if given is None:
        return documents.build(role, default, {})
    if isinstance(given, type):
        raise InvalidInputError(f"{role} is the class {given.__name__}; expected {given.__name__}()")
    if not hasattr(given, METHODS[role]):
        raise InvalidInputError(f"{role} is {given!r}, without {METHODS[role]}; expected such as {default}()")
    return given
