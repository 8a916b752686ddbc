from dataclasses import dataclass, replace

import numpy as np
import pytest

import ofakind as ok
from ofakind.answers import Answers
from ofakind.engine.inference import Known, infer, read_samples
from ofakind.errors import InvalidInputError

PAIRS = ok.Pairs.all(4)
ANSWERS = Answers.none(4).adding(PAIRS, [1 if (u < 2) == (v < 2) else -1 for u, v in PAIRS])


def known(answers=ANSWERS, *, seed=0):
    similarity = ok.Similarity.from_answers(answers)
    return Known(answers, similarity, before=None, carried=None, candidates=None, seed=seed, round=0)


class Watched:
    """A belief that counts how often it is formed."""

    def __init__(self):
        self.formed = 0

    def __call__(self, similarity, clustering, *, rng):
        self.formed += 1
        return ok.MeanFieldBelief()(similarity, clustering, rng=rng)


@pytest.mark.parametrize(
    ("solver", "belief"),
    [(ok.Consensus(), ok.PartitionBelief()), (ok.LocalSearch(), ok.MeanFieldBelief())],
    ids=["read from samples", "solved first"],
)
def test_clusters_and_beliefs_come_from_the_same_answers_each_time_the_same(solver, belief):
    first, second = (infer(solver, belief, known()) for _ in range(2))
    assert first.clustering.labels.tolist() == [0, 0, 1, 1]
    same = first.posterior.same_probability([0, 0], [1, 2])
    assert same[0] > 0.5 > same[1]
    assert np.array_equal(same, second.posterior.same_probability([0, 0], [1, 2]))


def test_a_posterior_that_the_clusters_do_not_need_is_formed_when_looked_at():
    belief = Watched()
    state = infer(ok.LocalSearch(), belief, known())
    assert belief.formed == 0
    assert state.posterior is state.posterior
    assert belief.formed == 1


def test_a_solver_that_returns_no_clustering_is_named():
    def solver(similarity, *, start, rng):
        return [0, 0, 1, 1]

    with pytest.raises(InvalidInputError, match="function returned a list"):
        infer(solver, ok.MeanFieldBelief(), known())


@pytest.mark.parametrize("n", [0, 1, 2])
def test_without_answers_there_is_a_state_too(n):
    state = infer(ok.Consensus(), ok.PartitionBelief(), known(Answers.none(n)))
    assert len(state.clustering.labels) == n


@dataclass
class Held:
    """A posterior that holds samples, as far as a solver looks at it."""

    labels: np.ndarray
    chain: np.ndarray

    @property
    def abilities(self):
        return ok.Abilities(samples=self)


def test_a_solver_begins_with_the_last_state_of_each_chain_and_with_the_clustering_of_before(monkeypatch):
    samples = np.array([[0, 0, 1, 1], [0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 2, 2]], np.int32)
    seen = {}
    monkeypatch.setattr(
        ok.Consensus,
        "from_samples",
        lambda _, samples, starts, **__: seen.update(starts=starts) or samples[0],
    )
    before = ok.Clustering.of(ok.Similarity.from_answers(ANSWERS), [0, 0, 0, 0])
    found = read_samples(
        ok.Consensus(), Held(samples, np.array([7, 7, 3, 3])), replace(known(), before=before)
    )
    assert seen["starts"].tolist() == [[0, 0, 1, 2], [0, 1, 2, 2], [0, 0, 0, 0]]
    assert found.labels.tolist() == [0, 0, 1, 1]


def test_a_posterior_without_samples_is_refused_with_a_way_out():
    field = ok.mean_field(ok.Similarity.from_answers(ANSWERS), [0, 0, 1, 1])
    with pytest.raises(
        InvalidInputError, match=r"got a MeanField; use belief=PartitionBelief\(\), or a solver"
    ):
        read_samples(ok.Consensus(), field, known())
