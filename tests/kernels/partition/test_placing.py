import numpy as np
import pytest

from ofakind.answers import Answers
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.partition.placing import Replies, Sample, questions_to_place
from ofakind.noise.calibration import Calibration
from ofakind.pairs import Pairs
from ofakind.posterior.partition.size_prior import prior_grid
from ofakind.similarity import Similarity
from twins import placing as twin

GRID = np.linspace(0, 1, 1001)


def replies_of(same, different, nats):
    return Replies(np.cumsum(same), np.cumsum(different), same / different, nats)


def information(same, different):
    either = GRID[:, None] * same + (1 - GRID[:, None]) * different
    parts = GRID[:, None] * same * np.log(same / either) + (1 - GRID[:, None]) * different * np.log(
        different / either
    )
    return parts.sum(axis=1)


def instance(seed):
    """Random weights of all pairs (so that no two clusters tie), a partition, and answers of a few kinds."""
    rng = np.random.default_rng(seed)
    n, kinds = int(rng.integers(2, 14)), int(rng.integers(2, 6))
    labels = np.unique(rng.integers(1 + rng.integers(n), size=n), return_inverse=True)[1]
    pairs = Pairs.all(n)
    weights = rng.normal(0, 1.5, len(pairs))
    same, different = rng.dirichlet(np.ones(kinds), 2) * 0.9 + 0.1 / kinds
    return n, labels, pairs, weights, same, different


def graph_of(n, pairs, weights):
    s = Similarity.from_pairs(n, pairs.u, pairs.v, np.tanh(weights))
    return Graph(s.indptr, s.indices, np.arctanh(s.values))


def played(seed, *, sure, most=200, exponent=1.0, alpha=0.7):
    n, labels, pairs, weights, same, different = instance(seed)
    sample = Sample(labels.astype(np.int32), alpha, prior_grid(n, exponent)[2])
    replies, rng = replies_of(same, different, information(same, different)), np.random.default_rng(seed)
    graph = graph_of(n, pairs, weights)
    return questions_to_place(graph, sample, np.arange(n), replies, (sure, most), rng)


@pytest.mark.parametrize("exponent", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(8))
def test_questions_equal_those_of_the_plain_twin(seed, exponent):
    n, labels, pairs, weights, same, different = instance(seed)
    dense = np.zeros((n, n))
    dense[pairs.u, pairs.v] = dense[pairs.v, pairs.u] = weights
    nats, rng = information(same, different), np.random.default_rng(seed)
    expected = [
        twin.questions(
            twin.beliefs(dense, labels.tolist(), item, alpha=0.7, exponent=exponent),
            labels[item],
            same,
            different,
            sure=0.97,
            most=200,
            information=lambda p: np.interp(p, GRID, nats),
            rng=rng,
        )
        for item in range(n)
    ]
    assert played(seed, sure=0.97, exponent=exponent).tolist() == expected


@pytest.mark.parametrize("seed", range(4))
def test_to_be_surer_takes_more_questions_and_patience_ends(seed):
    few, many = (played(seed, sure=sure, most=10_000).sum() for sure in (0.6, 0.9999))
    assert few <= many
    assert played(seed, sure=0.9999, most=3).max() <= 3
    assert played(seed, sure=0.0).sum() == 0


def test_an_object_without_others_is_placed():
    n = np.zeros(1, np.int32)
    graph = Graph(np.zeros(2, np.int64), np.empty(0, np.int32), np.empty(0))
    calibration = Calibration.fixed(3)
    replies = replies_of(calibration.same, calibration.different, calibration.information(GRID))
    sample = Sample(n, 1.0, prior_grid(1, 1.0)[2])
    rng = np.random.default_rng(0)
    assert questions_to_place(graph, sample, np.arange(1), replies, (0.99, 50), rng).tolist() == [0]
    assert questions_to_place(graph, sample, np.arange(0), replies, (0.99, 50), rng).tolist() == []


def test_when_answers_are_right_an_object_is_placed_once_all_larger_clusters_are_ruled_out():
    k, each = 20, 30
    labels = np.repeat(np.arange(k), each).astype(np.int32)
    similarity = Similarity.from_answers(Answers.none(len(labels)))
    graph = Graph(similarity.indptr, similarity.indices, similarity.values)
    wrong = 1e-9
    same, different = np.array([wrong, 1 - wrong]), np.array([1 - wrong, wrong])
    replies = replies_of(same, different, information(same, different))
    sample = Sample(labels, 1e-6, prior_grid(len(labels), 1.0)[2])
    asked = questions_to_place(
        graph, sample, np.arange(len(labels)), replies, (0.99, 100), np.random.default_rng(0)
    )
    # Its own cluster is the smallest, by the object itself, and comes last.
    assert set(asked.tolist()) == {k - 1}
