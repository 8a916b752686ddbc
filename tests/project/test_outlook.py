"""What is said before any answer."""

import numpy as np

import ofakind as ok
from ofakind.pairs import Pairs
from ofakind.project.outlook import outlook_of


def test_scores_say_about_how_many_pairs_are_of_a_kind():
    rng = np.random.default_rng(0)
    u, v = np.triu_indices(60, 1)
    for share in (0.02, 0.2, 0.7):
        scores = np.clip(rng.beta(20 * share, 20 * (1 - share), len(u)), 0.001, 0.999)
        found = outlook_of(ok.Neighbours.from_scores(np.column_stack([u, v]), scores))
        assert found.low < share < found.high
        assert (found.n_pairs, found.alone) == (len(u), 0)


def test_objects_without_any_candidate_are_counted():
    near = ok.Neighbours.from_scores([(0, 1), (1, 2)], [0.9, 0.8], 7)
    assert outlook_of(near).alone == 4
    assert "2 candidate pairs" in str(outlook_of(near))
    assert "4 without any" in str(outlook_of(near))


def test_nothing_to_compare_is_said():
    found = outlook_of(ok.Neighbours.from_scores(Pairs.empty(), [], 5))
    assert (found.n_pairs, found.alone, str(found)) == (0, 5, "no candidate pairs")
