"""Which parts a learner is made of: those that were given, and defaults that go with them."""

from dataclasses import fields, is_dataclass
from inspect import signature
from typing import Any

from numpy.typing import ArrayLike

from ofakind.checks import as_count, refuse_strange_pairs
from ofakind.errors import InvalidInputError
from ofakind.pairs import Pairs
from ofakind.posterior.base import SequentialBelief
from ofakind.priors.neighbours import Neighbours
from ofakind.registry import Ability, build
from ofakind.similarity import MAX_OBJECTS
from ofakind.solve.base import SampleSolver

METHODS = {"acquisition": "score", "solver": "__call__", "belief": "__call__"}
OURS = {"acquisition": "InformationGain", "solver": "Consensus", "belief": "PartitionBelief"}
FEATURED = "FeatureBelief"  # with features, our belief is this one
PAPER = {"acquisition": "JEIG", "solver": "LocalSearch", "belief": "MeanFieldBelief"}
REMEDIES = {
    Ability.SAMPLES: "belief=PartitionBelief()",
    Ability.MEAN_FIELD: "belief=MeanFieldBelief(form='dense') and solver=LocalSearch()",
}


def parts_of(*, featured: bool = False, listed: bool = False, **given: Any) -> dict[str, Any]:
    """Return the parts of a learner, each checked, and the default where none is given.

    Where no part is given, or one of our own method is, the others are ours; else they are the paper's. Our
    solver reads samples, so a belief without any gets the paper's. A learner that is ``featured``, with a
    prior from features, needs a belief that can use it; one with ``listed`` candidates may have such a one.
    """
    named = {role: type(part).__name__ for role, part in given.items() if part is not None}
    ours = featured or not named or any(name in (OURS[role], FEATURED) for role, name in named.items())
    defaults = dict(OURS if ours else PAPER)
    if featured:
        defaults["belief"] = FEATURED
    if given["belief"] is not None and not isinstance(given["belief"], SequentialBelief):
        defaults["solver"] = PAPER["solver"]
    parts = {role: _part(role, part, defaults[role]) for role, part in given.items()}
    if not listed or featured:
        _refuse_without_prior(parts["belief"], featured=featured)
    for role in ("acquisition", "solver"):
        _refuse_mismatch(role, parts[role], parts["belief"])
    return parts


def _refuse_without_prior(belief: Any, *, featured: bool) -> None:
    """Refuse a belief that needs features where there are none, or cannot use those that there are."""
    if featured == bool(getattr(belief, "needs_prior", False)):
        return
    if featured:
        got = f"{_called(belief)} cannot use a prior"
        raise InvalidInputError(f"{got}; leave out the belief, or the prior")
    raise InvalidInputError(
        f"{_called(belief)} needs features; give prior=Neighbours..., or candidates, or another belief"
    )


def _refuse_mismatch(role: str, part: Any, belief: Any) -> None:
    """Refuse a part that needs what the posterior of a belief cannot do, as far as both say so."""
    needs: frozenset[Ability] = getattr(part, "needs", frozenset())
    gives: frozenset[Ability] = getattr(belief, "gives", needs)
    missing = sorted(needs - gives, key=lambda ability: ability.value)
    if not missing and isinstance(part, SampleSolver) and not isinstance(belief, SequentialBelief):
        missing = [Ability.SAMPLES]  # somebody else's belief, that needs a clustering to start from
    if missing:
        lacks = f"{_called(part)} needs {missing[0].value}, and {_called(belief)} gives none"
        raise InvalidInputError(f"{lacks}; choose {REMEDIES[missing[0]]}, or another {role}")


def refuse_unpinnable(belief: Any) -> None:
    """Refuse somebody's own sequential belief that has no argument for pins."""
    methods = (belief.update, belief.recall) if isinstance(belief, SequentialBelief) else ()
    parameters = [signature(method).parameters.values() for method in methods]
    if not all(any(one.name == "pins" or one.kind == one.VAR_KEYWORD for one in each) for each in parameters):
        got = f"{type(belief).__name__} knows nothing of pins"
        raise InvalidInputError(
            f"{got}; give its update and recall an argument pins, or tell answers instead"
        )


def _called(part: Any) -> str:
    """Return how a part is written, with the options that are not as usual."""
    options = fields(part) if is_dataclass(part) else ()
    given = {option.name: getattr(part, option.name) for option in options if option.repr}
    usual = {option.name: option.default for option in options}
    chosen = [f"{name}={value!r}" for name, value in given.items() if value != usual[name]]
    return f"{type(part).__name__}({', '.join(chosen)})"


def _part(role: str, given: Any, default: str) -> Any:
    """Return the given part, checked to be an object with the method that counts, or else the default one."""
    if given is None:
        return build(role, default, {})
    if isinstance(given, type):
        raise InvalidInputError(f"{role} is the class {given.__name__}; expected {given.__name__}()")
    if not hasattr(given, METHODS[role]):
        raise InvalidInputError(f"{role} is {given!r}, without {METHODS[role]}; expected such as {default}()")
    return given


def checked_number(n: int) -> int:
    """Return a number of objects that a learner can have."""
    if as_count(n) > MAX_OBJECTS:
        raise InvalidInputError(f"n is {n}; expected at most {MAX_OBJECTS} objects")
    return as_count(n)


def checked_prior(prior: Any, n: int) -> Neighbours | None:
    """Return the features of n objects, checked."""
    if prior is None:
        return None
    if not isinstance(prior, Neighbours):
        got = f"prior is a {type(prior).__name__}"
        raise InvalidInputError(f"{got}; expected Neighbours.from_records(...), from_vectors or from_scores")
    if prior.n != n:
        raise InvalidInputError(f"the prior has {prior.n} objects; expected {n}, as many as the learner")
    return prior


def checked_growth(before: Neighbours | None, prior: Any, n: int) -> Neighbours | None:
    """Return the features of all n objects when some are new; they are needed if there were some before."""
    if (before is None) != (prior is None):
        got = (
            "no prior is given, and there was one"
            if prior is None
            else "a prior is given, and there was none"
        )
        raise InvalidInputError(f"{got}; expected that of all {n} objects where there is one, else none")
    return checked_prior(prior, n)


def checked_candidates(candidates: ArrayLike | None, n: int, belief: Any) -> Pairs | None:
    """Return the pairs that may be asked, checked; a belief may need them."""
    if candidates is None:
        if getattr(belief, "needs_candidates", False):
            got = f"{belief!r} treats all pairs but the candidates as different"
            raise InvalidInputError(f"{got}, and there are none; give candidates or leave out blocked")
        return None
    pairs = Pairs.from_array(candidates)
    refuse_strange_pairs(pairs.u, pairs.v, n)
    return pairs
