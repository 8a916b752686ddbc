"""The steps of a round: what each takes over from the round before."""

import numpy as np

from ofakind import Answers
from ofakind.noise.calibration import Calibration, learn, pair_weights
from ofakind.noise.evidence import Evidence
from ofakind.noise.tempering import Tempering
from ofakind.posterior.partition.carried import CarriedSamples
from ofakind.posterior.partition.loop import Fit, Past, Problem, temper, warm_start
from ofakind.posterior.partition.schedule import THOROUGH


def test_each_chain_starts_from_its_last_carried_sample():
    labels = np.array([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 1, 1], [0, 1, 2, 2]], np.int32)
    carried = CarriedSamples(
        labels, np.array([0, 0, 1, 1]), np.ones(4), 0, Calibration.fixed(3.0), Tempering()
    )
    answers = Answers.none(4).adding([(0, 1)], [1.0])
    problem = Problem.of(answers, None, THOROUGH, exponent=1.0, calibrate=True, n_jobs=None)
    fit, _ = warm_start(problem, carried, np.random.default_rng(0).spawn(2))
    np.testing.assert_array_equal([chain.labels for chain in fit.chains], labels[[1, 3]])


def test_tempering_goes_on_from_that_of_the_round_before():
    surprised = Tempering().after(np.full(100, 0.99), np.resize([3.0, -3.0], 100))
    one_more = Evidence.of(Answers.none(2).adding([(0, 1)], [1.0]))
    usual = learn(one_more)
    past = Past(surprised, one_more, np.array([0.9]))
    after = temper(Fit((), usual, pair_weights(one_more, usual)), past).tempering
    assert surprised.value < 0.2
    assert after.value < 0.3  # one answer that was predicted does not make up for a hundred surprises
