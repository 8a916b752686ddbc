"""What may be expected before any answer: how many candidate pairs are of a kind, by features alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ofakind.kernels import portable
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.start import same_at_start


@dataclass(frozen=True, slots=True)
class OutlookRules:
    """How far a guess from other data may be off; from trials on seven public sets of records."""

    doubt: float = 1.6  # log odds; chosen by judgement: the most that it was off there (1.6 twice, else 0.5)


OUTLOOK = OutlookRules()


@dataclass(frozen=True, slots=True)
class Outlook:
    """Of ``n_pairs`` candidates, a share of ``low`` to ``high`` may be of a kind.

    It comes from what such features were worth on other data, and no answer has been looked at. ``alone`` is
    the number of objects without any candidate.
    """

    n_pairs: int
    low: float
    high: float
    alone: int

    def __str__(self) -> str:
        if not self.n_pairs:
            return "no candidate pairs"
        shares = f"{_percent(self.low)} to {_percent(self.high)} % of them may be of a kind"
        alone = f", {self.alone:,} without any" if self.alone else ""
        pairs = f"{self.n_pairs:,} candidate pair{'s' if self.n_pairs > 1 else ''}"
        return f"{pairs}, {shares}{alone}"


def outlook_of(graph: Neighbours) -> Outlook:
    """Say what a candidate graph promises before any answer."""
    alone = graph.n - len(np.union1d(graph.pairs.u, graph.pairs.v))
    if not len(graph.pairs):
        return Outlook(0, 0.0, 0.0, alone)
    share = float(same_at_start(graph).mean())
    odds = portable.log(share) - portable.log1p(-share)
    low, high = (float(_sigmoid(odds + shift)) for shift in (-OUTLOOK.doubt, OUTLOOK.doubt))
    return Outlook(len(graph.pairs), low, high, alone)


def _sigmoid(odds: Any) -> Any:
    return portable.expit(odds)


def _percent(share: float) -> str:
    """Write a share in per cent: in whole numbers, or what is below one.

    >>> _percent(0.0003), _percent(0.004), _percent(0.124)
    ('0.03', '0.4', '12')
    """
    return f"{100 * share:.0f}" if share >= 0.01 else f"{100 * share:.1g}"
