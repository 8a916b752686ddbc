"""Asking by screens: what a learner promises of them, with features, pins and candidates, saved or not."""

import numpy as np
import pytest

import ofakind as ok
from ofakind.priors.neighbours import Neighbours

N = 40
TRUTH = np.arange(N) % 4


def answers_to(pairs):
    return np.where(TRUTH[pairs.u] == TRUTH[pairs.v], 1.0, -1.0)


def after(rounds, size=6, **options):
    """Return a learner after some screens, and these."""
    learner, screens = ok.ActiveClustering(N, seed=2, **options), []
    for _ in range(rounds):
        screens.append(learner.ask_screen(size))
        learner.tell(screens[-1].pairs, answers_to(screens[-1].pairs))
    return learner, screens


def test_a_screen_is_pairs_of_one_object_that_are_pending_until_told():
    learner, _ = after(3)
    screen = learner.ask_screen(5)
    assert {*screen.pairs} == {tuple(sorted((screen.object, other))) for other in screen.others.tolist()}
    assert learner.pending == screen.pairs
    assert learner.last_batch.pairs == screen.pairs
    learner.tell(screen.pairs, answers_to(screen.pairs))
    assert not len(learner.pending)


def test_released_screens_may_be_asked_again():
    learner, _ = after(2)
    screen = learner.ask_screen()
    learner.release(screen.pairs)
    assert not len(learner.pending)
    assert len(learner.ask_screen())


@pytest.mark.slow
def test_equal_seeds_give_equal_screens():
    assert after(6)[1] == after(6)[1]
    other = ok.ActiveClustering(N, seed=3)
    assert other.ask_screen(6) != after(1)[1][0]


@pytest.mark.slow
def test_looking_saving_and_loading_change_no_screen(tmp_path):
    learner, _ = after(4)
    twin, _ = after(4)
    assert len(twin.labels) == N
    twin.save(tmp_path / "a.npz")
    loaded = ok.ActiveClustering.load(tmp_path / "a.npz")
    assert learner.ask_screen(7) == loaded.ask_screen(7)
    assert learner.ask_screen(7) == loaded.ask_screen(7)


@pytest.mark.slow
def test_screens_lead_to_the_right_groups():
    learner, screens = after(30, 8)
    assert ok.adjusted_rand_index(learner.labels, TRUTH) == 1
    pairs = [pair for screen in screens for pair in screen.pairs]
    assert len(set(pairs)) == len(pairs)


@pytest.mark.slow
def test_several_screens_at_once_have_no_pair_in_common_and_are_those_of_several_calls():
    learner, _ = after(4)
    twin, _ = after(4)
    screens = learner.ask_screens(4, 5)
    pairs = [pair for screen in screens for pair in screen.pairs]
    assert len(screens) == 4
    assert len(set(pairs)) == len(pairs)
    assert [twin.ask_screen(5) for _ in range(4)] == list(screens)


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5])
def test_few_objects_are_asked_until_nothing_is_open(n):
    learner, asked = ok.ActiveClustering(n, seed=0), []
    while screen := learner.ask_screen(8):
        asked += list(screen.pairs)
        learner.tell(screen.pairs, [1.0] * len(screen))
    assert sorted(asked) == [(u, v) for u in range(n) for v in range(u + 1, n)]
    assert screen.object == -1
    assert learner.ask_screens(3) == ()


def test_an_empty_screen_is_no_round():
    learner = ok.ActiveClustering(1)
    assert not learner.ask_screen()
    assert learner.round == 0


def test_unsure_answers_are_answers():
    learner, _ = after(3)
    screen = learner.ask_screen(6)
    learner.tell(screen.pairs, [0.0] * len(screen))
    again = learner.ask_screen(6)
    assert not {*screen.pairs} & {*again.pairs}


@pytest.mark.slow
def test_only_candidates_are_asked():
    candidates = [(u, v) for u in range(N) for v in range(u + 1, min(u + 6, N))]
    learner, screens = after(12, 8, candidates=candidates)
    assert {pair for screen in screens for pair in screen.pairs} <= set(candidates)
    while screen := learner.ask_screen(8):
        learner.tell(screen.pairs, answers_to(screen.pairs))
    assert learner.n_answers == len(candidates)


@pytest.mark.slow
def test_what_pins_decide_is_not_asked():
    learner, _ = after(3)
    same = [(0, 4), (4, 8), (8, 12)]
    learner.pin(same, same=True)
    learner.pin([(0, 1)], same=False)
    for _ in range(10):
        screen = learner.ask_screen(8)
        assert (learner.pins.implied(screen.pairs.u, screen.pairs.v) == 0).all()
        learner.tell(screen.pairs, answers_to(screen.pairs))


@pytest.mark.slow
def test_with_features_the_screen_is_about_pairs_that_may_be_of_a_kind():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(4, 8))[TRUTH] * 3 + rng.normal(size=(N, 8))
    learner = ok.ActiveClustering(N, prior=Neighbours.from_vectors(vectors), seed=0)
    said = []
    for _ in range(4):
        screen = learner.ask_screen(6)
        said += answers_to(screen.pairs).tolist()
        learner.tell(screen.pairs, answers_to(screen.pairs))
    assert np.mean(np.array(said) > 0) > 0.3  # one pair in four is of a kind


@pytest.mark.parametrize("acquisition", [ok.Uniform(), ok.Entropy(), ok.JEIG()])
def test_any_acquisition_gives_screens(acquisition):
    _, screens = after(5, 4, acquisition=acquisition)
    assert all(1 <= len(screen) <= 4 for screen in screens)


@pytest.mark.parametrize("size", [0, -1, 1.5, "8", None])
def test_a_size_that_is_no_number_of_others_is_refused_and_nothing_changes(size):
    learner, _ = after(1)
    with pytest.raises(ok.InvalidInputError, match="size"):
        learner.ask_screen(size)
    with pytest.raises(ok.InvalidInputError, match="count"):
        learner.ask_screens(0)
    assert learner.round == 1
