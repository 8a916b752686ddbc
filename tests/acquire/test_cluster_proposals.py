"""Pairs of a sparse mean field are proposed by a bound on their entropy, and drawn by the entropy itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import ofakind as ok
from ofakind.acquire.cluster_proposals import ClusterProposal
from ofakind.acquire.entropy import draw_by_entropy
from twins.cluster_pairs import bound, field_of, random_field
from twins.selection import draw_probabilities, entropy_of

fields = st.builds(
    lambda n, k, seed, listed, below: random_field(
        n, k, np.random.default_rng(seed), listed=listed, below=below
    ),
    st.integers(2, 7),
    st.integers(1, 6),
    st.integers(0, 2**32),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([0.0, 0.5]),
)
powers = st.sampled_from([0.3, 1.0, 2.0])


def densities(proposal):
    """How often each pair is proposed, (n, n), from the weights of the proposal, way by way."""
    n = len(proposal.alone)
    total = np.diff(proposal.alone, prepend=0)[:, None] * np.ones(n)  # u, then any other v
    first, second = np.diff(proposal.first, prepend=0), np.diff(proposal.second, prepend=0)
    for c, (start, end) in enumerate(zip(proposal.indptr[:-1], proposal.indptr[1:], strict=True)):
        for e in range(start, end):
            is_home = e < proposal.homes[c]
            after = slice(start, proposal.homes[c] if is_home else end)
            share = np.ones(after.stop - start) if is_home else second[after]
            total[proposal.objects[e], proposal.objects[after]] += first[e] * share / share.sum()
    return total + total.T


@given(fields, powers)
def test_each_pair_is_proposed_in_proportion_to_its_bound(field, power):
    proposal = ClusterProposal.of(field, power)
    expected = bound(field, min(power, 1.0))
    beside = ~np.eye(len(expected), dtype=bool)
    np.testing.assert_allclose(densities(proposal)[beside], expected[beside], rtol=1e-9, atol=1e-12)


@given(fields, powers)
def test_the_bound_is_what_the_twin_says_and_never_below_the_entropy(field, power):
    proposal = ClusterProposal.of(field, power)
    if not proposal.possible:
        return
    u, v, most = proposal.draw(200, np.random.default_rng(0))
    assert np.all(u != v)
    expected = bound(field, min(power, 1.0))[u, v] * np.log(2) ** max(power - 1, 0)
    np.testing.assert_allclose(most, expected, rtol=1e-9)
    assert np.all(field.pair_entropy(u, v) ** power <= most * (1 + 1e-9))


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.5, 1.0, 3.0])
@pytest.mark.parametrize(
    "field",
    [
        random_field(6, 4, np.random.default_rng(3)),
        random_field(6, 30, np.random.default_rng(4), listed=0.1),
        field_of(np.full(6, 1 / 50), np.zeros((6, 50))),
    ],
    ids=["few clusters", "many clusters", "collapsed"],
)
def test_batches_follow_the_law_of_the_listed_ones(field, noise):
    n, batches, rng = 6, 1500, np.random.default_rng(1)
    pairs = ok.Pairs.all(n)
    exact = draw_probabilities(field.pair_entropy(pairs.u, pairs.v), 2, noise)
    first = np.zeros(len(pairs))
    for draw, probability in exact.items():
        first[draw[0]] += probability
    pool = ok.Pool.everything(n, list_limit=0)
    drawn = [draw_by_entropy(field, pool, 2, noise, rng).pairs.ranks(n)[0] for _ in range(batches)]
    expected, seen = batches * first, np.bincount(drawn, minlength=len(pairs))
    rare = expected < 5
    cells = [np.r_[counts[~rare], counts[rare].sum()] for counts in (seen, expected)]
    kept = cells[1] > 0
    assert chisquare(cells[0][kept], cells[1][kept]).pvalue > 1e-4


def test_doubtful_pairs_are_found_among_a_hundred_thousand_clusters():
    n, k = 20_000, 100_000
    above = np.arange(n) // 2 * 5  # objects 2 i and 2 i + 1 share a cluster, in which each is by half
    field = ok.SparseMeanField(
        ok.Similarity.from_pairs(n, [], [], []),
        k,
        np.full(n, 0.5 / k),
        np.arange(n + 1),
        above.astype(np.int32),
        np.full(n, 0.5),
        3.0,
        converged=True,
        sweeps=1,
        residual=0.0,
    )
    pool, rng = ok.Pool.everything(n, list_limit=0), np.random.default_rng(0)
    sharp = draw_by_entropy(field, pool, 5000, 0.5, rng)  # by the square of the entropy
    sharing = sharp.pairs.u // 2 == sharp.pairs.v // 2
    twins, others = n / 2 * entropy_of(0.25) ** 2, n * n / 2 * entropy_of(0.75 / k) ** 2
    assert len(sharp.pairs) == 5000
    assert sharing.mean() == pytest.approx(twins / (twins + others), abs=0.03)


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("k", [1, 3])
def test_certain_fields_of_few_objects_have_nothing_to_propose(n, k):
    field = field_of(np.zeros(n), np.eye(k)[np.zeros(n, int)])
    assert not ClusterProposal.of(field, 1.0).possible
    assert len(draw_by_entropy(field, ok.Pool.everything(n), 5, 1.0, np.random.default_rng(0)).pairs) == 0


def test_of_two_doubtful_objects_the_one_pair_is_drawn():
    for field in (field_of(np.full(2, 0.25), np.zeros((2, 4))), field_of(np.zeros(2), np.full((2, 2), 0.5))):
        batch = draw_by_entropy(field, ok.Pool.everything(2), 5, 1.0, np.random.default_rng(0))
        assert list(batch.pairs) == [(0, 1)]
