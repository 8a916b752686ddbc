"""What is carried over from belief to belief."""

import json
from dataclasses import replace

import numpy as np
import pytest

from ofakind import Answers, Pairs
from ofakind.engine.document import plain
from ofakind.posterior.partition.belief import PartitionBelief


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("blocked", [False, True])
def test_a_posterior_is_made_again_to_the_last_bit_from_what_was_carried_over(saved, blocked):
    belief, candidates = PartitionBelief(blocked=blocked), Pairs.all(9).take(slice(0, None, 2))
    pairs, values = [(0, 1), (1, 2), (3, 4), (0, 1)], [1.0, -1.0, 0.3, 0.7]
    answers = Answers.none(9).adding(pairs, values, ["Ada", "Bob", "Ada", "Bob"])
    posterior = belief.update(answers, candidates=candidates, rng=np.random.default_rng(0))
    carried = belief.carry(posterior)
    if saved:
        carried = belief.restore(json.loads(json.dumps(plain(carried.to_entry()))), 9)
    again = belief.recall(carried, answers, candidates=candidates)
    u, v = np.triu_indices(9, 1)
    np.testing.assert_array_equal(again.same_probability(u, v), posterior.same_probability(u, v))
    np.testing.assert_array_equal(again.weights, posterior.weights)
    for name in ("labels", "chain", "concentration", "answered_same"):
        np.testing.assert_array_equal(getattr(again, name), getattr(posterior, name))
        assert not getattr(again, name).flags.writeable
    for name in ("n_answers", "log_likelihood", "fit", "tried_at", "renewed_at", "background", "exponent"):
        assert getattr(again, name) == getattr(posterior, name)


def test_when_restarts_were_last_tried_is_saved_apart_from_the_number_of_answers():
    belief = PartitionBelief(chains=1, burn_in=0, samples=1)
    answers = Answers.none(3).adding([(0, 1), (1, 2)], [1.0, -1.0])
    carried = replace(belief.carry(belief.update(answers, rng=np.random.default_rng(0))), tried_at=1)
    restored = belief.restore(carried.to_entry(), 3)
    assert (restored.n_answers, restored.tried_at) == (2, 1)


def test_what_was_counted_in_answers_counts_those_that_are_taken_back_no_longer():
    belief = PartitionBelief(chains=1, burn_in=0, samples=1)
    answers = Answers.none(5).adding([(0, 1), (1, 2), (2, 3), (3, 4)], [1.0, -1.0, 1.0, 1.0])
    carried = belief.carry(belief.update(answers.first(3), rng=np.random.default_rng(0)))
    carried = replace(carried, tried_at=1, renewed_at=2)
    after = carried.without(np.array([True, False, True, True]), np.array([0, 1, 2, 3, 4]))
    assert (after.n_answers, after.tried_at, after.renewed_at) == (1, 0, 1)
    assert after.touched.tolist() == [0, 1, 2, 3, 4]
