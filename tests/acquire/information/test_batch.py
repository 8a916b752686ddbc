"""The shortlist holds the best open candidates, and a batch chosen from it does not repeat itself."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.acquire.information import batch as module
from ofakind.acquire.information.batch import SHORTLIST, Shortlist, shortlist, without_repetition
from ofakind.acquire.information.known import Familiarity
from ofakind.acquire.pool import Pool
from ofakind.pairs import Pairs
from ofakind.similarity import Similarity
from twins.agreement import agreement_state


def random_parts(rng, n, parts, length):
    """Candidates that come in parts, some of them twice."""
    for _ in range(parts):
        u = rng.integers(n - 1, size=length)
        v = rng.integers(u + 1, n)
        yield Shortlist(u, v, rng.random(length))


@pytest.mark.slow
@given(st.integers(0, 2**32), st.integers(0, 6), st.integers(0, 150), st.integers(1, 3))
def test_it_holds_each_of_the_best_open_pairs_once(seed, parts, length, size):
    rng = np.random.default_rng(seed)
    similarity = Similarity.from_pairs(12, [0, 1, 2], [5, 6, 7], [1.0, 1.0, 1.0])
    pool = Pool(similarity, Pairs.of([3], [4]))
    candidates = list(random_parts(rng, 12, parts, length))
    found = shortlist(candidates, pool, size, rng)
    worth = [
        (float(w), int(u), int(v))
        for part in candidates
        for u, v, w in zip(part.u, part.v, part.worth, strict=True)
        if pool.is_open([u], [v])[0]
    ]
    expected = {}
    for w, u, v in sorted(worth, reverse=True)[: SHORTLIST.per_question * size]:
        expected.setdefault((u, v), w)
    assert dict(zip(Pairs(found.u, found.v), found.worth.tolist(), strict=True)) == expected


def test_what_is_worth_nothing_is_left_out():
    part = Shortlist(np.array([0, 0]), np.array([1, 2]), np.array([0.0, 1e-9]))
    found = shortlist([part], Pool.everything(3), 5, np.random.default_rng(0))
    assert list(Pairs(found.u, found.v)) == [(0, 2)]


def chosen_from(pairs, unknown, labels, size, worth=None, useless=0.3):
    pairs = Pairs.from_array(pairs)
    worth = np.ones(len(pairs)) if worth is None else np.asarray(worth, float)
    familiarity = Familiarity(np.ones(len(labels)), np.asarray(unknown, float))
    best = Shortlist(pairs.u, pairs.v, worth)
    found = without_repetition(best, familiarity, agreement_state(labels), size, useless=useless)
    return list(Pairs(found.u, found.v))


def test_another_question_between_the_same_clusters_comes_last():
    settled, labels = np.zeros(6), [0, 0, 1, 1, 2, 2]
    found = chosen_from([(0, 2), (0, 3), (1, 2), (2, 4)], settled, labels, 4)
    assert (2, 4) in found[:2]
    found = chosen_from([(0, 2), (1, 3), (3, 5)], settled, labels, 3, worth=[1, 1, 0.5])
    assert found[1] == (3, 5)  # 0.5 is more than 0.3 of 1


def test_an_object_in_doubt_is_asked_with_another_cluster_first():
    labels, unknown = [0, 0, 1, 1, 2, 2], [1, 0, 0, 0, 0, 0]
    found = chosen_from([(0, 2), (0, 3), (0, 4)], unknown, labels, 3)
    assert {found[0], found[1]} in ({(0, 2), (0, 4)}, {(0, 3), (0, 4)})


def test_objects_in_doubt_are_asked_in_turn():
    labels, unknown = [0, 0, 0, 1, 2, 3], [1, 1, 0, 0, 0, 0]
    found = chosen_from([(0, 3), (0, 4), (0, 5), (1, 3)], unknown, labels, 2)
    assert (1, 3) in found
    # a question is about the object that is known less, whichever stands first
    found = chosen_from([(0, 5), (1, 5), (2, 5), (3, 4)], [0, 0, 0, 0, 0.9, 1], labels, 2)
    assert (3, 4) in found


@pytest.mark.parametrize("size", [1, 3])
def test_the_best_come_first(size):
    found = chosen_from([(0, 1), (2, 3), (4, 5)], np.zeros(6), range(6), size, worth=[0.2, 0.9, 0.5])
    assert found == [(2, 3), (4, 5), (0, 1)][:size]


def test_no_candidates_give_no_batch():
    assert chosen_from([], np.zeros(3), [0, 1, 2], 5) == []


def test_the_worth_is_what_it_was_when_the_pair_was_chosen():
    best = Shortlist(np.array([0, 0, 0, 1]), np.array([2, 3, 4, 2]), np.array([1.0, 0.9, 0.8, 0.4]))
    familiarity = Familiarity(np.ones(6), np.array([1.0, 0, 0, 0, 0, 0]))
    state = agreement_state([0, 0, 1, 1, 2, 2])
    found = without_repetition(best, familiarity, state, 4, useless=0.3)
    assert list(zip(found.u, found.v, strict=True)) == [(0, 2), (0, 4), (1, 2), (0, 3)]
    np.testing.assert_allclose(found.worth, [1.0, 0.8 * 0.5, 0.4, 0.9 * 0.3 * 0.5**2], rtol=1e-9)


@pytest.mark.parametrize(("most", "fewest", "kept"), [(40, 1, 40), (40, 30, 60), (1000, 1, 120)])
def test_a_large_batch_keeps_fewer_candidates_for_each_question(monkeypatch, most, fewest, kept):
    monkeypatch.setattr(module, "SHORTLIST", replace(SHORTLIST, most=most, fewest=fewest))
    u, v = np.triu_indices(100, 1)
    worth = np.random.default_rng(0).permutation(len(u)) + 1.0
    parts = [Shortlist(u[rows], v[rows], worth[rows]) for rows in np.array_split(np.arange(len(u)), 9)]
    found = shortlist(parts, Pool.everything(100), 2, np.random.default_rng(1))
    assert sorted(found.worth) == sorted(worth)[-kept:]


def test_what_pending_questions_are_about_is_asked_after_all_else():
    labels, known = np.repeat([0, 1, 2], 3), np.zeros(9)
    pairs = Pairs.from_array([(0, 3), (0, 6), (3, 6)])
    best = Shortlist(pairs.u, pairs.v, np.array([1.0, 0.9, 0.8]))
    given = (best, Familiarity(np.ones(9), known), agreement_state(labels), 3)
    free = without_repetition(*given, useless=0.3)
    busy = without_repetition(*given, useless=0.3, pending=Pairs.of([1], [4]))  # clusters 0 and 1, too
    assert next(iter(Pairs(free.u, free.v))) == (0, 3)
    assert list(Pairs(busy.u, busy.v)) == [(0, 6), (3, 6), (0, 3)]
    np.testing.assert_allclose(busy.worth, [0.9, 0.8, 0.3])


def test_a_pending_question_about_an_object_in_doubt_halves_what_others_about_it_are_worth():
    labels, unknown = np.repeat([0, 1, 2], 3), np.zeros(9)
    unknown[0] = 1.0
    best = Shortlist(np.array([0]), np.array([6]), np.array([1.0]))
    found = without_repetition(
        best,
        Familiarity(np.ones(9), unknown),
        agreement_state(labels),
        1,
        useless=0.3,
        pending=Pairs.of([0], [3]),
    )
    np.testing.assert_allclose(found.worth, [0.5])
