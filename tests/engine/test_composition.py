"""Which parts go together, and what the default method does as a whole."""

import numpy as np
import pytest

from ofakind import (
    EIGO,
    JEIG,
    Ability,
    ActiveClustering,
    Consensus,
    Entropy,
    InformationGain,
    InvalidInputError,
    LocalSearch,
    MeanFieldBelief,
    NoisyOracle,
    PartitionBelief,
    Scores,
    Uniform,
    adjusted_rand_index,
    run,
)

PARTS = ("acquisition", "solver", "belief")


def kinds(**given):
    learner = ActiveClustering(5, **given)
    return [type(getattr(learner, part)).__name__ for part in PARTS]


def after(learner, oracle, budget):
    for _ in run(learner, oracle, budget):
        pass
    return learner


def test_without_a_choice_the_parts_are_those_of_our_own_method():
    assert kinds() == ["InformationGain", "Consensus", "PartitionBelief"]


@pytest.mark.parametrize(
    "given", [{"acquisition": JEIG()}, {"solver": LocalSearch()}, {"belief": MeanFieldBelief()}]
)
def test_with_a_part_of_the_paper_the_others_are_the_papers(given):
    assert kinds(**given) == ["JEIG", "LocalSearch", "MeanFieldBelief"]


@pytest.mark.parametrize(
    "given", [{"acquisition": InformationGain()}, {"solver": Consensus()}, {"belief": PartitionBelief()}]
)
def test_with_a_part_of_ours_the_others_are_ours(given):
    assert kinds(**given) == kinds()


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        {"acquisition": Entropy(), "belief": PartitionBelief()},
        {"acquisition": Uniform(), "belief": PartitionBelief()},
        {"acquisition": InformationGain(), "belief": MeanFieldBelief()},
        {"acquisition": InformationGain(), "solver": LocalSearch()},
        {"acquisition": Entropy(), "solver": LocalSearch(), "belief": PartitionBelief()},
    ],
)
def test_parts_combine_freely(given):
    truth = np.repeat([0, 1], 10)
    learner = after(ActiveClustering(20, **given), NoisyOracle(truth, gamma=0.1), 100)
    assert adjusted_rand_index(truth, learner.labels) > 0.9


def test_a_solver_that_reads_samples_needs_a_belief_that_has_them():
    with pytest.raises(
        InvalidInputError, match=r"MeanFieldBelief\(.* gives none; choose belief=PartitionBelief"
    ):
        ActiveClustering(5, solver=Consensus(), belief=MeanFieldBelief())


FIELD = {"belief": MeanFieldBelief(form="dense"), "solver": LocalSearch()}


@pytest.mark.parametrize("acquisition", [JEIG(), EIGO(), Entropy(device="cuda")])
@pytest.mark.parametrize(
    "given",
    [
        {"solver": Consensus()},
        {"belief": PartitionBelief()},
        {"solver": Consensus(), "belief": PartitionBelief()},
        {"solver": LocalSearch(), "belief": PartitionBelief()},
        {"belief": MeanFieldBelief(form="sparse")},
    ],
)
def test_what_needs_a_mean_field_says_so_at_once_and_how_to_go_on(acquisition, given):
    name = type(acquisition).__name__
    with pytest.raises(InvalidInputError, match=f"{name}.* needs a dense mean field, .* gives none") as error:
        ActiveClustering(6, acquisition=acquisition, **given)
    advice = "; choose belief=MeanFieldBelief(form='dense') and solver=LocalSearch(), or another acquisition"
    assert str(error.value).endswith(advice)
    assert kinds(acquisition=acquisition, **FIELD) == [name, "LocalSearch", "MeanFieldBelief"]
    ActiveClustering(6, acquisition=Entropy(), **given)


def test_a_mean_field_has_no_samples_to_read():
    with pytest.raises(InvalidInputError, match=r"Consensus.* needs samples .* or another solver"):
        ActiveClustering(6, acquisition=JEIG(), belief=FIELD["belief"], solver=Consensus())


class Dense(PartitionBelief):
    """A belief of somebody's own, which gives mean fields."""

    gives = frozenset({Ability.MEAN_FIELD})


class Modest(JEIG):
    """An acquisition function of somebody's own, which does without them."""

    needs = frozenset()


class Silent:
    """An acquisition function that says nothing of what it needs."""

    def score(self, state, pairs, rng):
        return Scores(pairs, np.ones(len(pairs)))


@pytest.mark.parametrize(
    "given",
    [
        {"acquisition": JEIG(), "belief": Dense(), "solver": LocalSearch()},
        {"acquisition": Modest(), "belief": PartitionBelief()},
        {"acquisition": Modest(), "solver": Consensus()},
        {"acquisition": Silent(), "belief": PartitionBelief()},
        {"acquisition": Silent(), "belief": MeanFieldBelief()},
    ],
)
def test_what_a_part_needs_is_what_it_says_itself(given):
    learner = ActiveClustering(6, **given)
    assert all(getattr(learner, role) is part for role, part in given.items())


def test_to_rule_out_what_is_no_candidate_takes_candidates():
    blocked = PartitionBelief(blocked=True)
    with pytest.raises(InvalidInputError, match=r"there are none; give candidates or leave out blocked"):
        ActiveClustering(6, belief=blocked)
    assert ActiveClustering(6, belief=blocked, candidates=[(0, 1)]).belief is blocked


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_a_saved_learner_goes_on_as_it_would_have(tmp_path, suffix):
    truth = np.repeat([0, 1, 2], 15)
    learner, oracle = ActiveClustering(45, batch_size=20, seed=3), NoisyOracle(truth, seed=1)
    after(learner, oracle, 150)
    learner.save(tmp_path / f"learner{suffix}")
    again = ActiveClustering.load(tmp_path / f"learner{suffix}")
    for one in (learner, again):
        after(one, NoisyOracle(truth, seed=2), 250)
    assert list(learner.last_batch.pairs) == list(again.last_batch.pairs)
    np.testing.assert_array_equal(learner.posterior.labels, again.posterior.labels)
    np.testing.assert_array_equal(learner.labels, again.labels)


@pytest.mark.slow
def test_looking_changes_no_question():
    truth = np.repeat([0, 1, 2], 15)
    blind, looking = (ActiveClustering(45, batch_size=20, seed=3) for _ in range(2))
    for learner in (blind, looking):
        oracle = NoisyOracle(truth, seed=1)
        for _ in range(6):
            pairs = learner.ask()
            learner.tell(pairs, oracle(pairs))
            if learner is looking:
                assert learner.accuracy.expected_wrong_pairs >= 0
                assert learner.posterior.same_probability([0], [1]).shape == (1,)
                assert "speaks for" in str(learner.calibration)
    assert list(blind.last_batch.pairs) == list(looking.last_batch.pairs)


def test_what_was_carried_over_and_is_damaged_is_refused():
    learner = after(ActiveClustering(12), NoisyOracle(np.repeat([0, 1], 6)), 30)
    document = learner.to_document()
    document["memory"]["labels"] = [[0, 1]]
    document["checksum"] = None  # not even if that was on purpose
    with pytest.raises(InvalidInputError, match="damaged"):
        ActiveClustering.from_document(document)


def test_accuracy_and_calibration_need_samples():
    learner = ActiveClustering(6, acquisition=JEIG())
    for look in ("accuracy", "calibration"):
        with pytest.raises(InvalidInputError, match="PartitionBelief"):
            getattr(learner, look)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_it_needs_fewer_answers_than_random_questions_and_the_papers_reading(seed):
    truth = np.random.default_rng(seed).integers(4, size=120)
    ours = after(ActiveClustering(120, seed=seed), NoisyOracle(truth, seed=seed), 960)
    plain = after(ActiveClustering(120, acquisition=Uniform(), seed=seed), NoisyOracle(truth, seed=seed), 960)
    reached = adjusted_rand_index(truth, ours.labels)
    assert reached > 0.95
    assert adjusted_rand_index(truth, plain.labels) < reached - 0.2
    accuracy = ours.accuracy
    assert accuracy.ari_interval[0] <= reached <= accuracy.ari_interval[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("truth", "gamma"),
    [(np.zeros(40, int), 0.2), (np.arange(40), 0.0), (np.r_[np.arange(20), np.repeat([20, 21], 15)], 0.1)],
)
def test_one_cluster_all_alone_and_both_are_found(truth, gamma):
    learner = after(ActiveClustering(len(truth)), NoisyOracle(truth, gamma=gamma), 20 * len(truth))
    assert adjusted_rand_index(truth, learner.labels) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_liar_among_honest_people_is_turned_round(seed):
    truth = np.random.default_rng(seed).integers(3, size=60)
    learner = ActiveClustering(60, batch_size=60, seed=seed)
    oracle = NoisyOracle(truth, gamma=0.1, seed=seed)
    for number in range(24):
        pairs = learner.ask()
        lies = number % 4 == 3
        learner.tell(pairs, -oracle(pairs) if lies else oracle(pairs), annotator="liar" if lies else "honest")
    assert adjusted_rand_index(truth, learner.labels) > 0.95
    assert learner.calibration.log_ratio([1.0], "liar")[0] < -1
    assert learner.calibration.log_ratio([1.0], "honest")[0] > 1


def test_very_few_objects_can_be_asked_about():
    for n in (0, 1, 2, 3):
        learner = ActiveClustering(n)
        for _ in range(3):
            pairs = learner.ask()
            learner.tell(pairs, np.ones(len(pairs)))
        assert learner.n_answers == n * (n - 1) // 2
        assert learner.accuracy.expected_wrong_pairs >= 0
