"""The belief depends on the answers: asking, looking, releasing and saving change nothing of it."""

import copy
import pickle

import numpy as np
import pytest

import ofakind as ok
from twins.replays import reloaded

PARTS = {
    "ours": {},
    "samples and a solver": {"solver": ok.LocalSearch(), "belief": ok.PartitionBelief()},
    "JEIG": {"acquisition": ok.JEIG()},
    "Entropy": {"acquisition": ok.Entropy()},
    "Uniform": {"acquisition": ok.Uniform()},
}
N = 30


COPIES = {
    "itself": lambda learner: learner,
    "loaded": reloaded,
    "pickled": lambda learner: pickle.loads(pickle.dumps(learner)),  # noqa: S301
    "copied": copy.deepcopy,
}


def a_learner(part, rounds=4, seed=0):
    learner = ok.ActiveClustering(N, seed=seed, **PARTS[part])
    oracle = ok.NoisyOracle(np.arange(N) % 4, gamma=0.3, seed=1)
    for _ in range(rounds):
        learner.tell(pairs := learner.ask(12), oracle(pairs))
    return learner, oracle


def seen(learner):
    """Everything that a user can see of a belief."""
    u, v = np.triu_indices(N, 1)
    found = [learner.labels.tolist(), learner.groups.tolist(), learner.clustering.cost]
    found.append(learner.posterior.same_probability(u, v).tolist())
    if isinstance(learner.belief, ok.PartitionBelief):
        found += [repr(learner.accuracy), repr(learner.forecast(0.9)), repr(learner.posterior.diagnostics)]
    return found


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("look_first", [True, False])
@pytest.mark.parametrize("part", PARTS)
def test_asking_looking_releasing_and_saving_change_nothing_that_can_be_seen(part, look_first):
    learner, _ = a_learner(part)
    before = seen(learner if look_first else reloaded(learner))
    learner.ask(1)
    assert seen(learner) == before
    learner.ask()
    learner.release(learner.pending[:3])
    assert seen(learner) == before
    learner.tell(np.empty((0, 2), int), [])
    for name, again in COPIES.items():
        assert seen(again(learner)) == before, name
    learner.release()
    assert seen(learner) == before


@pytest.mark.parametrize("part", PARTS)
def test_an_answer_changes_what_is_believed_of_its_pair(part):
    learner, _ = a_learner(part, rounds=2)
    (pair,) = learner.ask(1)
    before = learner.posterior.same_probability([pair[0]], [pair[1]])
    learner.tell([pair], [1.0 if before < 0.5 else -1.0])
    assert learner.posterior.same_probability([pair[0]], [pair[1]]) != before


@pytest.mark.parametrize("copying", COPIES)
@pytest.mark.parametrize("part", PARTS)
def test_questions_asked_one_by_one_without_an_answer_are_the_same_after_any_copy_or_look(part, copying):
    learner, oracle = a_learner(part)
    twin, _ = a_learner(part)
    found, expected = [], []
    for _ in range(4):
        expected += [*twin.ask(1)]
        learner = COPIES[copying](learner)
        found += [*learner.ask(1)]
        assert len(learner.labels) == N
        learner = COPIES[copying](learner)
    assert found == expected
    assert len(set(found)) == 4
    answers = oracle(expected)
    for one in (learner, twin):
        one.tell(expected, answers)
    assert list(COPIES[copying](learner).ask(5)) == list(twin.ask(5))


def test_an_ask_without_a_new_answer_samples_nothing(monkeypatch):
    learner, _ = a_learner("ours")
    learner.ask(1)

    def refuse(*_args, **_options):
        raise AssertionError("sampled again")

    monkeypatch.setattr("ofakind.posterior.partition.loop._run_on", refuse)
    assert len(learner.ask(3)) == 3
    assert len(reloaded(learner).ask(3)) == 3
    learner.tell([(0, 1)], [1])
    with pytest.raises(AssertionError, match="sampled again"):
        learner.ask(1)


def test_a_learner_of_an_older_document_goes_on_from_what_was_carried_over():
    learner, _ = a_learner("ours")
    learner.ask(1)
    document = learner.to_document()
    for name in ("groups", "believed_in", "changed", "checksum"):
        del document[name]
    for name in ("same", "fit", "log_likelihood"):
        del document["memory"][name]
    document["version"] = 2
    old = ok.ActiveClustering.from_document(document)
    assert len(old.ask(5)) == 5
    assert ok.adjusted_rand_index(old.labels, learner.labels) > 0.5
