"""The simulated oracles: Oracle 1 of the paper, flipped signs, graded answers."""

from math import erfc, sqrt

import numpy as np
import pytest

from ofakind.errors import InvalidInputError
from ofakind.oracles import noise
from ofakind.oracles.base import Oracle
from ofakind.oracles.noisy import FlippingOracle, GradedOracle, NoisyOracle
from ofakind.pairs import Pairs

N = 400
TRUTH = np.arange(N) % 4
PAIRS = Pairs.all(N)  # 79,800 of them
SAME = TRUTH[PAIRS.u] == TRUTH[PAIRS.v]
EXACT = np.where(SAME, 1.0, -1.0)


def within(count: float, expected: float, deviation: float) -> bool:
    """Whether a count is within six standard deviations: a sound oracle fails once in 500 million."""
    return abs(count - expected) <= 6 * deviation


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("gamma", [0.1, 0.4, 0.9])
def test_an_answer_is_true_with_probability_one_minus_gamma(gamma: float, seed: int) -> None:
    exact = np.count_nonzero(NoisyOracle(TRUTH, gamma, seed)(PAIRS) == EXACT)
    assert within(exact, (1 - gamma) * len(PAIRS), np.sqrt(gamma * (1 - gamma) * len(PAIRS)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("which", [SAME, ~SAME])
def test_the_other_answers_are_uniform_whatever_the_truth(which: np.ndarray, seed: int) -> None:
    answers = NoisyOracle(TRUTH, 0.4, seed)(PAIRS)[which]
    noise = answers[np.abs(answers) < 1]
    counts = np.histogram(noise, bins=10, range=(-1, 1))[0]
    expected = len(noise) / 10
    chi_square = np.sum((counts - expected) ** 2 / expected)
    assert chi_square < 50  # nine degrees of freedom: once in ten million


@pytest.mark.parametrize("lag", [1, 2, N])
def test_answers_to_different_pairs_are_uncorrelated(lag: int) -> None:
    noise = NoisyOracle(TRUTH, 1.0)(PAIRS)
    correlation = np.mean(noise[:-lag] * noise[lag:]) / np.mean(noise**2)
    assert within(correlation, 0, 1 / np.sqrt(len(noise) - lag))


def test_asking_again_gets_a_fresh_independent_answer() -> None:
    oracle = NoisyOracle(TRUTH, 1.0)
    first, second = oracle(PAIRS), oracle(PAIRS)
    assert not np.any(first == second)
    assert within(np.mean(first * second) * 3, 0, 1 / np.sqrt(len(PAIRS)))


def test_different_seeds_give_independent_noise() -> None:
    first, second = NoisyOracle(TRUTH, 1.0, seed=0)(PAIRS), NoisyOracle(TRUTH, 1.0, seed=1)(PAIRS)
    assert within(np.mean(first * second) * 3, 0, 1 / np.sqrt(len(PAIRS)))


def test_a_pair_twice_in_one_call_gets_the_answers_of_two_calls() -> None:
    at_once = NoisyOracle(TRUTH, 1.0)([(0, 1), (1, 0), (0, 1)])
    oracle = NoisyOracle(TRUTH, 1.0)
    assert at_once.tolist() == [oracle([(0, 1)])[0] for _ in range(3)]


@pytest.mark.parametrize("seed", [0, 7, 2**80])
def test_the_answer_depends_on_the_pair_and_not_on_order_or_batches(seed: int) -> None:
    together = NoisyOracle(TRUTH, 0.7, seed)(PAIRS)
    order = np.random.default_rng(1).permutation(len(PAIRS))
    oracle, apart = NoisyOracle(TRUTH, 0.7, seed), np.empty(len(PAIRS))
    for rows in np.array_split(order, 7):
        apart[rows] = oracle(np.asarray(PAIRS.take(rows))[:, ::-1])
    assert np.array_equal(together, apart)


def test_no_noise_is_the_truth_and_all_noise_is_never_it() -> None:
    assert np.array_equal(NoisyOracle(TRUTH, 0)(PAIRS), EXACT)
    assert np.all(np.abs(NoisyOracle(TRUTH, 1)(PAIRS)) < 1)


def test_truth_may_be_text_and_no_question_gets_no_answer() -> None:
    oracle = NoisyOracle(["a", "b", "a"], gamma=0)
    assert isinstance(oracle, Oracle)
    assert oracle([(2, 0), (1, 2)]).tolist() == [1.0, -1.0]
    assert oracle([]).shape == NoisyOracle([])(Pairs.empty()).shape == (0,)
    assert oracle([]).dtype == np.float64


@pytest.mark.parametrize("pair", [(0, N), (-1, 2), (3, 3)])
def test_an_impossible_question_is_named(pair: tuple[int, int]) -> None:
    with pytest.raises(InvalidInputError, match=rf"question 1 is \({pair[0]}, {pair[1]}\)"):
        NoisyOracle(TRUTH)([(0, 1), pair])


@pytest.mark.parametrize(
    "arguments",
    [
        *({"gamma": gamma} for gamma in (-0.1, 1.1, np.nan, np.inf, "0", None, True, [0.4])),
        *({"seed": seed} for seed in (-1, 0.5, "0", None, True)),
        *(
            {"truth": truth}
            for truth in ([[1, 2]], 3, None, [0, None], ["a", None], [0, np.nan], ["a", np.nan])
        ),
    ],
)
def test_options_that_cannot_be_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(arguments))):
        NoisyOracle(**{"truth": TRUTH, **arguments})


# -- flipped and graded answers ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("which", [SAME, ~SAME])
def test_that_share_of_the_signs_is_flipped_whatever_the_truth(
    which: np.ndarray, share: float, seed: int
) -> None:
    answers = FlippingOracle(TRUTH, share, seed)(PAIRS)
    assert set(np.abs(answers)) == {1.0}
    wrong = np.count_nonzero(answers[which] != EXACT[which])
    assert within(wrong, share * which.sum(), np.sqrt(share * (1 - share) * which.sum()))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spread", [0.2, 0.5, 2.0])
def test_graded_answers_are_normal_around_half_the_truth_and_cut_at_one(spread: float, seed: int) -> None:
    towards = GradedOracle(TRUTH, spread, seed)(PAIRS) * EXACT  # as if all pairs were of a kind
    for limit in (-1.0, -0.5, 0.0, 0.5, 0.9):
        below = 0.5 * erfc((0.5 - limit) / spread / sqrt(2))
        deviation = np.sqrt(below * (1 - below) * len(PAIRS))
        assert within(np.count_nonzero(towards <= limit), below * len(PAIRS), deviation + 1)
    assert towards.max() == 1.0


def test_without_spread_a_graded_answer_is_half_the_truth() -> None:
    assert np.array_equal(GradedOracle(TRUTH, 0)(PAIRS), EXACT / 2)


@pytest.mark.parametrize(
    "make", [lambda seed: FlippingOracle(TRUTH, 0.5, seed), lambda seed: GradedOracle(TRUTH, 0.5, seed)]
)
def test_asked_again_or_with_another_seed_the_noise_is_independent(make) -> None:
    oracle, other = make(0), make(1)
    centre = np.mean(oracle(PAIRS) * EXACT)
    noise = [answers * EXACT - centre for answers in (oracle(PAIRS), oracle(PAIRS), other(PAIRS))]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        correlation = np.mean(noise[i] * noise[j]) / (noise[i].std() * noise[j].std())
        assert within(correlation, 0, 1 / np.sqrt(len(PAIRS)))


@pytest.mark.parametrize("make", [FlippingOracle, GradedOracle])
@pytest.mark.parametrize("wrong", [-0.1, np.nan, np.inf, "0", None, True])
def test_a_level_of_noise_that_cannot_be_is_refused(make: type, wrong: object) -> None:
    with pytest.raises(InvalidInputError, match=r"share is|spread is"):
        make(TRUTH, wrong)
    with pytest.raises(InvalidInputError, match="seed is -1"):
        make(TRUTH, seed=-1)


def test_a_question_that_is_interrupted_has_not_been_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    oracle = NoisyOracle(TRUTH)
    with monkeypatch.context() as patch:
        patch.setattr(noise, "_unit", interrupt)
        with pytest.raises(KeyboardInterrupt):
            oracle(PAIRS)
    assert np.array_equal(oracle(PAIRS), NoisyOracle(TRUTH)(PAIRS))


def test_an_oracle_says_what_it_is() -> None:
    assert repr(NoisyOracle(TRUTH)) == "NoisyOracle(400 objects, gamma=0.4, seed=0)"
    assert repr(FlippingOracle(TRUTH, 0.2)) == "FlippingOracle(400 objects, share=0.2, seed=0)"
    assert repr(GradedOracle(TRUTH, seed=3)) == "GradedOracle(400 objects, spread=0.5, seed=3)"
