"""Learners and estimators survive pickling and copying, looked at or not, and go on like the originals."""

import copy
import io
import pickle
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import check_estimators_pickle

import ofakind as ok
from ofakind.answers import Answers
from ofakind.sklearn import ActiveCorrelationClustering
from twins.parts import OwnAcquisition, OwnBelief, OwnSolver

N = 24
TRUTH = np.arange(N) % 3
COMPOSITIONS: dict[str, dict[str, Any]] = {
    "ours": {},
    "ours with two jobs": {"belief": ok.PartitionBelief(n_jobs=2)},
    "the paper's": {"acquisition": ok.JEIG(samples=5)},
    "a user's": {"acquisition": OwnAcquisition(), "solver": OwnSolver(), "belief": OwnBelief()},
}


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301


def dumped_by_joblib(thing: Any) -> Any:
    file = io.BytesIO()
    joblib.dump(thing, file)
    file.seek(0)
    return joblib.load(file)


COPIES = {"pickle": pickled, "joblib": dumped_by_joblib, "deepcopy": copy.deepcopy}


def rounds(learner: ok.ActiveClustering, count: int) -> list[ok.Pairs]:
    oracle, asked = ok.NoisyOracle(TRUTH, 0.1, seed=3), []
    for _ in range(count):
        asked.append(learner.ask(12))
        learner.tell(asked[-1], oracle(asked[-1]), annotator="Ann")
    return asked


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("parts", COMPOSITIONS.values(), ids=COMPOSITIONS)
def test_a_learner_that_was_looked_at_is_copied_and_goes_on_as_the_original(
    parts: dict[str, Any], copied: Any
) -> None:
    learner = ok.ActiveClustering(N, **parts, seed=1)
    rounds(learner, 2)
    same = learner.posterior.same_probability([0, 0], [1, 3])
    learner.ask(3)  # left pending
    labels = learner.labels
    twin = copied(learner)
    assert twin.pending == learner.pending
    assert twin.to_document() == learner.to_document()
    np.testing.assert_array_equal(twin.labels, labels)
    assert rounds(twin, 2) == rounds(learner, 2)
    assert not np.array_equal(twin.posterior.same_probability([0, 0], [1, 3]), same)
    np.testing.assert_array_equal(
        twin.posterior.same_probability([0, 0], [1, 3]), learner.posterior.same_probability([0, 0], [1, 3])
    )


def test_a_copy_before_the_first_question_asks_what_the_original_asks() -> None:
    learner = ok.ActiveClustering(N, seed=1)
    _ = learner.labels, learner.posterior
    assert rounds(pickled(learner), 2) == rounds(learner, 2)


def test_a_pickle_holds_answers_and_not_what_is_derived_from_them() -> None:
    learner = ok.ActiveClustering(N, seed=1)
    rounds(learner, 2)
    before = len(pickle.dumps(learner))
    _ = learner.accuracy
    assert len(pickle.dumps(learner)) == before


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize(
    ("core", "names"),
    [
        (ok.Pairs.of([0, 1], [2, 3]), ("u", "v")),
        (Answers.none(3).adding([(0, 1)], [1.0]), ("u", "v", "values")),
        (ok.Similarity.from_pairs(3, [0], [1], [1.0]), ("indptr", "indices", "values", "counts")),
        (ok.Clustering.of(ok.Similarity.from_pairs(3, [0], [1], [1.0]), [0, 0, 1]), ("labels",)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_copy_of_a_core_type_cannot_be_written_to_either(
    core: Any, names: tuple[str, ...], copied: Any
) -> None:
    twin = copied(core)
    for name in names:
        array = getattr(twin, name)
        np.testing.assert_array_equal(array, getattr(core, name))
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


@pytest.mark.slow
@pytest.mark.parametrize("parts", [{}, {"acquisition": ok.Uniform()}], ids=["read", "solved first"])
def test_what_a_round_is_chosen_from_can_be_pickled(parts: dict[str, Any]) -> None:
    """A cluster of machines may be sent a state, and an acquisition function of a user's own may keep it."""
    learner = ok.ActiveClustering(N, **parts, seed=1)
    rounds(learner, 2)
    state = learner._state()
    twin = pickled(state)
    np.testing.assert_array_equal(twin.clustering.labels, state.clustering.labels)
    np.testing.assert_array_equal(
        twin.posterior.same_probability([0, 0], [1, 3]), state.posterior.same_probability([0, 0], [1, 3])
    )


# -- estimators --------------------------------------------------------------------------------------------


def near(left: Any, right: Any) -> Any:
    return np.where(np.abs(left - right).sum(axis=1) < 4, 1.0, -1.0)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_fitted_estimator_with_our_method_is_copied_and_its_learner_goes_on(copied: Any) -> None:
    X, _ = make_blobs(20, random_state=0)
    model = ActiveCorrelationClustering(ok.FeatureOracle(near), budget=60, random_state=0).fit(X)
    expected = model.learner_.posterior.same_probability([0, 0], [1, 2])
    twin = copied(model)
    np.testing.assert_array_equal(twin.labels_, model.labels_)
    np.testing.assert_array_equal(twin.learner_.posterior.same_probability([0, 0], [1, 2]), expected)
    assert twin.learner_.ask(5) == model.learner_.ask(5)
    assert [step.n_answers for step in twin.history_] == [step.n_answers for step in model.history_]
    np.testing.assert_array_equal(twin.fit(X).labels_, model.labels_)


@pytest.mark.parametrize("readonly_memmap", [False, True])
def test_scikit_learn_can_pickle_the_estimator_with_our_method(readonly_memmap: bool) -> None:
    estimator = ActiveCorrelationClustering(ok.FeatureOracle(near), budget=100)
    check_estimators_pickle("ActiveCorrelationClustering", estimator, readonly_memmap=readonly_memmap)
