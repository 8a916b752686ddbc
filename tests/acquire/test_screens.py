"""Screens without a belief: cut from a list, or drawn."""

import numpy as np

import ofakind as ok
from ofakind.acquire.screens import cut_screen, random_screen
from ofakind.pairs import Pairs


def test_a_list_is_cut_down_to_the_object_whose_pairs_are_worth_most_together():
    pairs = Pairs.of([0, 0, 0, 5, 6], [1, 2, 3, 6, 7])
    found = cut_screen(ok.Scores(pairs, [0.4, 0.5, 0.3, 0.9, 0.1]), 3)
    assert found == ok.Screen.of(0, [2, 1, 3])
    assert found.worth.tolist() == [0.5, 0.4, 0.3]
    assert cut_screen(ok.Scores(pairs, [0.4, 0.5, 0.3, 0.9, 0.1]), 2) == ok.Screen.of(6, [5, 7])


def test_of_pairs_without_a_score_the_object_with_most_is_taken():
    pairs = Pairs.of([0, 1, 1, 1], [2, 3, 4, 5])
    assert cut_screen(ok.Scores(pairs, [np.nan] * 4), 8).object == 1


def test_nothing_is_cut_from_nothing():
    assert not cut_screen(ok.Scores(Pairs.empty(), []), 4)


def test_a_drawn_screen_has_open_pairs_of_any_object():
    rng, seen = np.random.default_rng(0), set()
    pool = ok.Pool.everything(9)
    for _ in range(60):
        screen = random_screen(pool, 4, rng)
        assert len(screen) == len({*screen.others.tolist()} - {screen.object}) == 4
        seen.add(screen.object)
    assert seen == set(range(9))


def test_a_drawn_screen_has_all_open_pairs_of_an_object_where_these_are_few():
    pool = ok.Pool(ok.Pool.everything(9).similarity, Pairs.empty(), Pairs.of([0, 0, 0], [3, 5, 7]))
    found = random_screen(pool, 8, np.random.default_rng(1))
    assert {*found.pairs} <= {(0, 3), (0, 5), (0, 7)}
    assert not random_screen(ok.Pool.everything(1), 8, np.random.default_rng(1))
