"""Any posterior with pins is certain of what they decide, and says what it said of all else."""

import numpy as np

from ofakind import Abilities, Posterior
from ofakind.noise.channel import SymmetricChannel
from ofakind.pins import Pins
from ofakind.posterior.base import abilities_of
from ofakind.posterior.pinned import PinnedPosterior


class Undecided:
    abilities = Abilities(samples=object(), answers=SymmetricChannel(0.1))

    def same_probability(self, u, v):
        return np.full(len(u), 0.5)

    def pair_entropy(self, u, v):
        return np.full(len(u), np.log(2))


def test_what_pins_decide_is_certain_and_the_rest_as_before():
    pins = Pins.none(4).adding(np.array([0]), np.array([1]), same=True)
    posterior = PinnedPosterior(Undecided(), pins.adding(np.array([1]), np.array([2]), same=False))
    assert isinstance(posterior, Posterior)
    u, v = [0, 0, 2, 3], [1, 2, 1, 0]
    assert posterior.same_probability(u, v).tolist() == [1.0, 0.0, 0.0, 0.5]
    assert posterior.pair_entropy(u, v).tolist() == [0.0, 0.0, 0.0, np.log(2)]


def test_samples_that_may_break_pins_are_not_given_away():
    able = abilities_of(PinnedPosterior(Undecided(), Pins.none(4)))
    assert able.samples is None
    assert able.answers is Undecided.abilities.answers
