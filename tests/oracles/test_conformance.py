"""What holds of every oracle. A new one joins by standing in the list below."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run
from ofakind.errors import InvalidInputError
from ofakind.oracles.base import Oracle
from ofakind.oracles.crowd import CrowdOracle
from ofakind.oracles.features import FeatureOracle
from ofakind.oracles.model import PairModel
from ofakind.oracles.noisy import FlippingOracle, GradedOracle, NoisyOracle
from ofakind.oracles.replay import ReplayOracle
from ofakind.pairs import Pairs

N = 12
TRUTH = np.arange(N) % 3
EVERY = Pairs.all(N)


def replay() -> Oracle:
    return ReplayOracle(EVERY, np.linspace(-1, 1, len(EVERY)))


def compare() -> Oracle:
    near = FeatureOracle(lambda left, right: 1.0 - np.minimum(abs(left - right)[:, 0], 2.0))
    return near.bind(TRUTH[:, None].astype(np.float64))


def crowd() -> Oracle:
    three = np.repeat(np.asarray(EVERY), 3, axis=0)
    return CrowdOracle(three, np.linspace(-1, 1, len(three)), seed=1)


@cache
def pair_model() -> PairModel:
    kinds = np.arange(30) % 3
    features = kinds[:, None] + np.random.default_rng(0).normal(size=(30, 2))
    return PairModel.fit(features, kinds, rng=np.random.default_rng(1))


def model() -> Oracle:
    return pair_model().oracle(TRUTH[:, None] + np.random.default_rng(2).normal(size=(N, 2)))


MAKERS: dict[str, Callable[[], Oracle]] = {
    "noisy": lambda: NoisyOracle(TRUTH, gamma=0.4, seed=1),
    "noise-free": lambda: NoisyOracle(TRUTH, gamma=0.0),
    "flipping": lambda: FlippingOracle(TRUTH, share=0.2, seed=1),
    "graded": lambda: GradedOracle(TRUTH, spread=0.5, seed=1),
    "replay": replay,
    "features": compare,
    "crowd": crowd,
    "model": model,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
class TestConformance:
    @pytest.mark.slow
    def test_an_answer_is_a_number_in_range_for_each_pair(self, make: Callable[[], Oracle]) -> None:
        answers = make()(EVERY)
        assert answers.dtype == np.float64
        assert answers.shape == (len(EVERY),)
        assert np.all(np.abs(answers) <= 1)

    def test_pairs_arrays_and_lists_get_the_same_answers(self, make: Callable[[], Oracle]) -> None:
        expected = make()(EVERY)
        same: list[Any] = [np.asarray(EVERY), [tuple(pair) for pair in EVERY], np.asarray(EVERY)[:, ::-1]]
        for pairs in same:
            assert np.array_equal(make()(pairs), expected)

    def test_the_same_oracle_made_twice_answers_alike_in_any_batches(
        self, make: Callable[[], Oracle]
    ) -> None:
        oracle = make()
        parts = [oracle(EVERY.take(slice(start, start + 7))) for start in range(0, len(EVERY), 7)]
        assert np.array_equal(np.concatenate(parts), make()(EVERY))

    def test_no_pairs_get_no_answers(self, make: Callable[[], Oracle]) -> None:
        assert make()(Pairs.empty()).shape == (0,)

    @pytest.mark.parametrize("pair", [(0, N), (-1, 2)])
    def test_a_stranger_is_refused(self, make: Callable[[], Oracle], pair: tuple[int, int]) -> None:
        with pytest.raises(InvalidInputError):
            make()([pair])

    def test_what_it_is_given_does_not_change(self, make: Callable[[], Oracle]) -> None:
        pairs = np.asarray(EVERY)[:, ::-1].copy()
        before = pairs.copy()
        make()(pairs)
        assert np.array_equal(pairs, before)

    def test_a_learner_can_be_run_with_it(self, make: Callable[[], Oracle]) -> None:
        *_, last = run(ActiveClustering(N, seed=0), make(), budget=40)
        assert last.n_answers == 40
