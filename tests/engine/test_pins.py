"""Pins of a learner: nothing outweighs them, nothing that follows from them is asked, and they are saved."""

import numpy as np
import pytest

import ofakind as ok
from ofakind.engine.document import plain
from ofakind.errors import InvalidInputError
from twins.pins import fits, random_pins
from twins.replays import everything_after

N = 24
TRUTH = np.arange(N) % 3
PARTS = {
    "ours": {},
    "ours, f1": {"solver": ok.Consensus("f1")},
    "entropy": {"acquisition": ok.Entropy()},
    "jeig": {"acquisition": ok.JEIG(subsets=2, samples=16)},
    "eigo": {"acquisition": ok.EIGO(candidates_per_object=2)},
    "maxexp": {"acquisition": ok.MaxExp()},
    "multilevel": {"acquisition": ok.Entropy(), "solver": ok.Multilevel()},
    "pivot": {"acquisition": ok.Entropy(), "solver": ok.Pivot()},
    "sparse": {"acquisition": ok.Entropy(), "belief": ok.MeanFieldBelief(form="sparse")},
    "exact": {"acquisition": ok.Uniform(), "solver": ok.Exact()},
    "samples, solved": {"belief": ok.PartitionBelief(), "solver": ok.LocalSearch()},
    "blocked": {
        "belief": ok.PartitionBelief(blocked=True),
        "candidates": ok.Pairs.all(N).take(slice(0, None, 2)),
    },
}
each_part = pytest.mark.parametrize("part", PARTS.values(), ids=PARTS.keys())


def right(pairs):
    pairs = np.asarray(pairs)
    return np.where(TRUTH[pairs[:, 0]] == TRUTH[pairs[:, 1]], 1.0, -1.0)


def certain(learner):
    """Whether labels, samples and P(same) of all pairs follow the pins of a learner."""
    u, v = np.triu_indices(learner.n, 1)
    decided = learner.pins.implied(u, v)
    same = learner.posterior.same_probability(u, v)
    samples = getattr(learner.posterior, "labels", [learner.labels])
    return (
        all(fits(labels, learner.pins) for labels in [learner.labels, *samples])
        and (same[decided > 0] == 1.0).all()
        and (same[decided < 0] == 0.0).all()
    )


def pin_some(learner, rng):
    """Pin five random pairs, right or wrong, unless that follows from others already."""
    for same in (True, False, True, False, True):
        u, v = rng.choice(N, 2, replace=False)
        if not learner.pins.implied(np.array([u]), np.array([v]))[0]:
            learner.pin([(u, v)], same=same)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ofakind.NotConvergedWarning", "ignore::ofakind.CollapsedWarning")
@each_part
def test_pins_hold_in_every_round_and_what_follows_from_them_is_never_asked(part):
    """To the end of the pool, with some pins that are wrong, and more of them on the way."""
    learner, oracle = ok.ActiveClustering(N, seed=3, **part), ok.NoisyOracle(TRUTH, gamma=0.3, seed=1)
    rng, asked = np.random.default_rng(2), set()
    for round_ in range(40):
        if round_ in (0, 3):
            pin_some(learner, rng)
        pairs = learner.ask(40 if round_ > 4 else 12)
        if not len(pairs):
            break
        assert not np.any(learner.pins.implied(pairs.u, pairs.v))
        asked |= set(pairs)
        learner.tell(pairs, oracle(pairs))
        assert certain(learner)
    else:
        pytest.fail("the pool did not end")
    every = learner.candidates or ok.Pairs.all(N)
    assert set(every.take(learner.pins.implied(every.u, every.v) == 0)) <= asked
    assert len(learner.pins) > 5


@pytest.mark.parametrize("part", [PARTS["ours"], PARTS["entropy"]])
@pytest.mark.parametrize("same", [True, False])
def test_a_pin_outweighs_a_thousand_contrary_answers(part, same):
    learner = ok.ActiveClustering(N, initial=0, **part)
    pairs = np.asarray(ok.Pairs.all(N))[::3]
    learner.tell(pairs, right(pairs))
    u, v = (0, 1) if same else (0, 3)
    learner.tell([(u, v)] * 1000, [-1.0 if same else 1.0] * 1000)
    assert (learner.labels[u] == learner.labels[v]) != same
    learner.pin([(u, v)], same=same)
    assert (learner.labels[u] == learner.labels[v]) == same
    assert learner.posterior.same_probability([u], [v])[0] == float(same)
    learner.ask(1)
    learner.tell([(u, v)] * 1000, [-1.0 if same else 1.0] * 1000)
    assert (learner.labels[u] == learner.labels[v]) == same


def test_pins_may_come_before_anything_else_and_what_is_not_pinned_is_together():
    learner = ok.ActiveClustering(5)
    learner.pin([(0, 1), (1, 2)], same=False)
    learner.pin([(4, 1)], same=True)
    assert learner.labels.tolist() == [0, 1, 0, 1, 1]
    assert learner.groups.tolist() == [0, 1, 0, 1, 1]
    assert len(learner.ask(100)) == 10 - 1 - 4


def test_contradicting_pins_are_refused_whole_with_the_chain():
    learner = ok.ActiveClustering(8)
    learner.pin([(0, 3), (3, 5)], same=True)
    with pytest.raises(ok.ContradictingPinsError, match=r"0 is to be different from 5, but 0 = 3 \(pinned\)"):
        learner.pin([(6, 7), (5, 0)], same=False)
    assert len(learner.pins) == 2
    with pytest.raises(InvalidInputError, match="same is 1; expected True or False"):
        learner.pin([(6, 7)], same=1)
    with pytest.raises(InvalidInputError, match="two different objects"):
        learner.pin([(6, 6)], same=True)
    with pytest.raises(InvalidInputError, match=r"\(0, 5\) is not pinned, it follows from other pins"):
        learner.unpin([(0, 3), (0, 5)])
    assert len(learner.pins) == 2
    assert repr(learner.pins) == "Pins(2 of 28 pairs)"


@pytest.mark.parametrize("part", [ok.Entropy(), ok.JEIG(), None], ids=["Entropy", "JEIG", "ours"])
def test_a_pin_may_decide_all_pairs_that_have_an_answer(part):
    learner = ok.ActiveClustering(4, **({} if part is None else {"acquisition": part}))
    learner.tell([(1, 2)], [-1])
    learner.pin([(1, 2)], same=True)
    assert len(learner.ask(1)) == 1
    assert learner.labels[1] == learner.labels[2]


def test_a_pending_pair_that_follows_from_pins_is_no_longer_pending():
    learner = ok.ActiveClustering(4, initial=6)
    assert len(learner.ask()) == 6
    learner.pin([(0, 1), (1, 2)], same=True)
    assert set(learner.pending) == {(0, 3), (1, 3), (2, 3)}
    learner.unpin([(1, 2)])
    assert set(learner.pending) == {(0, 3), (1, 3), (2, 3)}
    assert set(learner.ask()) == {(0, 2), (1, 2)}


def test_a_pair_may_be_pinned_again_and_nothing_changes():
    learner = ok.ActiveClustering(N)
    learner.pin([(0, 1)], same=False)
    learner.tell(pairs := learner.ask(), right(pairs))
    learner.ask(3)
    before = learner.posterior
    learner.pin([(1, 0), (0, 1)], same=False)
    learner.pin([], same=True)
    assert learner.posterior is before


@pytest.mark.slow
def test_after_unpinning_the_posterior_is_that_of_a_learner_that_was_never_pinned():
    """P(same) of all pairs, averaged over seeds; as for answers that are taken back."""
    u, v = np.triu_indices(N, 1)
    pairs = np.asarray(ok.Pairs.all(N))[np.random.default_rng(0).permutation(276)[:40]]
    ours, theirs = [], []
    for seed in range(12):
        learner = ok.ActiveClustering(N, seed=seed, initial=0)
        learner.tell(pairs, right(pairs))
        learner.pin([(0, 1), (1, 2)], same=True)  # both wrong
        learner.pin([(3, 6)], same=False)
        learner.ask(3)
        learner.unpin([(0, 1), (1, 2), (3, 6)])
        for _ in range(5):  # a few rounds of single looks, in which samples are brought up to date
            learner.ask(1)
            learner.retract([pairs[0]])
            learner.tell([pairs[0]], right(pairs[:1]))
        ours.append(learner.posterior.same_probability(u, v))
        other = ok.ActiveClustering(N, seed=seed, initial=0)
        other.tell(pairs, right(pairs))
        theirs.append(other.posterior.same_probability(u, v))
    ours, theirs = np.array(ours), np.array(theirs)
    error = np.sqrt((ours.var(axis=0, ddof=1) + theirs.var(axis=0, ddof=1)) / 12 + 1e-3**2)
    deviations = (ours.mean(axis=0) - theirs.mean(axis=0)) / error
    assert np.abs(deviations).mean() < 1.2  # 0.8 by chance
    assert np.abs(ours.mean(axis=0) - theirs.mean(axis=0)).max() < 0.25


@pytest.mark.slow
def test_pins_that_are_right_save_questions():
    def answers_needed(seed, *, pinned):
        n, truth = 60, np.arange(60) % 4
        learner, oracle = ok.ActiveClustering(n, seed=seed), ok.NoisyOracle(truth, gamma=0.3, seed=seed)
        if pinned:
            learner.pin([(i, i + 4) for i in range(36)], same=True)
            learner.pin([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], same=False)
        for step in ok.run(learner, oracle, budget=1500):
            if step.ari(truth) > 0.95:
                return step.n_answers
        return 1500

    pinned, usual = (
        sum(answers_needed(seed, pinned=pinned) for seed in range(3)) for pinned in (True, False)
    )
    assert pinned < 0.6 * usual


@pytest.mark.slow
@pytest.mark.parametrize("part", [PARTS["ours"], PARTS["entropy"], PARTS["jeig"]])
def test_the_same_calls_give_the_same_questions_also_when_saved_and_loaded_in_between(part):
    def calls(*, saved):
        oracle = ok.NoisyOracle(np.arange(N + 4) % 3, gamma=0.2, seed=2)
        return everything_after(ok.ActiveClustering(N, seed=5, **part), oracle, steps, saved=saved)

    def still_certain(learner):
        assert certain(learner)

    steps = [
        lambda learner: learner.pin([(0, 3), (1, 4)], same=True),
        None,
        lambda learner: learner.pin([(0, 5), (4, 8), (8, 0)], same=False),
        None,
        lambda learner: learner.unpin([(1, 4)]),
        None,
        lambda learner: learner.extend(4),
        lambda learner: learner.pin([(N, 0), (N + 1, 1)], same=True),
        lambda learner: learner.retract(np.asarray(learner.similarity.pairs())[::4]),
        None,
        None,
        still_certain,
    ]
    assert calls(saved=False) == calls(saved=True)


def test_unpinned_before_the_first_question_a_learner_is_the_same_when_loaded():
    learner = ok.ActiveClustering(6)
    learner.pin([(0, 1)], same=True)
    learner.unpin([(0, 1)])
    again = ok.ActiveClustering.from_document(learner.to_document())
    assert again.to_document() == learner.to_document()
    assert (again.groups.tolist(), list(again.ask())) == (learner.groups.tolist(), list(learner.ask()))


def test_documents_without_pins_are_read_and_those_with_damaged_ones_refused():
    learner = ok.ActiveClustering(6)
    document = learner.to_document()
    assert "pins" not in document
    assert len(ok.ActiveClustering.from_document(document).pins) == 0
    damaged = {**document, "pins": {"u": [0], "v": [9], "same": [True]}}
    with pytest.raises(InvalidInputError, match="damaged"):
        ok.ActiveClustering.from_document(damaged)


def test_npz_files_hold_pins(tmp_path):
    learner = ok.ActiveClustering(6)
    learner.pin([(0, 1)], same=True)
    learner.pin([(2, 5)], same=False)
    learner.save(tmp_path / "learner.npz")
    again = ok.ActiveClustering.load(tmp_path / "learner.npz")
    assert plain(again.pins.to_entry()) == plain(learner.pins.to_entry())


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("candidates", [None, [(0, 1), (0, 2), (1, 2), (3, 4), (0, 5)]])
def test_only_what_can_be_asked_is_left(candidates, repeats):
    learner = ok.ActiveClustering(6, candidates=candidates, repeats=repeats, initial=4)
    learner.tell([(0, 1), (0, 2), (3, 4)], [1, 1, -1])
    learner.pin([(0, 1)], same=True)
    learner.pin([(1, 2)], same=False)
    pairs = 2 if candidates else 12
    assert learner._kept.left(learner.similarity, repeats) == repeats * pairs - 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ofakind.AccuracyWarning")
def test_accuracy_and_forecast_work_with_pins():
    learner, oracle = ok.ActiveClustering(N, seed=1), ok.NoisyOracle(TRUTH, gamma=0.3, seed=1)
    learner.pin([(0, 3), (3, 6), (6, 9)], same=True)
    learner.pin([(0, 1)], same=False)
    for _ in range(4):
        learner.tell(pairs := learner.ask(), oracle(pairs))
    every = ok.Pairs.all(N)
    left = np.count_nonzero(learner.pins.implied(every.u, every.v) == 0) - learner.n_answers
    assert learner.forecast(0.9).left == left
    assert 0 < learner.accuracy.expected_ari <= 1


def test_a_sequential_belief_that_knows_nothing_of_pins_is_refused():
    class Own(ok.PartitionBelief):
        def update(self, answers, *, similarity=None, candidates=None, carried=None, rng):
            return super().update(answers, carried=carried, rng=rng)

    learner = ok.ActiveClustering(6, belief=Own(), acquisition=ok.InformationGain())
    with pytest.raises(InvalidInputError, match="Own knows nothing of pins"):
        learner.pin([(0, 1)], same=True)
    assert len(learner.pins) == 0


def test_somebody_elses_belief_is_certain_of_pins():
    class Coin:
        def __call__(self, similarity, clustering, *, rng):
            return self

        def same_probability(self, u, v):
            return np.full(len(u), 0.5)

        def pair_entropy(self, u, v):
            return np.full(len(u), np.log(2))

    learner = ok.ActiveClustering(6, belief=Coin(), acquisition=ok.Entropy(), solver=ok.LocalSearch())
    learner.pin([(0, 1)], same=True)
    learner.tell([(0, 1)], [-1])
    assert learner.posterior.same_probability([0, 0], [1, 2]).tolist() == [1.0, 0.5]
    assert len(learner.ask(100)) == 14


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_consensus_breaks_no_pin_also_where_samples_are_few_and_clusters_change(seed):
    rng = np.random.default_rng(seed)
    learner = ok.ActiveClustering(N, seed=seed, belief=ok.PartitionBelief(chains=1, samples=2, burn_in=1))
    for _ in range(6):
        pins = random_pins(N, 12, rng)
        if len(learner.pins):
            learner.unpin(learner.pins.pairs)
        for same in (True, False):
            learner.pin(np.asarray(pins.pairs)[pins.same == same], same=same)
        pairs = np.asarray(learner.ask(10))
        learner.tell(pairs, rng.uniform(-1, 1, len(pairs)))
        assert certain(learner)
