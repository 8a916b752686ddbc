"""device="cuda" from a user's side: batches, learners, saved options, and what is said where it cannot be."""

import sys

import numpy as np
import pytest
import torch

import ofakind as ok
from ofakind.acquire.gpu import upload
from ofakind.kernels.gpu import jeig as gpu_jeig
from ofakind.kernels.gpu.pairs import gains_of
from ofakind.kernels.gpu.subsets import Draws, draw_subsets
from twins import gpu as twin
from twins import mean_field as plain
from twins.instances import CORNERS, noisy
from twins.states import pool_of, state_of

SEED = 2**62 + 17
SMALL = {"subset": 0.1, "subsets": 1, "samples": 4, "max_sweeps": 1, "device": "cuda"}
PARTS = {
    "JEIG": ok.JEIG(**SMALL),
    "EIGO": ok.EIGO(candidates_per_object=0.5, max_sweeps=1, device="cuda"),
    "Entropy": ok.Entropy(device="cuda"),
}


@pytest.fixture
def state():
    return state_of(noisy(16, 50, clusters=3, rng=np.random.default_rng(0)), np.arange(16) % 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_equal_seeds_choose_the_same_open_pairs_bit_for_bit(state, name):
    pool = pool_of(state)
    first, again, other = (
        PARTS[name].select(state, pool, 9, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert np.array_equal(first.pairs, again.pairs)
    assert np.array_equal(first.values, again.values)
    assert not np.array_equal(first.pairs, other.pairs)
    assert len(first.pairs) == 9
    assert pool.is_open(first.pairs.u, first.pairs.v).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_only_allowed_pairs_are_chosen_and_scores_are_those_of_score(state, name):
    allowed = ok.Pairs.all(16).take(np.arange(0, 120, 7))
    pool = pool_of(state, allowed=allowed)
    chosen = PARTS[name].select(state, pool, 4, np.random.default_rng(3))
    assert set(chosen.pairs) <= set(allowed)
    if name == "Entropy":
        expected = state.posterior.pair_entropy(chosen.pairs.u, chosen.pairs.v)
        np.testing.assert_allclose(chosen.values, expected, atol=1e-6)
    assert len(PARTS[name].score(state, ok.Pairs.empty(), np.random.default_rng(0)).values) == 0


def test_entropies_are_those_of_the_cpu(state):
    pairs = ok.Pairs.all(16)
    scores = PARTS["Entropy"].score(state, pairs, np.random.default_rng(0)).values
    np.testing.assert_allclose(scores, state.posterior.pair_entropy(pairs.u, pairs.v), atol=1e-6)


@pytest.mark.slow
def test_joint_gains_are_those_of_the_plain_twin_with_the_same_draws(state):
    """The paper's equation with subsets and answers read back from the device."""
    field = state.posterior
    base = upload(field)
    simulation = gpu_jeig.Simulation(20, 2, 4, True, False, 1e-5, 5, False)
    t = gpu_jeig.ringing_time(base, simulation, SEED)
    member, answers = twin.dense(draw_subsets(base, Draws(SEED, 0, 2, t, 4, 16, True, False)), 16)
    fields = gpu_jeig.simulate(base, simulation, SEED)
    u, v = np.triu_indices(16, 1)
    subsets = [np.argwhere(np.triu(inside)) for inside in member]
    samples = [[answers[i, 0, lane][tuple(pairs.T)] for lane in range(4)] for i, pairs in enumerate(subsets)]
    S = plain.dense(field.similarity)
    expected = plain.joint_information_gain(
        S, field.q, field.costs, field.beta, subsets, samples, field=plain.asynchronous
    )[u, v]
    found = gains_of(base, fields, u, v)
    assert np.abs(found - expected).mean() < 0.03  # a lane may come to rest elsewhere
    assert np.corrcoef(found, expected)[0, 1] > 0.95


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, s in CORNERS.items() if s.n >= 2])
@pytest.mark.parametrize("part", PARTS)
def test_corner_cases_give_a_whole_batch(name, part):
    similarity = CORNERS[name]
    corner = state_of(similarity, np.zeros(similarity.n, int))  # one cluster: nothing is uncertain
    pool = ok.Pool(similarity, ok.Pairs.empty(), repeats=2)
    chosen = PARTS[part].select(corner, pool, pool.size, np.random.default_rng(0))
    assert set(chosen.pairs) == set(pool.list())


@pytest.mark.parametrize("name", ["no objects", "one object", "all alike"])
@pytest.mark.parametrize("part", PARTS)
def test_where_nothing_is_open_nothing_is_chosen(name, part):
    similarity = CORNERS[name]
    state = state_of(similarity, np.zeros(similarity.n, int))
    assert len(PARTS[part].select(state, pool_of(state), 3, np.random.default_rng(0)).pairs) == 0


@pytest.mark.slow
def test_a_learner_on_the_gpu_can_be_saved_and_goes_on_as_it_would_have(tmp_path):
    parts = {"acquisition": ok.JEIG(**SMALL), "belief": ok.MeanFieldBelief(device="cuda", tol=1e-2)}
    learner = ok.ActiveClustering(10, batch_size=5, **parts)
    oracle = ok.NoisyOracle(np.arange(10) % 2)
    pairs = learner.ask()
    learner.tell(pairs, oracle(pairs))
    learner.save(tmp_path / "saved.json")
    copy = ok.ActiveClustering.load(tmp_path / "saved.json")
    assert (copy.acquisition, copy.belief) == tuple(parts.values())
    assert np.array_equal(learner.ask(), copy.ask())


# -- without a GPU, or with too little memory --------------------------------------------------------------


def refuse(monkeypatch, missing):
    if missing == "cuda":
        monkeypatch.setenv("TRITON_INTERPRET", "0")
        monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    else:
        monkeypatch.setitem(sys.modules, missing, None)


MESSAGES = {
    "triton": r"^device is 'cuda', but Triton cannot be loaded .*pip install 'ofakind\[gpu\]', or choose",
    "cuda": r"^device is 'cuda', but PyTorch \S+ finds no CUDA device; check the driver .*device='cpu'",
}


@pytest.mark.parametrize("missing", MESSAGES)
@pytest.mark.parametrize("part", [*PARTS, "MeanFieldBelief"])
def test_what_is_missing_is_named_on_first_use_and_nothing_has_changed(monkeypatch, missing, part):
    on_gpu = ok.MeanFieldBelief(device="cuda")
    given = {"acquisition": PARTS[part]} if part in PARTS else {"belief": on_gpu}
    learner = ok.ActiveClustering(12, batch_size=5, **given)
    pairs = learner.ask()
    learner.tell(pairs, ok.NoisyOracle(np.arange(12) % 2)(pairs))
    refuse(monkeypatch, missing)
    before = learner.to_document()
    with pytest.raises(ok.InvalidInputError, match=MESSAGES[missing]):
        learner.ask()
    assert learner.to_document() == before


@pytest.mark.slow
def test_a_batch_that_does_not_fit_leaves_the_learner_as_it_was(monkeypatch):
    learner = ok.ActiveClustering(12, acquisition=ok.JEIG(**SMALL), batch_size=5)
    pairs = learner.ask()
    learner.tell(pairs, ok.NoisyOracle(np.arange(12) % 2)(pairs))
    before = learner.to_document()
    with monkeypatch.context() as little:
        little.setattr(gpu_jeig, "free_memory", lambda _: 1000)
        with pytest.raises(ok.TooLargeError, match=r"n = 12 objects.*GB are free; samples=.*would fit"):
            learner.ask()
    assert learner.to_document() == before
    assert len(learner.ask()) == 5


def test_entropy_on_the_gpu_needs_a_mean_field(state):
    class Other:
        pass

    strange = ok.State(state.similarity, state.clustering, Other)
    for use in (
        lambda: PARTS["Entropy"].score(strange, ok.Pairs.all(3), np.random.default_rng(0)),
        lambda: PARTS["Entropy"].select(strange, pool_of(state), 3, np.random.default_rng(0)),
    ):
        with pytest.raises(ok.InvalidInputError, match="needs a mean field and got a Other"):
            use()
