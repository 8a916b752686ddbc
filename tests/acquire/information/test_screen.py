"""The choice of a screen: open pairs of one object, together worth more than what is cut from a list."""

import numpy as np
import pytest

import ofakind as ok
from ofakind.acquire.information.answer_kinds import AnswerKinds
from ofakind.acquire.information.joint import joint_information
from ofakind.acquire.screens import choose_screen, cut_screen

N = 60
TRUTH = np.arange(N) % 5


def learner_with(answers, seed=0, **options):
    learner = ok.ActiveClustering(N, seed=seed, **options)
    oracle = ok.NoisyOracle(TRUTH, gamma=0.2, seed=seed)
    for _ in ok.run(learner, oracle, answers):
        pass
    return learner


def information_of(learner, screen):
    samples = learner.posterior.abilities.samples
    same = samples.in_each_sample(screen.others, np.full(len(screen), screen.object))
    return joint_information(same, AnswerKinds.of(learner.posterior.abilities))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_screen_tells_more_than_one_that_is_cut_from_a_list_of_single_pairs(seed):
    learner = learner_with(180, seed)
    learner.ask(400)
    cut = cut_screen(ok.Scores(learner.last_batch.pairs, learner.last_batch.scores), 8)
    learner.release()
    screen = learner.ask_screen(8)
    assert information_of(learner, screen) > information_of(learner, cut)


@pytest.mark.slow
def test_the_worth_of_a_screen_is_its_information_by_the_samples():
    learner = learner_with(180)
    screen = learner.ask_screen(6)
    assert len(screen) == 6
    assert screen.worth.sum() == pytest.approx(information_of(learner, screen))
    assert (np.diff(screen.worth) <= 1e-9).all()


def test_others_that_tell_next_to_nothing_are_left_out():
    learner = ok.ActiveClustering(12, initial=0, seed=0)
    truth = np.array([0] * 6 + [1] * 6)
    pairs = [(u, v) for u in range(11) for v in range(u)]
    learner.tell(pairs, [1.0 if truth[u] == truth[v] else -1.0 for u, v in pairs])
    learner.tell([(11, 0)], [1.0])
    learner.tell([(11, 6)], [1.0])  # so 11 is in doubt, and nothing else is
    screen = learner.ask_screen(8)
    assert 11 in (screen.object, *screen.others)
    information = screen.worth
    assert (information > 0.1 * information[0]).all()


def test_pending_pairs_are_not_asked_again_and_what_they_tell_counts_less():
    learner = learner_with(150)
    first, second = learner.ask_screens(2, 6)
    assert not {*first.pairs} & {*second.pairs}
    assert first.worth.sum() == pytest.approx(information_of(learner, first))
    assert second.worth.sum() < 0.99 * information_of(learner, second)


@pytest.mark.slow
def test_where_nothing_is_known_neither_object_nor_others_follow_the_order_of_the_objects():
    objects, others = [], []
    for seed in range(12):
        screen = ok.ActiveClustering(200, initial=0, seed=seed).ask_screen(4)
        objects.append(screen.object)
        others += screen.others.tolist()
    assert 20 < np.mean(objects) < 180
    assert 60 < np.mean(others) < 140


def test_a_belief_without_samples_gets_a_screen_that_is_cut():
    learner = learner_with(120, acquisition=ok.InformationGain(), belief=ok.MeanFieldBelief())
    screen = learner.ask_screen(5)
    assert 1 <= len(screen) <= 5
    assert np.isfinite(screen.worth).all()


def test_what_an_acquisition_of_ones_own_returns_is_checked():
    class Wrong(ok.Uniform):
        def __init__(self, screen):
            object.__setattr__(self, "screen", screen)

        def select_screen(self, state, pool, size, rng):
            return self.screen

    learner = learner_with(60)
    state = learner._state()
    pool = learner._kept.pool(learner.similarity, 1)
    asked = next(iter(learner.similarity.pairs()))
    for screen in (
        None,
        ok.Screen.of(0, [1, 1]),
        ok.Screen.of(0, range(1, 9)),
        ok.Screen.of(*asked[:1], [asked[1]]),
    ):
        with pytest.raises(ok.InvalidInputError, match=r"Wrong\.select_screen returned"):
            choose_screen(Wrong(screen), state, pool, 3, np.random.default_rng(0))
