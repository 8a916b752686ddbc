"""A learner may be used from several threads."""

import numpy as np

import ofakind as ok
from twins.threads import in_threads


def test_four_threads_that_ask_get_different_questions():
    learner, oracle = ok.ActiveClustering(30, seed=1), ok.NoisyOracle(np.arange(30) % 3)
    for _ in range(2):
        learner.tell(pairs := learner.ask(), oracle(pairs))
    found = in_threads(4, lambda _: list(learner.ask(5)))
    assert [len(pairs) for pairs in found] == [5] * 4
    assert len({pair for pairs in found for pair in pairs}) == 20
    assert sorted(learner.pending) == sorted(pair for pairs in found for pair in pairs)


def test_answers_told_from_several_threads_all_count_and_looks_see_whole_states():
    learner, truth = ok.ActiveClustering(40, seed=1), np.arange(40) % 4

    def work(number):
        for _ in range(6):
            pairs = learner.ask(3)
            same = [1.0 if truth[u] == truth[v] else -1.0 for u, v in pairs]
            learner.tell(pairs, same, f"annotator {number}")
            assert len(learner.labels) == len(learner.groups) == 40
            assert learner.posterior.n_answers <= learner.n_answers

    in_threads(4, work)
    assert learner.n_answers == 4 * 6 * 3
    assert len(learner.pending) == 0
    assert sorted(set(learner.answers.annotators)) == [f"annotator {number}" for number in range(4)]
    counts = np.unique(learner.answers.annotators, return_counts=True)[1]
    assert counts.tolist() == [18] * 4
