"""What an answer is worth: how likely each kind of answer is for pairs of a kind, and for others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ofakind.arrays import Floats, read_only
from ofakind.checks import numbers_within, plain_array, real_number
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.noise.evidence import Bins, Evidence
from ofakind.noise.misleading import learn_looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class CalibrationRules:
    """Tuned numbers of calibration, chosen by judgement but for the paper's."""

    slope: float = 3.0  # before anything is learned an answer s has the log ratio slope * s: the paper's beta
    largest: float = 7.0  # no pair's answers say more than e^7, about 1100 to 1, however many they are
    unseen: float = 1.0  # answers of each kind in the prior besides those given, so that none is impossible


CALIBRATION = CalibrationRules()


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """What answers of each kind tell, in general and from each annotator whose name is known.

    A pair looks the same or looks different, and all answers to it follow its looks. A pair of a kind looks
    different with the first of the probabilities ``misleading``, a pair of two kinds looks the same with the
    second. ``looks_same`` and ``looks_different`` are tables of the probability of each kind of answer to
    such a pair: row 0 in general, row i + 1 from annotator i; their rows sum to 1. ``shares`` is the share of
    each kind among the answers that all this was learned from. With a ``slope``, nothing was learned: a pair
    is worth ``slope`` times its mean answer.

    What cannot be noticed: that everybody errs on the same pairs, while each pair is asked once; and that the
    only annotator inverts everything, but for the contradictions that arise (if u is like v and v like w,
    then u is like w: the opposite of that does not hold).

    >>> from ofakind.answers import Answers
    >>> calibration = learn(Evidence.of(Answers.none(3)))  # no answers yet
    >>> calibration.log_ratio([-1, 1]).round(2).tolist()
    [-3.0, 3.0]
    >>> print(calibration)
    answer   share   if same   if different   speaks for
    -1.00    50.0%     0.047          0.953   different, 20.1 to 1
    +1.00    50.0%     0.953          0.047   same, 20.1 to 1
    anybody: wrong about 4.7% of the same, 4.7% of the others
    """

    bins: Bins
    shares: Floats
    looks_same: Floats
    looks_different: Floats
    misleading: tuple[float, float] = (0.0, 0.0)
    annotators: tuple[str, ...] = ()
    slope: float | None = None

    def __post_init__(self) -> None:
        shape = (len(self.annotators) + 1, len(self.centres))
        for name in ("looks_same", "looks_different"):
            table = np.asarray(getattr(self, name), np.float64)
            if table.shape != shape or not (table > 0).all() or not np.allclose(table.sum(axis=1), 1):
                got = f"{name} has shape {table.shape}, rows that sum to {table.sum(axis=-1)!s:.60}"
                raise InvalidInputError(f"{got}; expected {shape}, positive, rows that sum to 1")
            table = table.view()
            table.flags.writeable = False
            object.__setattr__(self, name, table)
        if not all(0 <= chance < 0.5 for chance in self.misleading):
            raise InvalidInputError(
                f"misleading is {self.misleading}; expected two numbers from 0 to below .5"
            )

    @classmethod
    def fixed(cls, slope: float) -> Self:
        """Take a pair's mean answer times ``slope`` for its log ratio: the Gibbs distribution, beta = slope.

        One more answer is taken for -1 or 1, and wrong with probability 1 / (1 + e^slope).

        >>> Calibration.fixed(3).log_ratio([-1, 0.5]).tolist()
        [-3.0, 1.5]
        """
        slope = real_number("slope", slope, least=0)
        wrong = 1 / (1 + portable.exp(min(slope, 690)))  # never quite 0
        same = np.array([[wrong, 1 - wrong]])
        return cls(Bins.fitting([]), np.full(2, 0.5), same, same[:, ::-1], slope=slope)

    @property
    def centres(self) -> Floats:
        """Mean value of each kind of answer."""
        return self.bins.centres

    @property
    def same(self) -> Floats:
        """Probability of each kind of answer to a pair of a kind, from anybody; sums to 1."""
        return np.asarray(self.tables()[0][0])

    @property
    def different(self) -> Floats:
        """Probability of each kind of answer to a pair of two kinds, from anybody; sums to 1."""
        return np.asarray(self.tables()[1][0])

    def tables(self) -> tuple[Floats, Floats]:
        """Probability of each kind of answer if same, if different: row 0 in general, then by annotator."""
        d, e = self.misleading
        looks_same, looks_different = self.looks_same, self.looks_different
        return (1 - d) * looks_same + d * looks_different, e * looks_same + (1 - e) * looks_different

    def log_ratio(self, values: ArrayLike, annotator: str | None = None) -> Floats:
        """Log of how many times likelier a pair's only answer is if the pair is of a kind.

        An annotator who is not known here counts as anybody. Within -7 and 7, but for a fixed slope.
        """
        given = numbers_within("values", values, -1)
        if self.slope is not None:
            return self.slope * given
        return np.asarray(self.log_ratios()[self._row(annotator)][self.bins.of(given)])

    def log_ratios(self) -> Floats:
        """Log ratio of each kind of answer, within -7 and 7: row 0 in general, then by annotator."""
        return _mixed(portable.log(self.looks_same / self.looks_different), self.misleading)

    def error_rates(self, annotator: str | None = None) -> tuple[float, float]:
        """Probability of an answer below 0 to a pair of a kind, and of one above 0 to another pair.

        An annotator who is not known here counts as anybody.

        >>> [round(rate, 3) for rate in Calibration.fixed(3).error_rates("Ada")]
        [0.047, 0.047]
        """
        same, different = (table[self._row(annotator)] for table in self.tables())
        return float(same[self.centres < 0].sum()), float(different[self.centres > 0].sum())

    def _row(self, annotator: str | None) -> int:
        return self.annotators.index(annotator) + 1 if annotator in self.annotators else 0

    def information(self, probability: ArrayLike) -> Floats:
        """Mutual information in nats between "same", of this probability, and one more answer by anybody.

        0 at 0 and 1, never negative, at most the entropy of the probability. Exact, O(kinds) each.

        >>> Calibration.fixed(100).information([0, 0.5, 1]).round(4).tolist()
        [0.0, 0.6931, 0.0]
        """
        p = numbers_within("probabilities", probability, 0)
        total = np.zeros(p.shape)
        for same, different in zip(self.same, self.different, strict=True):
            either = p * same + (1 - p) * different
            total += p * same * portable.log(same / either) + (1 - p) * different * portable.log(
                different / either
            )
        return np.maximum(total, 0)

    def to_entry(self) -> dict[str, Any]:
        """Return everything as arrays, numbers and text, for a document; `from_entry` reads it.

        >>> Calibration.from_entry(Calibration.fixed(2).to_entry()).slope
        2.0
        """
        bins = {"atoms": self.bins.atoms, "cuts": self.bins.cuts, "centres": self.bins.centres}
        tables = {"looks_same": self.looks_same, "looks_different": self.looks_different}
        learned = {"shares": self.shares, "misleading": list(self.misleading), "slope": self.slope}
        return bins | tables | learned | {"annotators": list(self.annotators)}

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Self:
        """Build a calibration from its entry, checked."""
        names = ("atoms", "cuts", "centres", "shares", "looks_same", "looks_different")
        atoms, cuts, centres, shares, same, different = (_numbers(entry, name) for name in names)
        ranges = 2 * (len(cuts) + 1) if len(cuts) or len(centres) > len(atoms) else 0
        ordered = all(part.ndim == 1 and (np.diff(part) > 0).all() for part in (atoms, cuts))
        if not ordered or not centres.shape == shares.shape == (len(atoms) + ranges,):
            raise InvalidInputError("atoms, cuts, centres and shares are not those of kinds of answers")
        people, slope = entry["annotators"], entry["slope"]
        if not all(isinstance(name, str) for name in people):
            raise InvalidInputError(f"got annotators {people!r:.80}; expected names")
        first, second = (real_number("misleading", chance) for chance in entry["misleading"])
        slope = None if slope is None else real_number("slope", slope, least=0)
        return cls(Bins(atoms, cuts, centres), shares, same, different, (first, second), tuple(people), slope)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw what an answer is worth over its value, on these axes or in a figure of its own.

        Dots are kinds of answers, broad strokes the values that share one; below stand the shares of the
        kinds. The legend says how often answers are wrong. Of many annotators the four whose answers differ
        most from anybody's have a colour. Needs matplotlib: ``pip install ofakind[plot]``. The figure is
        ``ax.figure``, for ``ax.figure.savefig("worth.png")``.
        """
        from ofakind.noise.calibration_views import draw

        return draw(self, ax)

    def __str__(self) -> str:
        from ofakind.noise.calibration_views import described

        return "\n".join(described(self))

    def __repr__(self) -> str:
        if self.slope is not None:
            return f"Calibration.fixed({self.slope})"
        d, e = (f"{100 * chance:.1f}%" for chance in self.misleading)
        kinds, people = len(self.bins), len(self.annotators)
        return f"Calibration({kinds} kinds of answers, {people} annotators, {d} and {e} of pairs mislead)"


def _mixed(looks: Floats, misleading: tuple[float, float]) -> Floats:
    """Log ratio of "same" to "different" from that of "looks the same" to "looks different"."""
    d, e = misleading
    if d == e == 0:
        return np.asarray(np.clip(looks, -CALIBRATION.largest, CALIBRATION.largest))
    with np.errstate(divide="ignore"):  # log 0: no pair misleads in this way
        if_same = portable.logaddexp(portable.log1p(-d) + looks, portable.log(d))
        if_different = portable.logaddexp(portable.log(e) + looks, portable.log1p(-e))
    return np.asarray(np.clip(if_same - if_different, -CALIBRATION.largest, CALIBRATION.largest))


def _numbers(entry: Mapping[str, Any], name: str) -> Floats:
    array = plain_array(entry[name], name).astype(np.float64)
    if not np.isfinite(array).all():
        raise InvalidInputError(f"{name} holds numbers that are not finite")
    return read_only(array)


def pair_weights(evidence: Evidence, calibration: Calibration) -> Floats:
    """Log-likelihood ratio of all answers to each pair, in the order of ``evidence.pairs``.

    Several answers to a pair add up as far as misleading looks let them, and never beyond -7 and 7; under a
    fixed slope they are averaged. The calibration may be that of other answers. O(answers).

    >>> from ofakind.answers import Answers
    >>> evidence = Evidence.of(Answers.none(2).adding([(0, 1)] * 2, [1, -1]))
    >>> pair_weights(evidence, learn(evidence)).round(9).tolist()
    [0.0]
    """
    if calibration.slope is not None:
        return np.asarray(calibration.slope * evidence.sums(evidence.value) / evidence.counts, np.float64)
    looks = portable.log(calibration.looks_same / calibration.looks_different)
    cells = evidence.cells(calibration.bins, calibration.annotators)
    return _mixed(evidence.sums(looks[cells]), calibration.misleading)


def learn(
    evidence: Evidence,
    same: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    known: Floats | None = None,
    slope: float = CALIBRATION.slope,
) -> Calibration:
    """Learn what answers are worth from how likely each pair of the evidence is of a kind (the M step of EM).

    Without these probabilities only the kinds of answers are taken from the evidence, and an answer s has
    the log ratio ``slope`` times s (s is the middle of its kind). ``weights`` says how much each answer
    counts, in the order of the table of answers. Whether pairs mislead shows only where pairs have several
    answers: with fewer than 30 of these no pair does, as far as is known; and only as far as kinds are
    ``known`` from elsewhere, in [0, 1] for each pair (1 if not given). Unless the answers to those pairs are
    clearly likelier with other shares (by 20 nats), 2% of the pairs of either sort mislead.

    O(answers), and with 30 such pairs as much again for each of at most 300 steps, in which all pairs with
    one answer count as a few.

    >>> from ofakind.answers import Answers
    >>> pairs = [(0, i) for i in range(1, 101)]
    >>> evidence = Evidence.of(Answers.none(101).adding(pairs, [1] * 50 + [-1] * 50))
    >>> print(learn(evidence, [1] * 50 + [0] * 50))
    answer   share   if same   if different   speaks for
    -1.00    50.0%     0.024          0.976   different, 41.2 to 1
    +1.00    50.0%     0.976          0.024   same, 41.2 to 1
    anybody: wrong about 2.4% of the same, 2.4% of the others
    """
    shares, prior = _prior(evidence, slope)
    people = len(evidence.annotators)
    if same is None:
        tables, misleading = np.repeat(prior[:, None], people + 1, axis=1), (0.0, 0.0)
    else:
        probability, amount = _checked(evidence, same, weights)
        tables, misleading = learn_looks(evidence, probability, amount=amount, known=known, prior=prior)
    return Calibration(evidence.bins, shares, tables[0], tables[1], misleading, evidence.annotators)


def _checked(evidence: Evidence, same: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    """Probability of each pair and weight of each answer, both in the order of the evidence."""
    probability = np.asarray(same, np.float64)
    amount = np.ones(len(evidence.row)) if weights is None else np.asarray(weights, np.float64)
    if probability.shape != evidence.pairs.u.shape or not ((probability >= 0) & (probability <= 1)).all():
        got = f"same has shape {probability.shape}, {len(evidence.pairs)} pairs were answered"
        raise InvalidInputError(f"{got}; expected a probability from 0 to 1 for each pair")
    if amount.shape != evidence.row.shape or not ((amount >= 0) & (amount < np.inf)).all():
        got = f"weights have shape {amount.shape} for {len(evidence.row)} answers"
        raise InvalidInputError(f"{got}; expected a finite number, 0 or more, for each answer")
    return probability, amount[evidence.row]


def _prior(evidence: Evidence, slope: float) -> tuple[Floats, Floats]:
    """Share of each kind of answer, and its probability if same and if different before anything is learned.

    The prior is the histogram of all answers and their opposites, tilted so that an answer s has the log
    ratio slope * s.
    """
    bins, kinds = evidence.bins, len(evidence.bins.centres)
    given = np.bincount(evidence.kind, minlength=kinds)
    atoms, ranges = np.split(given, [len(bins.atoms)])  # each in the order of its values, which mirror at 0
    opposite = np.r_[atoms[::-1], ranges[::-1]]
    histogram = given + opposite + CALIBRATION.unseen
    tilt = portable.exp(slope / 2 * bins.centres)
    prior = np.stack([histogram * tilt, histogram / tilt])
    shares = given / given.sum() if given.any() else np.full(kinds, 1 / kinds)
    return shares, prior / prior.sum(axis=1, keepdims=True)
