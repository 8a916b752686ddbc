"""What samples say of objects against others: as the plain twin does, with candidates and pins too."""

import numpy as np
import pytest

from ofakind.answers import Answers
from ofakind.pairs import Pairs
from ofakind.posterior.partition.belief import PartitionBelief
from twins.pins import random_pins
from twins.same_cluster import slow_against


def posterior_of(n, rng, *, exponent=1.0, with_candidates=False, with_pins=False):
    """Few samples given random answers of n objects in three clusters."""
    every, truth = np.stack(np.triu_indices(n, 1), axis=1), np.arange(n) % 3
    pairs = rng.permutation(every)[: 2 * n]
    values = np.where(truth[pairs[:, 0]] == truth[pairs[:, 1]], 0.6, -0.6) * rng.choice(
        [1, 1, 1, -1], len(pairs)
    )
    candidates = Pairs.from_array(rng.permutation(every)[: 3 * n]) if with_candidates else None
    pins = random_pins(n, 6, rng) if with_pins else None
    belief = PartitionBelief(chains=2, burn_in=3, samples=4, exponent=exponent)
    answers = Answers.none(n).adding(pairs, values)
    return belief.update(answers, candidates=candidates, pins=pins, rng=rng)


@pytest.mark.parametrize("exponent", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("with_candidates", [False, True])
@pytest.mark.parametrize("with_pins", [False, True])
def test_objects_against_others_are_as_the_plain_twin_has_them(exponent, with_candidates, with_pins):
    for seed in range(3):
        n, rng = 9 + 8 * seed, np.random.default_rng(seed)
        options = {"exponent": exponent, "with_candidates": with_candidates, "with_pins": with_pins}
        posterior = posterior_of(n, rng, **options)
        objects, others = rng.permutation(n)[:7], rng.integers(n, size=(7, 11))
        common = np.broadcast_to(rng.permutation(n)[:6], (7, 6))
        for rows in (others, common, np.array(common)):
            apart = rows != objects[:, None]
            found, expected = posterior.against(objects, rows), slow_against(posterior, objects, rows)
            np.testing.assert_allclose(found[apart], expected[apart], rtol=1e-5, atol=1e-7)
            assert np.all(found[~apart] == 1)
        np.testing.assert_array_equal(
            posterior.against(objects, common), posterior.against(objects, np.array(common))
        )


def test_common_others_that_are_not_there_are_refused_as_any_others():
    posterior = posterior_of(9, np.random.default_rng(0))
    with pytest.raises(ValueError, match="others hold 99; expected some of the 9 objects"):
        posterior.against(np.arange(3), np.broadcast_to(np.array([1, 99]), (3, 2)))
    assert posterior.against(np.arange(3), np.broadcast_to(np.empty(0, np.int64), (3, 0))).shape == (3, 0)
    assert posterior.against(np.arange(2), np.broadcast_to(np.arange(8)[::2], (2, 4))).shape == (2, 4)
