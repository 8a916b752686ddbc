"""How fast somebody answers, by pairs and by screens, and which of the two tells more in a minute."""

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import Literal

import numpy as np

from ofakind.acquire.information.score import answer_information
from ofakind.engine.learner import ActiveClustering
from ofakind.posterior.base import abilities_of
from ofakind.project.events import AnswerGiven
from ofakind.project.ledger import Ledger


@dataclass(frozen=True, slots=True)
class SpeedRules:
    """What is taken of somebody's answers; by judgement."""

    recent: int = 50  # answers of a kind, the newest, whose median counts: people get faster
    looked_at: int = 2000  # events at most in which they are looked for
    least: int = 5  # answers of both kinds from which on the two are compared


SPEED = SpeedRules()


@dataclass(frozen=True, slots=True)
class Gains:
    """What the next question is expected to tell, in nats: by pairs, each of them, and as a screen."""

    pair: float
    screen: float


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast somebody answers: median seconds per pair and per screen, None where none were measured.

    ``gains`` is what one of each is expected to tell now; None before anything is believed.
    """

    pairs: float | None
    screens: float | None
    n_pairs: int = 0
    n_screens: int = 0
    gains: Gains | None = None

    @property
    def pairs_per_minute(self) -> float | None:
        """Nats per minute by pairs."""
        return _per_minute(self.pairs, None if self.gains is None else self.gains.pair)

    @property
    def screens_per_minute(self) -> float | None:
        """Nats per minute by screens."""
        return _per_minute(self.screens, None if self.gains is None else self.gains.screen)

    @property
    def quicker(self) -> Literal["pairs", "screens"] | None:
        """What tells more in a minute, "pairs" or "screens"; None while too few of both were measured.

        >>> Pace(2.0, 8.0, 20, 20, Gains(0.3, 2.0)).quicker
        'screens'
        """
        one, other = self.pairs_per_minute, self.screens_per_minute
        if one is None or other is None or min(self.n_pairs, self.n_screens) < SPEED.least:
            return None
        return "screens" if other > one else "pairs"


def pace_of(ledger: Ledger, annotator: str, gains: Gains | None) -> Pace:
    """Return how fast somebody answers; what was taken back took its time all the same."""
    took: dict[bool, list[float]] = {False: [], True: []}
    for event in _answers(ledger, annotator):
        one_of_screens = len(event.pairs) > 1
        if event.milliseconds and event.replaces is None and len(took[one_of_screens]) < SPEED.recent:
            took[one_of_screens].append(event.milliseconds / 1000)
    pairs, screens = took[False], took[True]
    return Pace(_middle(pairs), _middle(screens), len(pairs), len(screens), gains)


def gains_of(learner: ActiveClustering, size: int) -> Gains | None:
    """Return what the next pair, and the next screen with so many others, are expected to tell.

    The learner itself asks nothing. Of pairs it is the mean of as many as the screen has. None where nothing
    is believed yet, or nothing is left to ask.
    """
    screen, pairs = copy.copy(learner).ask_screen(size), copy.copy(learner).ask(size)
    if not len(pairs) or not np.isfinite(screen.worth).all():
        return None
    information = answer_information(abilities_of(learner.posterior))
    single = information(learner.posterior.same_probability(pairs.u, pairs.v))
    return Gains(float(single.mean()), float(screen.worth.sum()))


def _answers(ledger: Ledger, annotator: str) -> Iterable[AnswerGiven]:
    """Give the last answers of somebody, the newest first."""
    for event in islice(reversed(ledger.events.values()), SPEED.looked_at):
        if isinstance(event, AnswerGiven) and event.annotator == annotator:
            yield event


def _middle(seconds: list[float]) -> float | None:
    return median(seconds) if seconds else None


def _per_minute(seconds: float | None, nats: float | None) -> float | None:
    return None if nats is None or not seconds else 60 * nats / seconds
