"""Answers that are taken back, and objects that come later."""

from dataclasses import replace

import numpy as np
import pytest

import ofakind as ok
from ofakind.errors import InvalidInputError
from twins.replays import everything_after

N = 24
TRUTH = np.arange(N) % 3


def told(*parts, seed=0, rounds=0, **options):
    """A learner that was told some right answers, in parts, with rounds of its own in between."""
    learner = ok.ActiveClustering(N, seed=seed, initial=0, **options)
    oracle = ok.NoisyOracle(TRUTH, gamma=0.2, seed=1)
    for pairs, values in parts:
        learner.tell(pairs, values)
        for _ in range(rounds):
            learner.tell(asked := learner.ask(10), oracle(asked))
    return learner


def right(pairs):
    return np.where(TRUTH[pairs[:, 0]] == TRUTH[pairs[:, 1]], 1.0, -1.0)


def some_pairs(count, seed):
    every = np.stack(np.triu_indices(N, 1), axis=1)
    return every[np.random.default_rng(seed).permutation(len(every))[:count]]


GOOD, WRONG = np.split(some_pairs(90, 0), [70])


def test_answers_that_are_taken_back_before_anything_was_asked_were_never_told():
    learner = told((GOOD[:50], right(GOOD[:50])), (WRONG, -right(WRONG)), (GOOD[50:], right(GOOD[50:])))
    learner.retract(WRONG)
    other = told((GOOD, right(GOOD)))
    assert learner.n_answers == 70
    np.testing.assert_array_equal(learner.labels, other.labels)
    np.testing.assert_array_equal(learner.posterior.labels, other.posterior.labels)
    assert list(learner.ask(7)) == list(other.ask(7))


@pytest.mark.slow
def test_after_taking_answers_back_the_posterior_is_that_of_a_learner_that_never_heard_them():
    """P(same) of all pairs, averaged over seeds, against learners that were told only the good answers."""
    u, v = np.triu_indices(N, 1)
    ours, theirs = [], []
    for seed in range(12):
        learner = told((GOOD[:35], right(GOOD[:35])), (WRONG, -right(WRONG)), seed=seed)
        learner.ask(3)  # the wrong answers are believed, and carried over
        learner.retract(WRONG)
        for _ in range(5):  # a few rounds of single looks, in which samples are brought up to date
            learner.ask(1)
            learner.tell([GOOD[0]], right(GOOD[:1]))
            learner.retract([GOOD[0]])
            learner.tell([GOOD[0]], right(GOOD[:1]))
        ours.append(learner.posterior.same_probability(u, v))
        theirs.append(told((GOOD[:35], right(GOOD[:35])), seed=seed).posterior.same_probability(u, v))
    ours, theirs = np.array(ours), np.array(theirs)
    error = np.sqrt((ours.var(axis=0, ddof=1) + theirs.var(axis=0, ddof=1)) / 12 + 1e-3**2)
    deviations = (ours.mean(axis=0) - theirs.mean(axis=0)) / error
    assert np.abs(deviations).mean() < 1.2  # 0.8 by chance
    assert np.abs(ours.mean(axis=0) - theirs.mean(axis=0)).max() < 0.25


def test_only_the_answers_of_the_annotator_who_takes_them_back_leave():
    learner = ok.ActiveClustering(4)
    learner.tell([(0, 1), (2, 3)], [1, 1], "Ada")
    learner.tell([(1, 0), (0, 2)], [-1, -1], "Bob")
    learner.retract([(0, 1)], "Bob")
    assert [*zip(learner.answers.u, learner.answers.v, learner.answers.annotators, strict=True)] == [
        (0, 1, "Ada"),
        (2, 3, "Ada"),
        (0, 2, "Bob"),
    ]
    learner.retract([(1, 0)])
    assert learner.n_answers == 2


@pytest.mark.parametrize(
    ("pairs", "annotator", "words"),
    [
        ([(0, 1), (1, 2)], None, r"row 1: pair \(1, 2\) has no answer; nothing"),
        ([(0, 1)], "Bob", r"row 0: pair \(0, 1\) has no answer by 'Bob'"),
        ([(0, 9)], None, "9"),
        ([(1, 1)], None, "itself|twice|distinct|different"),
    ],
)
def test_an_answer_that_was_never_told_cannot_be_taken_back_and_nothing_changes(pairs, annotator, words):
    learner = ok.ActiveClustering(4)
    learner.tell([(0, 1)], [1], "Ada")
    with pytest.raises(InvalidInputError, match=words):
        learner.retract(pairs, annotator)
    assert learner.n_answers == 1


def test_a_pair_whose_answer_was_taken_back_may_be_asked_again():
    learner = ok.ActiveClustering(3, initial=3)
    learner.tell(learner.ask(), [1, 1, 1])
    assert len(learner.ask()) == 0
    learner.retract([(0, 2)])
    assert list(learner.ask()) == [(0, 2)]


def test_taking_all_answers_back_is_a_new_beginning():
    learner, oracle = ok.ActiveClustering(N), ok.NoisyOracle(TRUTH)
    for _ in range(3):
        learner.tell(pairs := learner.ask(), oracle(pairs))
    learner.retract(learner.similarity.pairs())
    assert learner.n_answers == 0
    assert np.unique(learner.labels).size == 1
    assert len(learner.ask(5)) == 5


# -- more objects ------------------------------------------------------------------------------------------


def test_more_objects_come_and_the_old_ones_keep_their_groups():
    learner = told((GOOD, right(GOOD)), rounds=2)
    learner.ask(1)
    before = learner.groups
    learner.extend(3)
    assert (learner.n, len(learner.labels), learner.batch_size) == (N + 3, N + 3, 16)
    assert np.mean(learner.groups[:N] == before) > 0.9
    assert not set(learner.groups[N:].tolist()) - set(range(100))


def test_questions_go_to_the_new_objects_first():
    learner = told((GOOD, right(GOOD)), rounds=6)
    learner.extend(4)
    asked = np.asarray(learner.ask(8))
    assert np.mean((asked >= N).any(axis=1)) > 0.7


@pytest.mark.parametrize("part", [{}, {"acquisition": ok.Entropy()}, {"acquisition": ok.JEIG()}])
def test_a_learner_that_grew_finds_the_new_objects_clusters(part):
    truth = np.arange(N + 6) % 3
    learner, oracle = ok.ActiveClustering(N, **part), ok.NoisyOracle(truth, gamma=0.0)
    for count in (0, 6):
        learner.extend(count)
        for _ in range(12):
            learner.tell(pairs := learner.ask(), oracle(pairs))
    assert ok.adjusted_rand_index(learner.labels, truth) > 0.95


def test_candidates_of_new_objects_are_added_to_the_others():
    learner = ok.ActiveClustering(3, candidates=[(0, 1), (1, 2)])
    learner.extend(1, [(2, 3)])
    assert sorted(learner.ask(10)) == [(0, 1), (1, 2), (2, 3)]
    with pytest.raises(InvalidInputError, match="leave them out"):
        ok.ActiveClustering(3).extend(1, [(2, 3)])
    with pytest.raises(InvalidInputError):
        learner.extend(-1)
    assert learner.n == 4


def test_of_two_answers_of_one_person_to_a_pair_one_can_be_taken_back_by_its_position():
    learner = ok.ActiveClustering(N)
    learner.tell([(0, 1), (0, 1), (2, 3)], [1, -1, 1], "Ada")
    learner.retract_rows([1])
    assert learner.answers.values.tolist() == [1, 1]
    learner.retract_rows(np.array([True, False]))
    assert list(learner.similarity.pairs()) == [(2, 3)]
    before = learner.to_document()
    learner.retract_rows([])
    assert learner.to_document() == before
    with pytest.raises(InvalidInputError, match="rows hold 5"):
        learner.retract_rows([5])


def test_an_answer_that_is_told_again_can_be_told_as_one_that_was_asked_for():
    learner = ok.ActiveClustering(N)
    asked = learner.ask(2)
    learner.tell(asked, [1, 1])
    learner.retract_rows([0, 1])
    learner.tell(asked, [1, 1], asked=[True, False])
    assert learner.answers.asked.tolist() == [True, False]


# -- saved -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [{}, {"acquisition": ok.Entropy()}])
def test_the_same_calls_give_the_same_questions_also_when_saved_and_loaded_in_between(part):
    def calls(*, saved):
        oracle = ok.NoisyOracle(np.arange(N + 4) % 3, gamma=0.2, seed=2)
        return everything_after(ok.ActiveClustering(N, seed=5, **part), oracle, steps, saved=saved)

    def retract(learner):
        learner.retract(np.asarray(learner.similarity.pairs())[::4])

    def extend(learner):
        learner.extend(4)

    ask, release = None, ok.ActiveClustering.release
    steps = [ask, ask, retract, ask, extend, ask, release, retract, ask, ask]
    assert calls(saved=False) == calls(saved=True)


def test_a_document_of_another_number_of_objects_is_refused():
    learner = told((GOOD, right(GOOD)), rounds=1)
    learner.ask(1)
    document = learner.to_document()
    with pytest.raises(InvalidInputError, match="damaged"):
        ok.ActiveClustering.from_document({**document, "n": N + 1})
    carried = replace(learner._kept.held.carried, touched=np.array([N]))
    with pytest.raises(InvalidInputError, match="outside"):
        learner.belief.restore(carried.to_entry(), N)
