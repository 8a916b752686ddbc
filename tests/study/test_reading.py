"""Reading the answers to somebody else's questions."""

import numpy as np
import pytest

from ofakind import NoisyOracle, Pairs, PartitionBelief, adjusted_rand_index
from ofakind.answers import Answers
from ofakind.study.reading import Reader

BELIEF = PartitionBelief(chains=2, samples=5)


def told(n, pairs, values):
    return Answers.none(n).adding(pairs, values)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore::ofakind.AccuracyWarning")  # two short chains disagree at first
def test_clusters_are_read_from_answers_to_any_questions_and_kept_from_round_to_round(seed):
    truth = np.arange(40) % 4
    reader, answers = Reader(BELIEF, seed), Answers.none(40)
    for rows in np.array_split(np.random.default_rng(seed).permutation(780), 6):
        pairs = Pairs.from_ranks(rows, 40)
        answers = answers.adding(pairs, NoisyOracle(truth, 0.2, seed)(pairs))
        clustering, accuracy, reader = reader.read(answers)
    assert adjusted_rand_index(clustering.labels, truth) == 1.0
    assert accuracy.expected_ari > 0.99


def test_equal_seeds_read_alike():
    pairs = Pairs.all(8)
    answers = told(8, pairs, NoisyOracle(np.arange(8) % 2, 0.5)(pairs))
    first, second = (Reader(BELIEF, 7) for _ in range(2))
    for _ in range(3):
        (a, accuracy, first), (b, other, second) = first.read(answers), second.read(answers)
        assert np.array_equal(a.labels, b.labels)
        assert accuracy == other


@pytest.mark.parametrize("value", [1.0, -1.0, 0.0])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.filterwarnings("ignore::ofakind.AccuracyWarning")
def test_few_objects_and_answers_that_are_all_alike_can_be_read(n, value):
    answers = told(n, Pairs.all(n), np.full(n * (n - 1) // 2, value))
    clustering, accuracy, _ = Reader(BELIEF, 0).read(answers)
    assert len(clustering.labels) == n
    assert 0 <= accuracy.expected_wrong_pairs <= n * (n - 1) / 2


def test_candidates_are_told_to_a_belief_that_wants_to_know_them():
    truth = np.repeat(np.arange(20), 2)
    candidates = Pairs.of(np.arange(0, 40, 2), np.arange(1, 40, 2))
    answers = told(40, candidates, np.ones(20))
    found = Reader(BELIEF, 0, candidates).read(answers)[0]
    assert adjusted_rand_index(found.labels, truth) == 1.0
    indifferent = PartitionBelief(chains=2, samples=5, blocked=False)
    assert adjusted_rand_index(Reader(indifferent, 0, candidates).read(answers)[0].labels, truth) < 0.9
