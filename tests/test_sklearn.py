"""The estimators: scikit-learn's own checks, and ours."""

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

from ofakind.clustering import adjusted_rand_index
from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run
from ofakind.errors import InvalidAnswerError, InvalidInputError
from ofakind.oracles.features import FeatureOracle
from ofakind.oracles.noisy import NoisyOracle
from ofakind.pairs import Pairs, count_pairs
from ofakind.posterior.mean_field.belief import MeanFieldBelief
from ofakind.sklearn import ActiveCorrelationClustering, CorrelationClustering
from ofakind.solve.exact import Exact
from ofakind.solve.local_search import LocalSearch
from ofakind.solve.pivot import Pivot
from twins.featured import vectors
from twins.parts import OwnAcquisition, OwnBelief, OwnSolver

OWN: dict[str, Any] = {"acquisition": OwnAcquisition(), "solver": OwnSolver(), "belief": OwnBelief()}
TRUTH = np.repeat([0, 1, 2], [5, 4, 3])
BLOCKS = np.where(TRUTH[:, None] == TRUTH, 1.0, -1.0)


@dataclass(frozen=True)
class CentredKernel:
    """Signed similarities of features: above 0 when they are near each other."""

    offset: float

    def __call__(self, X: Any, Y: Any = None) -> Any:
        return rbf_kernel(X, Y, gamma=1.0) - self.offset


@dataclass(frozen=True)
class KernelOfOne:
    """The same, but it cannot compare new objects with others."""

    offset: float

    def __call__(self, X: Any) -> Any:
        return rbf_kernel(X, gamma=1.0) - self.offset


@dataclass(frozen=True)
class Near:
    """Answers that two rows are of a kind when they are near each other; dense or sparse."""

    distance: float

    def __call__(self, left: Any, right: Any) -> Any:
        difference = left - right
        square = difference.multiply(difference) if sparse.issparse(difference) else difference**2
        return np.where(np.asarray(square.sum(axis=1)).ravel() < self.distance**2, 1.0, -1.0)


NEAR = FeatureOracle(Near(1.0))


# -- what scikit-learn expects of every estimator --------------------------------------------------------


def expected_failures(estimator: Any) -> dict[str, str]:
    if get_tags(estimator).input_tags.pairwise:
        return {"check_clustering": "hands features, 50 x 2, to an estimator of precomputed similarities"}
    return {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [
        CorrelationClustering(),
        CorrelationClustering(CentredKernel(0.3)),
        CorrelationClustering(KernelOfOne(0.3)),
        # A looser belief, since not every one of the checks' data settles within the limit of sweeps.
        ActiveCorrelationClustering(NEAR, budget=300, belief=MeanFieldBelief(tol=1e-3)),
    ],
    ids=["precomputed", "kernel", "kernel of one", "active"],
)
def test_scikit_learn_is_content(estimator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # else the check of array API dispatch is skipped
    expected = expected_failures(estimator)
    found = check_estimator(estimator, expected_failed_checks=expected, on_skip=None, on_fail=None)
    assert len(found) > 30
    assert {one["check_name"] for one in found if one["status"] == "xfail"} == set(expected)
    assert [
        (one["check_name"], one["status"], repr(one["exception"]))
        for one in found
        if one["status"] not in ("passed", "xfail")
    ] == []


@pytest.mark.parametrize(
    "estimator", [CorrelationClustering(CentredKernel(0.3)), ActiveCorrelationClustering(NEAR, **OWN)]
)
def test_a_copy_has_the_options_but_not_the_results(estimator: Any) -> None:
    estimator.set_params(random_state=3).fit([[0.0], [9.0]])
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    check_is_fitted(estimator)
    with pytest.raises(NotFittedError):
        check_is_fitted(copy)


@pytest.mark.parametrize(
    "estimator", [CorrelationClustering(CentredKernel(0.3)), ActiveCorrelationClustering(NEAR, **OWN)]
)
def test_a_fitted_estimator_survives_pickling(estimator: Any) -> None:
    X, _ = make_blobs(20, random_state=0)
    estimator.set_params(random_state=0).fit(X)
    thawed = pickle.loads(pickle.dumps(estimator))  # noqa: S301
    np.testing.assert_array_equal(thawed.labels_, estimator.labels_)
    np.testing.assert_array_equal(thawed.fit(X).labels_, estimator.labels_)


# -- known similarities ----------------------------------------------------------------------------------


def plain_cost(S: Any, labels: Any) -> float:
    """R_CC, pair by pair."""
    return sum(
        max(-S[u, v], 0.0) if labels[u] == labels[v] else max(S[u, v], 0.0)
        for u in range(len(S))
        for v in range(u)
    )


def random_similarities(seed: int, n: int = 20) -> Any:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.4), 1)
    return upper + upper.T


@st.composite
def matrices(draw: Any) -> Any:
    n = draw(st.integers(1, 7))
    values = st.sampled_from([-3.0, -1.0, 0.0, 0.5, 2.0]) | st.floats(-1e3, 1e3, width=32)
    S = np.zeros((n, n))
    upper = np.triu_indices(n, 1)
    S[upper] = draw(st.lists(values, min_size=len(upper[0]), max_size=len(upper[0])))
    return S + S.T


@pytest.mark.slow
@given(matrices())
def test_the_cost_is_that_of_the_labels_and_no_single_move_lowers_it(S: Any) -> None:
    model = CorrelationClustering(random_state=0).fit(S)
    scale = np.abs(S).max()
    assert model.cost_ == pytest.approx(plain_cost(S, model.labels_), rel=1e-12, abs=1e-12 * scale)
    assert sorted(set(model.labels_)) == list(range(model.n_clusters_))
    for item in range(len(S)):
        for target in range(model.n_clusters_ + 1):
            moved = model.labels_.copy()
            moved[item] = target
            assert plain_cost(S, moved) >= model.cost_ - 1e-9 * scale


def test_contradiction_free_similarities_are_met_without_cost() -> None:
    model = CorrelationClustering(random_state=0).fit(BLOCKS)
    np.testing.assert_array_equal(model.labels_, TRUTH)
    assert (model.n_clusters_, model.cost_, model.n_features_in_) == (3, 0.0, len(TRUTH))


@pytest.mark.parametrize("seed", range(3))
def test_clusters_are_found_where_one_cluster_for_all_is_a_local_optimum(seed: int) -> None:
    S = np.where(np.repeat([0, 1, 2], 10)[:, None] == np.repeat([0, 1, 2], 10), 7.0, -3.0)
    assert np.all(S.sum(axis=1) - 7 > 0)  # nobody gains by leaving alone
    assert CorrelationClustering(random_state=seed).fit(S).n_clusters_ == 3


@pytest.mark.parametrize("n", [1, 2, 6])
def test_corner_cases(n: int) -> None:
    alike, unlike, unknown = (
        CorrelationClustering(random_state=0).fit(np.full((n, n), s)) for s in (1, -1, 0)
    )
    assert (alike.n_clusters_, alike.cost_) == (1, 0)
    assert (unlike.n_clusters_, unlike.cost_) == (n, 0)
    assert unknown.labels_.shape == (n,)
    assert unknown.cost_ == 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [2.0**-1000, 1e-9, 0.37, 1.0, 3.0, 2.0**1000])
def test_the_scale_changes_the_cost_and_nothing_else(seed: int, scale: float) -> None:
    S = random_similarities(seed)
    base, scaled = (CorrelationClustering(random_state=0).fit(matrix) for matrix in (S, S * scale))
    np.testing.assert_array_equal(scaled.labels_, base.labels_)
    assert scaled.cost_ == pytest.approx(base.cost_ * scale, rel=1e-12)


def test_the_diagonal_is_ignored() -> None:
    S = random_similarities(0)
    plain = CorrelationClustering(random_state=0).fit(S)
    filled = CorrelationClustering(random_state=0).fit(S + np.diag(np.linspace(-1e9, 1e9, len(S))))
    np.testing.assert_array_equal(filled.labels_, plain.labels_)
    assert filled.cost_ == plain.cost_


@pytest.mark.parametrize(
    "read", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.lil_array, list]
)
def test_sparse_matrices_and_lists_give_what_dense_ones_do(read: Any) -> None:
    for seed in range(3):
        S = random_similarities(seed)
        dense, other = (CorrelationClustering(random_state=0).fit(matrix) for matrix in (S, read(S)))
        np.testing.assert_array_equal(other.labels_, dense.labels_)
        assert other.cost_ == dense.cost_


def test_stored_zeros_are_unknown_and_repeated_entries_add_up() -> None:
    S = random_similarities(0)
    row, column = (index.ravel() for index in np.indices(S.shape))
    halves = np.r_[S.ravel() / 2, S.ravel() / 2]
    stored = sparse.coo_array((halves, (np.r_[row, row], np.r_[column, column])), shape=S.shape)
    dense, other = (CorrelationClustering(random_state=0).fit(matrix) for matrix in (S, stored))
    np.testing.assert_array_equal(other.labels_, dense.labels_)
    assert other.cost_ == pytest.approx(dense.cost_)


def test_asymmetry_from_rounding_is_averaged() -> None:
    S = random_similarities(0)
    rounded = S * (1 + 1e-8 * np.triu(np.ones_like(S)))
    one, other = (CorrelationClustering(random_state=0).fit(matrix) for matrix in (rounded, rounded.T))
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.cost_ == other.cost_ == pytest.approx(plain_cost(S, one.labels_), rel=1e-6)


@pytest.mark.parametrize("read", [np.array, sparse.csr_array])
def test_real_asymmetry_is_refused_with_the_pair_named(read: Any) -> None:
    S = BLOCKS.copy()
    S[2, 7] = 0.25
    with pytest.raises(
        InvalidInputError, match=r"\(2, 7\) is 0.25 and \(7, 2\) is -1.0; expected a symmetric"
    ):
        CorrelationClustering().fit(read(S))


def test_features_are_not_taken_for_similarities() -> None:
    with pytest.raises(
        InvalidInputError, match=r"\(12, 2\).*expected the similarities of 12 .*similarity= a function"
    ):
        CorrelationClustering().fit(np.zeros((12, 2)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("read", [np.array, sparse.csr_array])
def test_similarities_that_are_not_finite_are_refused(bad: float, read: Any) -> None:
    S = BLOCKS.copy()
    S[0, 1] = S[1, 0] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        CorrelationClustering().fit(read(S))
    with pytest.raises(ValueError, match=r"similarity\(X\).*(NaN|infinity)"):
        CorrelationClustering(lambda _: read(S)).fit(list("abcdefghijkl"))


@pytest.mark.parametrize("output", [np.asarray, sparse.csr_array])
def test_a_function_computes_similarities_of_anything(output: Any) -> None:
    words = ["apple", "apricot", "banana", "blueberry", "avocado"]
    same_letter = lambda X: output([[1.0 if a[0] == b[0] else -1.0 for a in X] for b in X])  # noqa: E731
    model = CorrelationClustering(same_letter, random_state=0).fit(words)
    assert model.labels_.tolist() == [0, 0, 1, 1, 0]
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("shape", [(4, 4), (3, 2), (2, 3)])
def test_a_function_must_give_a_row_and_a_column_for_each_object(shape: tuple[int, int]) -> None:
    with pytest.raises(InvalidInputError, match=r"similarity\(X\) has shape .* of 3 objects, \(3, 3\)$"):
        CorrelationClustering(lambda _: np.zeros(shape)).fit(["a", "b", "c"])


@pytest.mark.parametrize("similarity", ["rbf", None, 3])
def test_an_unknown_similarity_is_refused(similarity: Any) -> None:
    with pytest.raises(InvalidInputError, match='expected "precomputed" or a function'):
        CorrelationClustering(similarity).fit(BLOCKS)


@pytest.mark.parametrize("solver", [LocalSearch, "exact", 5])
def test_a_solver_that_is_none_is_refused(solver: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"expected a solver such as LocalSearch\(\)"):
        CorrelationClustering(solver=solver).fit(BLOCKS)


@pytest.mark.parametrize("solver", [LocalSearch(restarts=1), Exact(), Pivot()])
def test_any_solver_will_do(solver: Any) -> None:
    model = CorrelationClustering(solver=solver, random_state=0).fit(BLOCKS * 7)
    np.testing.assert_array_equal(model.labels_, TRUTH)


class DiceSolver(OwnSolver):
    """Notes what comes out of the generator it is handed."""

    rolls: list[float] = []  # noqa: RUF012

    def __call__(self, similarity: Any, *, start: Any = None, rng: Any) -> Any:
        self.rolls.append(rng.random())
        return super().__call__(similarity, start=start, rng=rng)


def roll(random_state: Any, fits: int = 1) -> list[float]:
    model = CorrelationClustering(solver=DiceSolver(), random_state=random_state)
    DiceSolver.rolls.clear()
    for _ in range(fits):
        model.fit(BLOCKS)
    return list(DiceSolver.rolls)


def test_the_random_state_is_read_as_scikit_learn_does() -> None:
    assert roll(1) == roll(1) != roll(2)
    first, second = roll(np.random.RandomState(1), fits=2)
    assert [first] == roll(1)  # a number is the state seeded with it
    assert second != first  # a state moves on
    assert len(set(roll(None, fits=3))) == 3
    with pytest.raises(ValueError, match="cannot be used to seed"):
        CorrelationClustering(random_state="lucky").fit(BLOCKS)


def test_equal_random_states_give_equal_labels() -> None:
    S = random_similarities(0, n=60)
    one, other = (CorrelationClustering(random_state=7).fit(S) for _ in range(2))
    np.testing.assert_array_equal(one.labels_, other.labels_)


def test_the_labels_may_be_written_to() -> None:
    labels = CorrelationClustering(random_state=0).fit_predict(BLOCKS)
    labels[0] = 5
    assert labels[0] == 5


# -- new objects -----------------------------------------------------------------------------------------


def test_a_new_object_joins_the_cluster_with_the_largest_sum_of_similarities_or_none() -> None:
    model = CorrelationClustering(random_state=0).fit(BLOCKS)
    to_first, to_last = (np.where(kind == TRUTH, 0.4, -1.0) for kind in (0, 2))
    torn = np.where(TRUTH == 1, 0.9, 0.0) + np.where(TRUTH == 0, 0.8, 0.0)  # 4 times 0.9 against 5 times 0.8
    against, unknown = np.full(12, -0.1), np.zeros(12)
    new = np.stack([to_last, to_first, torn, against, unknown])
    assert model.predict(new).tolist() == [2, 0, 0, -1, -1]
    assert model.predict(sparse.csr_array(new)).tolist() == [2, 0, 0, -1, -1]
    assert model.predict(new[:1]).tolist() == [2]


@pytest.mark.parametrize("seed", range(3))
def test_where_a_new_object_goes_no_other_cluster_costs_less(seed: int) -> None:
    S = random_similarities(seed, 21)
    model = CorrelationClustering(random_state=0).fit(S[:20, :20])
    joined = model.predict(S[20:, :20])[0]
    costs = {
        label: plain_cost(S, np.r_[model.labels_, model.n_clusters_ if label == -1 else label])
        for label in range(-1, model.n_clusters_)
    }
    assert costs[joined] == pytest.approx(min(costs.values()))


def test_a_function_of_two_sets_of_rows_compares_new_objects_with_the_fitted_ones() -> None:
    X, _ = make_blobs(30, centers=[[0, 0], [9, 0], [0, 9]], cluster_std=0.3, random_state=0)
    model = CorrelationClustering(CentredKernel(0.3), random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X + 0.01), model.labels_)
    assert model.predict([[90.0, 90.0]]).tolist() == [-1]
    with pytest.raises(ValueError, match="expecting 2 features"):
        model.predict([[1.0, 2.0, 3.0]])


def test_a_function_of_one_set_of_rows_leaves_the_estimator_without_predict() -> None:
    assert hasattr(CorrelationClustering(CentredKernel(0.3)), "predict")
    assert hasattr(CorrelationClustering(), "predict")
    for without in (CorrelationClustering(KernelOfOne(0.3)), ActiveCorrelationClustering(NEAR)):
        assert not hasattr(without, "predict")


def test_similarities_of_new_objects_must_have_a_column_for_each_fitted_one() -> None:
    model = CorrelationClustering(lambda X, _=None: np.zeros((len(X), len(X)))).fit([[0.0], [1.0], [2.0]])
    expected = r"similarity\(X, fitted\) has shape \(2, 2\); expected a column for each of the 3 fitted"
    with pytest.raises(InvalidInputError, match=expected):
        model.predict([[0.0], [1.0]])
    with pytest.raises(ValueError, match="expecting 12 features"):
        CorrelationClustering().fit(BLOCKS).predict(np.zeros((1, 11)))


@pytest.mark.parametrize("jobs", [1, 2])
def test_scorers_by_name_work_in_a_grid_search(jobs: int) -> None:
    X, y = make_blobs(30, centers=[[0, 0], [9, 0], [0, 9]], cluster_std=0.3, random_state=0)
    grid = {"similarity": [CentredKernel(offset) for offset in (0.0, 0.3, 1.0)]}
    search = GridSearchCV(
        CorrelationClustering(random_state=0), grid, scoring="adjusted_rand_score", cv=3, n_jobs=jobs
    )
    assert search.fit(X, y).best_params_ == {"similarity": CentredKernel(0.3)}
    assert search.best_score_ == 1


def test_precomputed_similarities_are_cut_for_a_grid_search() -> None:
    X, y = make_blobs(30, centers=[[0, 0], [9, 0], [0, 9]], cluster_std=0.3, random_state=0)
    grid = {"solver": [LocalSearch(), Pivot()]}
    search = GridSearchCV(
        CorrelationClustering(random_state=0), grid, scoring="adjusted_rand_score", cv=3, error_score="raise"
    )
    assert search.fit(CentredKernel(0.3)(X), y).best_score_ == 1


def test_a_grid_search_over_budgets_fits_all_objects_and_scores_their_labels() -> None:
    X, y = make_blobs(30, centers=[[0, 0], [9, 0], [0, 9]], cluster_std=0.3, random_state=0)
    model = ActiveCorrelationClustering(FeatureOracle(Near(4.0)), random_state=0)
    search = GridSearchCV(
        model,
        {"budget": [20, 200]},
        scoring=lambda model, _, y: adjusted_rand_index(model.labels_, y),
        cv=[(np.arange(30), np.arange(30))],
        error_score="raise",
    )
    assert search.fit(X, y).best_params_ == {"budget": 200}
    assert search.best_score_ == 1


def test_only_precomputed_similarities_are_pairwise() -> None:
    assert get_tags(CorrelationClustering()).input_tags.pairwise
    assert not get_tags(CorrelationClustering(CentredKernel(0.3))).input_tags.pairwise
    assert get_tags(CorrelationClustering()).input_tags.sparse


@pytest.mark.slow
def test_the_estimators_end_a_pipeline() -> None:
    X, y = make_blobs(30, centers=[[0, 0], [50, 0], [0, 50]], random_state=0)
    ends = [
        (CorrelationClustering(CentredKernel(0.3)),),
        (FunctionTransformer(CentredKernel(0.3)), CorrelationClustering()),
        (ActiveCorrelationClustering(NEAR, budget=400, belief=MeanFieldBelief(tol=1e-3)),),
    ]
    for end in ends:
        pipeline = make_pipeline(StandardScaler(), *end)
        assert adjusted_rand_index(pipeline.fit_predict(X), y) == 1


# -- asking ----------------------------------------------------------------------------------------------


def test_asking_finds_the_clusters() -> None:
    X, y = make_blobs(40, centers=[[0, 0], [9, 0], [0, 9]], cluster_std=0.3, random_state=0)
    oracle = FeatureOracle(Near(4.0))
    model = ActiveCorrelationClustering(oracle, budget=500, belief=MeanFieldBelief(tol=1e-3), random_state=0)
    assert adjusted_rand_index(model.fit(X).labels_, y) == 1
    assert (model.n_clusters_, model.n_answers_, model.n_features_in_) == (3, 500, 2)


@pytest.mark.parametrize(
    "X", [list("abcdefghijkl"), np.zeros(12), np.full((12, 2, 3), np.nan), sparse.eye_array(12)]
)
def test_any_rows_will_do_unless_their_features_are_compared(X: Any) -> None:
    model = ActiveCorrelationClustering(NoisyOracle(TRUTH, gamma=0), budget=66, random_state=0, **OWN).fit(X)
    assert model.labels_.shape == (12,)
    assert model.n_answers_ == 66


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_it_stops_when_every_pair_has_been_asked(n: int) -> None:
    model = ActiveCorrelationClustering(NoisyOracle(np.arange(n), gamma=0), random_state=0).fit([*range(n)])
    assert model.n_answers_ == count_pairs(n)
    assert model.labels_.tolist() == list(range(n))
    assert model.n_clusters_ == n


@pytest.mark.parametrize("budget", [0, 1, 40])
def test_the_budget_and_the_batches_are_met_to_the_letter(budget: int) -> None:
    options: dict[str, Any] = {"budget": budget, "batch_size": 10, "initial": 15, **OWN}
    model = ActiveCorrelationClustering(NoisyOracle(TRUTH), **options).fit(TRUTH)
    assert model.n_answers_ == model.learner_.n_answers == budget
    assert [step.n_answers for step in model.history_] == [*range(15, budget, 10), budget] * (budget > 0)


def test_it_is_a_run_of_the_learner() -> None:
    oracle = FeatureOracle(Near(1.5))
    X = TRUTH[:, None] * 1.0
    options: dict[str, Any] = {**OWN, "batch_size": 4, "initial": 8}
    model = ActiveCorrelationClustering(oracle, budget=30, random_state=3, **options).fit(X)
    learner = ActiveClustering(len(X), seed=model.learner_.seed, **options)
    *_, last = run(learner, oracle.bind(X), 30)
    np.testing.assert_array_equal(model.labels_, last.labels)
    np.testing.assert_array_equal(model.learner_.answers.u, learner.answers.u)
    np.testing.assert_array_equal(model.learner_.answers.v, learner.answers.v)


def test_equal_random_states_ask_equal_questions() -> None:
    def questions(random_state: int) -> Any:
        model = ActiveCorrelationClustering(NEAR, budget=30, random_state=random_state, **OWN)
        answers = model.fit(BLOCKS).learner_.answers
        return list(zip(answers.u, answers.v, strict=True))

    assert questions(1) == questions(1) != questions(2)


def test_sparse_features_give_what_dense_ones_do() -> None:
    X = np.eye(3)[TRUTH] * 5
    dense, other = (
        ActiveCorrelationClustering(NEAR, budget=50, random_state=0, **OWN).fit(features).learner_.answers
        for features in (X, sparse.coo_array(X))
    )
    np.testing.assert_array_equal(dense.values, other.values)
    np.testing.assert_array_equal(dense.u, other.u)


def test_without_an_oracle_fit_says_what_one_is() -> None:
    with pytest.raises(
        InvalidInputError, match=r"oracle is None; expected who answers .*\[-1, 1\].*FeatureOracle"
    ):
        ActiveCorrelationClustering().fit(BLOCKS)


@pytest.mark.parametrize(
    ("option", "value"),
    [("oracle", "me"), ("budget", -1), ("budget", 2.5), ("batch_size", 0), ("initial", -1)],
)
def test_options_that_cannot_be_are_refused_at_fit(option: str, value: Any) -> None:
    model = ActiveCorrelationClustering(NEAR, **OWN).set_params(**{option: value})
    with pytest.raises(InvalidInputError, match=option):
        model.fit(BLOCKS)


@pytest.mark.parametrize("X", [None, 5, np.array(3.0)])
def test_something_without_rows_is_refused(X: Any) -> None:
    with pytest.raises(InvalidInputError, match="expected something with a row per object"):
        ActiveCorrelationClustering(NoisyOracle(TRUTH), **OWN).fit(X)


def test_answers_that_were_bought_outlive_a_failing_oracle() -> None:
    def tiring(pairs: Pairs) -> Any:
        tiring.rounds += 1  # type: ignore[attr-defined]
        return np.full(len(pairs), 1.0 if tiring.rounds < 3 else np.nan)  # type: ignore[attr-defined]

    tiring.rounds = 0  # type: ignore[attr-defined]
    model = ActiveCorrelationClustering(tiring, initial=10, batch_size=5, **OWN)
    with pytest.raises(InvalidAnswerError, match="not a finite number"):
        model.fit(TRUTH)
    assert model.learner_.n_answers == 15


def test_the_truth_cannot_leak_in() -> None:
    model = ActiveCorrelationClustering(lambda pairs: np.ones(len(pairs)), budget=66, random_state=0)
    np.testing.assert_array_equal(model.fit_predict(BLOCKS, TRUTH), np.zeros(12))


@pytest.mark.slow
def test_rows_of_numbers_are_a_prior_if_they_are_to_be_used():
    truth, rows = vectors(8, 6)
    oracle = NoisyOracle(truth, gamma=0)
    plain, used = (
        ActiveCorrelationClustering(oracle, budget=80, features=features, random_state=0).fit(rows)
        for features in (None, "vectors")
    )
    assert plain.learner_.prior is None
    assert used.learner_.prior.n == len(truth)
    assert used.n_features_in_ == rows.shape[1]
    score = [adjusted_rand_index(model.labels_, truth) for model in (plain, used)]
    assert score[1] > score[0] + 0.2
    sparse_rows = ActiveCorrelationClustering(oracle, budget=80, features="vectors", random_state=0)
    assert sparse_rows.fit_predict(sparse.csr_array(rows)).tolist() == used.labels_.tolist()


def test_features_of_an_unknown_form_and_rows_that_are_no_numbers_are_refused():
    oracle = NoisyOracle([0, 1, 0], gamma=0)
    with pytest.raises(InvalidInputError, match='expected "vectors" or None'):
        ActiveCorrelationClustering(oracle, budget=3, features="pixels").fit([[1.0], [2.0], [3.0]])
    with pytest.raises(ValueError, match="float"):
        ActiveCorrelationClustering(oracle, budget=3, features="vectors").fit([["a"], ["b"], ["c"]])
