"""How a pair stands among those of its objects, against the plain definition."""

import numpy as np
import pytest

from ofakind import Pairs
from ofakind.priors.standing import similarity_features, similarity_names
from twins.neighbours import standing


@pytest.mark.parametrize("seed", range(4))
def test_shares_and_ranks_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    every = Pairs.all(12)
    pairs = every.take(np.sort(rng.choice(len(every), 30, replace=False)))
    values = rng.integers(0, 6, 30) / 5
    table = similarity_features(pairs, values, values, (0.5,))
    for row, value, (best, ranks) in zip(table, values, standing(pairs, values), strict=True):
        shares = [value / b if b > 0 else 0.0 for b in best]
        wanted = [value, max(value - 0.5, 0), min(shares), max(shares), *np.log(sorted(ranks))]
        np.testing.assert_allclose(row, wanted)


def test_there_is_a_name_for_each_column_and_a_row_for_each_pair():
    none = np.empty(0)
    for hinges in ((), (0.4, 0.7, 0.9)):
        width = len(similarity_names("cosine", hinges))
        assert similarity_features(Pairs.empty(), none, none, hinges).shape == (0, width)


def test_copies_do_not_push_others_down():
    pairs = Pairs.of([0] * 6, [1, 2, 3, 4, 5, 6])
    values = np.array([1.0, 1, 1, 1, 1, 0.5])
    ranks = np.exp(similarity_features(pairs, values, values, ())[:, -1])
    np.testing.assert_allclose(ranks, [1, 1, 1, 1, 1, 2])
