"""The pair map: from the features of a pair to the probability that it is of a kind, learned from surprises.

    p = sigma(beta . phi)

What a judge says is worth more of some objects than of others, and that adds to it (`by_object`).

An answer teaches the map only what the clusters did not know already. When a pair is first answered, the log
odds that everything together gave it before, q, are kept as an offset o = logit q - beta . phi, beta being
that of then. From then on beta maximises

    sum over answered pairs of log [s p(answers | same) + (1 - s) p(answers | different)],

with s = sigma(o + beta . phi), minus a penalty for leaving its start. Without offsets the asked pairs, which
are the doubtful ones, would pull the map to 1/2; and learned from the clusters themselves, features would
confirm themselves.

The penalty is quadratic, and has a second part where candidates that nobody asked about should stay as likely
as they were: what the start gives them, p0, counts as some answers spread over all of them,

    answers * mean over candidates of KL(p0 || p).

Questions are about pairs of much the same score. If all of these turn out to be the same, either every pair
is likelier than was thought or likely ones are surer, and answers do not tell which.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from ofakind.arrays import Floats, read_only, restore_read_only
from ofakind.checks import plain_array
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.pairs import Pairs
from ofakind.priors.by_object import BY_OBJECT, ByObject, OwnAnswers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class MapRules:
    """Tuned numbers of the pair map; from a prototype, or chosen by judgement."""

    surest: float = 0.01  # what was expected of a pair counts as at least this far from 0 and from 1
    steps: int = 50  # of Newton's method, at most
    enough: float = 1e-6  # a step that changes no coefficient by more is the last
    halvings: int = 20  # of a step that does not lead upwards
    curved: float = 0.1  # share of its curvature, were it known what it is, that a pair has at least


MAP = MapRules()


class LogPrior(NamedTuple):
    """The log density of coefficients before any answer, but for a constant, and its derivatives."""

    height: float
    gradient: Floats  # (d,)
    information: Floats  # (d, d), minus the second derivatives


@dataclass(frozen=True, slots=True, eq=False)
class MapStart:
    """What is believed of the coefficients before any answer: normal, with this mean and precision.

    What the mean gives some ``candidates``, rows of features, counts as so many ``answers`` about them
    together. The coefficients of ``varying`` columns differ from object to object, normal about those of all
    with the precision ``alike`` (`by_object`).
    """

    mean: Floats  # (d,)
    precision: Floats  # (d, d)
    candidates: Floats | None = None  # (k, d)
    answers: float = 0.0
    varying: tuple[int, ...] = ()
    alike: float = 1.0

    def log_prior(self, beta: Floats) -> LogPrior:
        """Log density at these coefficients: highest, and 0, at the mean.

        >>> start = MapStart(np.zeros(1), np.eye(1), candidates=np.ones((3, 1)), answers=8.0)
        >>> start.log_prior(np.zeros(1))
        LogPrior(height=0.0, gradient=array([0.]), information=array([[3.]]))
        """
        away = beta - self.mean
        pull = -portable.matmul(self.precision, away)
        quadratic = LogPrior(portable.dot(away, pull) / 2, pull, self.precision.copy())
        if self.candidates is None or not len(self.candidates):
            return quadratic
        rows, weight = self.candidates, self.answers / len(self.candidates)
        first, now = portable.matmul(rows, self.mean), portable.matmul(rows, beta)
        p0, p = portable.expit(first), portable.expit(now)
        gained = p0 * (portable.log_expit(now) - portable.log_expit(first)) + (1 - p0) * (
            portable.log_expit(-now) - portable.log_expit(-first)
        )
        return LogPrior(
            quadratic.height + weight * float(gained.sum()),
            quadratic.gradient + weight * portable.matmul(rows.T, p0 - p),
            quadratic.information + weight * portable.gram(rows, p * (1 - p)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class PairMap:
    """What each feature is worth: the coefficients of the log odds, with their deviations.

    The coefficients of ``varying`` columns have so much added ``by_object`` for each of a pair's two. What
    their ``own`` answers taught is taken off the log odds of pairs (`by_object`).

    >>> known = PairMap(("constant", "cosine"), np.array([-2.0, 4.0]), np.array([0.5, 1.0]))
    >>> known.log_odds([[1, 0.5], [1, 1]]).tolist()
    [0.0, 2.0]
    >>> print(known)
    feature    coefficient
    constant   -2.00 ± 0.50
    cosine     +4.00 ± 1.00
    """

    names: tuple[str, ...]
    coefficients: Floats  # (d,)
    deviations: Floats  # (d,)
    varying: tuple[int, ...] = ()
    by_object: Floats | None = None  # (varying columns, n)
    own: OwnAnswers | None = None

    def __post_init__(self) -> None:
        for name in ("coefficients", "deviations"):
            numbers = np.array(plain_array(getattr(self, name), name), np.float64)
            if numbers.shape != (len(self.names),) or not np.isfinite(numbers).all():
                got = f"{name} have shape {numbers.shape}"
                raise InvalidInputError(
                    f"{got}; expected a finite number for each of {len(self.names)} features"
                )
            object.__setattr__(self, name, read_only(numbers))
        if self.by_object is not None:
            table = np.array(plain_array(self.by_object, "by_object"), np.float64)
            if table.ndim != 2 or len(table) != len(self.varying) or not np.isfinite(table).all():
                got = f"by_object has shape {table.shape}"
                raise InvalidInputError(
                    f"{got}; expected finite numbers, a row for each of {len(self.varying)} features"
                )
            object.__setattr__(self, "by_object", read_only(table))

    @classmethod
    def at(cls, names: tuple[str, ...], start: MapStart) -> Self:
        """Return the map before any answer."""
        information = start.log_prior(start.mean).information
        return cls(names, start.mean, np.sqrt(np.diag(portable.inverse(information))))

    def log_odds(self, features: ArrayLike, pairs: Pairs | None = None) -> Floats:
        """Log odds of "same" that these rows of features give: (m, d) -> (m,).

        With their ``pairs``, what is known of single objects counts, too.
        """
        rows = np.asarray(features, np.float64)
        found = portable.matmul(rows, self.coefficients)
        if self.by_object is None or pairs is None:
            return found
        both = self.by_object[:, pairs.u] + self.by_object[:, pairs.v]
        found = found + (rows[:, self.varying] * both.T).sum(axis=1)
        if self.own is None:
            return np.asarray(found)
        return np.asarray(found - self.own.of_pairs(pairs, self.by_object.shape[1]))

    def extended(self, more: int) -> Self:
        """Return it with so many more objects, of which nothing is known."""
        if self.by_object is None:
            return self
        return replace(self, by_object=np.pad(self.by_object, ((0, 0), (0, more))))

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the coefficients, on these axes or in a figure of its own (``ax.figure``).

        Needs matplotlib: ``pip install ofakind[plot]``.
        """
        from ofakind.priors.pair_map_view import draw_map

        return draw_map(self.names, self.coefficients, self.deviations, ax)

    def to_entry(self) -> dict[str, Any]:
        """Return it as it stands in a document."""
        entry = {"names": list(self.names), "beta": self.coefficients, "deviations": self.deviations}
        if self.by_object is None:
            return entry
        varying = {**entry, "varying": list(self.varying), "by_object": self.by_object}
        return varying if self.own is None else {**varying, "own": self.own.to_entry()}

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], n: int) -> Self:
        """Read what `to_entry` gave, checked, for n objects."""
        names = tuple(map(str, entry["names"]))
        varying = tuple(int(column) for column in entry.get("varying", ()))
        if not set(varying) <= set(range(len(names))):
            raise InvalidInputError(f"features {varying} vary, of {len(names)}")
        own = OwnAnswers.from_entry(entry["own"], n) if "own" in entry else None
        found = cls(names, entry["beta"], entry["deviations"], varying, entry.get("by_object"), own)
        if found.by_object is not None and found.by_object.shape[1] != n:
            got = f"what varies by object is known of {found.by_object.shape[1]}"
            raise InvalidInputError(f"{got}; expected {n} objects")
        return found

    def __setstate__(self, values: list[Any]) -> None:
        restore_read_only(self, values)

    def __str__(self) -> str:
        widest = max(map(len, ("feature", *self.names)))
        rows = zip(self.names, self.coefficients, self.deviations, strict=True)
        lines = [f"{name:{widest}}   {beta:+.2f} ± {deviation:.2f}" for name, beta, deviation in rows]
        return "\n".join([f"{'feature':{widest}}   coefficient", *lines])

    def __repr__(self) -> str:
        return f"PairMap({len(self.names)} features)"


def offsets_of(expected: Floats, log_odds: Floats) -> Floats:
    """What was known of pairs besides their features: logit of what was expected, less the map's log odds.

    >>> offsets_of(np.array([0.5]), np.array([2.0])).tolist()
    [-2.0]
    """
    return np.asarray(portable.logit(np.clip(expected, MAP.surest, 1 - MAP.surest)) - log_odds)


def learn_map(
    names: tuple[str, ...],
    start: MapStart,
    features: Floats,
    offsets: Floats,
    ratios: Floats,
    whose: tuple[Pairs, int] | None = None,
) -> PairMap:
    """Learn the map from surprises: pairs with their features, offsets and the log ratios of their answers.

    The likelihood of a noisy answer is not concave, so Newton's method is applied to a bound of it again and
    again (expectation maximisation): what each pair is, given its answer, then how that is predicted best.
    O(steps (m d^2 + d^3)). ``whose`` has the pairs and how many objects there are, for what varies by object.
    """
    if start.varying and whose is not None and len(features):
        return _learn_varying_map(names, start, features, offsets, ratios, whose)
    beta = start.mean.copy()
    for _ in range(MAP.steps):
        log_odds, prior = offsets + portable.matmul(features, beta), start.log_prior(beta)
        same, known = portable.expit(log_odds), portable.expit(log_odds + ratios)
        gradient = portable.matmul(features.T, known - same) + prior.gradient
        information = portable.gram(features, same * (1 - same)) + prior.information
        step = portable.solve(information, gradient)
        beta = beta + step
        if np.abs(step).max(initial=0.0) < MAP.enough:
            break
    known = start.log_prior(beta).information
    return PairMap(
        names, beta, _deviations(features, offsets + portable.matmul(features, beta), ratios, known)
    )


def _learn_varying_map(
    names: tuple[str, ...],
    start: MapStart,
    features: Floats,
    offsets: Floats,
    ratios: Floats,
    whose: tuple[Pairs, int],
) -> PairMap:
    """Learn the map and what varies by object, together.

    O(steps m (d + judges)^2), times the steps of conjugate gradients.
    """
    model = ByObject.of(features[:, start.varying], *whose, start.alike)
    beta, own = _highest(model, start, features, offsets, ratios)
    odds = offsets + portable.matmul(features, beta) + portable.sparse_matmul(model.rows, own)
    same, known = portable.expit(odds), portable.expit(odds + ratios)
    curvature = same * (1 - same) - known * (1 - known)
    weights = np.maximum(curvature, 0.0)  # an answer that leaves its pair open tells nothing
    information = portable.gram(features, weights) + start.log_prior(beta).information
    found = model.marginal(model.blocks(features, weights), information)
    floored = np.maximum(curvature, MAP.curved * same * (1 - same))
    own_answers = OwnAnswers.of(whose[0], model.taught(floored, known - same))
    deviations = np.sqrt(np.diag(portable.inverse(found)))
    return PairMap(names, beta, deviations, start.varying, model.table(own), own_answers)


def _highest(
    model: ByObject, start: MapStart, features: Floats, offsets: Floats, ratios: Floats
) -> tuple[Floats, Floats]:
    """Find where the log density is highest: Newton's method, with a curvature that is kept positive.

    A step is halved until it leads upwards.
    """
    d = features.shape[1]

    def log_odds(at: Floats) -> Floats:
        return np.asarray(
            offsets + portable.matmul(features, at[:d]) + portable.sparse_matmul(model.rows, at[d:])
        )

    def height(at: Floats) -> float:
        odds, own = log_odds(at), at[d:]
        heard = portable.logaddexp(odds + ratios, 0.0) - portable.logaddexp(odds, 0.0)
        return float(
            heard.sum() + start.log_prior(at[:d]).height - model.precision * portable.dot(own, own) / 2
        )

    at = np.concatenate([start.mean, np.zeros(model.rows.shape[1])])
    now = height(at)
    for _ in range(MAP.steps):
        odds, prior = log_odds(at), start.log_prior(at[:d])
        same, known = portable.expit(odds), portable.expit(odds + ratios)
        spread = same * (1 - same)
        weights = np.maximum(spread - known * (1 - known), MAP.curved * spread)
        information = portable.gram(features, weights) + prior.information
        gradient = portable.matmul(features.T, known - same) + prior.gradient
        own_gradient = portable.sparse_matmul(model.rows.T, known - same) - model.precision * at[d:]
        blocks = model.blocks(features, weights)
        step = np.concatenate(model.step(blocks, information, gradient, own_gradient))
        tried = (at + step / 2**halvings for halvings in range(MAP.halvings))
        higher = next((each for each in tried if height(each) >= now), None)
        if higher is None:
            break
        at, now = higher, height(higher)
        if np.abs(step).max(initial=0.0) < BY_OBJECT.moved:
            break
    return at[:d], at[d:]


def _deviations(features: Floats, log_odds: Floats, ratios: Floats, before: Floats) -> Floats:
    """How far coefficients may be off, by the curvature: an answer that leaves its pair open tells less.

    Where that is no maximum, for the steps did not suffice, as if it were known what each pair is.
    """
    same, known = portable.expit(log_odds), portable.expit(log_odds + ratios)
    for left in (known * (1 - known), np.zeros(len(known))):
        found = portable.gram(features, same * (1 - same) - left) + before
        if portable.is_positive_definite(found):
            break
    return np.asarray(np.sqrt(np.diag(portable.inverse(found))))
