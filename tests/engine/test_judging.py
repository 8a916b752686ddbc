"""A learner with a judge: cheap scores of a model beside people's answers."""

import numpy as np
import pytest

import ofakind as ok


def learner_with_judge(n=40, groups=4, seed=0, sure=0.8, wrong=0.1):
    """Return a learner that a judge, wrong about some pairs, has told what it was asked, and the truth."""
    truth = np.arange(n) % groups
    learner = ok.ActiveClustering(n, seed=seed)
    pairs = learner.ask_judge(10 * n)
    learner.tell_judge(pairs, scores_of(pairs, truth, seed, sure=sure, wrong=wrong))
    return learner, truth


def scores_of(pairs, truth, seed, *, sure=0.8, wrong=0.1):
    right = np.random.default_rng(seed).random(len(pairs)) >= wrong
    return sure * np.where((truth[pairs.u] == truth[pairs.v]) == right, 1.0, -1.0)


def people(truth):
    return lambda pairs: np.where(truth[pairs.u] == truth[pairs.v], 1.0, -1.0)


def played(learner, answer, rounds, size=12):
    """Return the questions of some rounds."""
    asked = []
    for _ in range(rounds):
        pairs = learner.ask(size)
        learner.tell(pairs, answer(pairs))
        asked.append(pairs)
    return asked


@pytest.mark.slow
def test_equal_seeds_give_equal_questions_saved_and_loaded_in_between_or_not(tmp_path):
    one, truth = learner_with_judge()
    other, _ = learner_with_judge()
    asked = played(one, people(truth), 4)
    for expected in asked:
        other.save(tmp_path / "learner.npz")
        other = ok.ActiveClustering.load(tmp_path / "learner.npz")
        assert played(other, people(truth), 1) == [expected]
    assert other.judges == one.judges == ("judge",)
    assert other.reading == one.reading


@pytest.mark.parametrize(
    ("pairs", "scores", "judge"),
    [
        ([(0, 1)], [1.5], "model"),
        ([(0, 1)], [np.nan], "model"),
        ([(0, 0)], [1.0], "model"),
        ([(0, 40)], [1.0], "model"),
        ([(0, 1), (1, 2)], [1.0], "model"),
        ([(0, 1)], [1.0], ""),
        ([(0, 1)], [1.0], None),
    ],
)
def test_what_is_no_score_is_refused_and_nothing_changes(pairs, scores, judge):
    learner = ok.ActiveClustering(40)
    with pytest.raises(ok.InvalidInputError):
        learner.tell_judge(pairs, scores, judge)
    assert learner.judges == ()
    assert learner.to_document() == ok.ActiveClustering(40).to_document()


def test_the_papers_belief_refuses_a_judge():
    learner = ok.ActiveClustering(10, acquisition=ok.JEIG())
    with pytest.raises(ok.InvalidInputError, match="MeanFieldBelief knows nothing of judges"):
        learner.tell_judge([(0, 1)], [1.0])
