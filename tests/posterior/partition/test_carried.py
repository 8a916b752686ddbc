"""What is carried over from round to round: samples of each chain, its last one last."""

from dataclasses import replace

import numpy as np

from ofakind import Answers
from ofakind.posterior.partition.belief import PartitionBelief


def test_the_first_and_the_last_sample_of_each_chain_are_carried_over():
    belief = PartitionBelief(chains=2, burn_in=0, samples=7)
    answers = Answers.none(9).adding([(0, 1), (1, 2), (3, 4)], [1.0, -1.0, 1.0])
    posterior = belief.update(answers, rng=np.random.default_rng(0))
    carried = belief.carry(posterior)
    assert carried.chain.tolist() == [0] * 5 + [1] * 5
    np.testing.assert_array_equal(carried.labels[[0, 4, 5, 9]], posterior.labels[[0, 6, 7, 13]])
    np.testing.assert_array_equal(carried.concentration[[0, 4, 5, 9]], posterior.concentration[[0, 6, 7, 13]])


def test_when_restarts_were_last_tried_is_saved_apart_from_the_number_of_answers():
    belief = PartitionBelief(chains=1, burn_in=0, samples=1)
    answers = Answers.none(3).adding([(0, 1), (1, 2)], [1.0, -1.0])
    carried = replace(belief.carry(belief.update(answers, rng=np.random.default_rng(0))), tried_at=1)
    restored = belief.restore(carried.to_entry(), 3)
    assert (restored.n_answers, restored.tried_at) == (2, 1)
