"""Estimators for scikit-learn users: cluster known similarities, or find out by asking."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from math import frexp, nextafter
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_array, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from ofakind.acquire.base import Acquisition
from ofakind.arrays import Ints
from ofakind.clustering import Clustering
from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.oracles.base import Oracle
from ofakind.oracles.features import FeatureOracle
from ofakind.posterior.base import Belief
from ofakind.priors.neighbours import Neighbours
from ofakind.similarity import Similarity
from ofakind.solve.base import Solver
from ofakind.solve.local_search import LocalSearch

RandomState = int | np.random.RandomState | None


@dataclass(frozen=True, slots=True)
class EstimatorRules:
    """How matrices of scikit-learn users are read; chosen by judgement."""

    asymmetry: float = 1e-6  # of S[u, v] and S[v, u], in parts of the largest similarity: float32 rounds


ESTIMATOR = EstimatorRules()


def compares_new_objects(estimator: "CorrelationClustering") -> bool:
    """Whether similarities of new objects to fitted ones can be had: as given, or from the function."""
    if not callable(estimator.similarity):
        return True
    try:
        signature(estimator.similarity).bind(None, None)
    except (TypeError, ValueError):  # it takes one argument, or nobody can tell
        return False
    return True


class CorrelationClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster objects by signed similarities: above 0 together, below 0 apart, 0 or absent unknown.

    The number of clusters follows from the similarities. What is minimised is R_CC (eq:cost), the summed
    magnitude of those that the clusters contradict. Their scale does not matter and the diagonal is ignored.
    R_CC says nothing of objects that no similarity ties together or keeps apart: these may share a cluster.

    Options:
        similarity: "precomputed", then X is the symmetric matrix of similarities, dense or scipy sparse; or a
            function that gets X as it is (of any kind with a row for each object) and gives such a matrix.
            If it takes a second argument too, as scikit-learn's kernels do, X is kept and there is `predict`.
        solver: what finds the clusters, handed every object on its own as a start; by default `LocalSearch`.
        random_state: a whole number for equal results in every fit, a ``RandomState``, or None for NumPy's
            global one. One number is drawn from it, which seeds the solver's generator.

    After `fit`: ``labels_`` (0..k-1 in order of first appearance), ``n_clusters_``, ``cost_`` (R_CC, in the
    scale of the given similarities) and, where X has columns, ``n_features_in_``.

    Memory and each sweep of the solver grow with the number of nonzero similarities.

    >>> S = [[0, 3, -2], [3, 0, 1], [-2, 1, 0]]
    >>> model = CorrelationClustering(random_state=0).fit(S)
    >>> model.labels_.tolist(), model.cost_
    ([0, 0, 1], 1.0)
    """

    def __init__(
        self,
        similarity: str | Callable[..., Any] = "precomputed",
        *,
        solver: Solver | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.similarity = similarity
        self.solver = solver
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002
        """Cluster the objects; ``y`` is ignored."""
        solver = LocalSearch() if self.solver is None else self.solver
        if isinstance(solver, type) or not callable(solver):
            raise InvalidInputError(f"solver is {solver!r}; expected a solver such as LocalSearch()")
        similarity, exponent = read_similarities(self._matrix(X))
        # All in one cluster can be a poor optimum that single moves never leave; all alone is not.
        alone = Clustering.of(similarity, np.arange(similarity.n))
        clustering = solver(similarity, start=alone, rng=np.random.default_rng(draw_seed(self.random_state)))
        if callable(self.similarity) and compares_new_objects(self):
            self._fitted = X
        self.labels_ = clustering.labels.copy()
        self.n_clusters_ = clustering.k
        self.cost_ = float(np.ldexp(clustering.cost, exponent))
        return self

    @available_if(compares_new_objects)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> Ints:
        """Return the cluster that each new object would join, or -1 where it would stay alone.

        That is the cluster with the largest sum of similarities, if it is above 0: what lowers R_CC most, all
        fitted objects staying where they are; new objects do not see each other. With "precomputed", X has a
        row for each new object and a column for each fitted one. A function is called with the new and the
        fitted objects, ``similarity(X, fitted)``; one that takes X alone leaves the estimator without this
        method. In a grid search scorers by name, such as "adjusted_rand_score", work by it.
        """
        check_is_fitted(self)
        if callable(self.similarity):
            self._check_rows(X)
            name, given = "similarity(X, fitted)", self.similarity(X, self._fitted)
            matrix = check_array(given, accept_sparse="csr", dtype=np.float64, input_name=name)
        else:
            matrix = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        n = len(self.labels_)
        if matrix.shape[1] != n:
            got = f"similarity(X, fitted) has shape {matrix.shape}"
            raise InvalidInputError(f"{got}; expected a column for each of the {n} fitted objects")
        members = sparse.csr_array((np.ones(n), (np.arange(n), self.labels_)), (n, self.n_clusters_))
        sums = np.asarray(
            portable.sparse_matmul(sparse.csr_array(matrix), members).todense()
        )  # (new objects, clusters)
        return np.where(sums.max(axis=1) > 0, sums.argmax(axis=1), -1)

    def _check_rows(self, X: Any) -> None:
        """Refuse new objects that have other columns than the fitted ones."""
        if hasattr(self, "n_features_in_") and len(getattr(X, "shape", ())) == 1:
            got = f"X has shape {X.shape}; expected a row of {self.n_features_in_} features for each object"
            raise InvalidInputError(f"{got}. Reshape your data: X.reshape(1, -1) is one object")
        validate_data(self, X, reset=False, skip_check_array=True)

    def _matrix(self, X: Any) -> Any:
        """Check X and return the matrix of similarities, finite and square."""
        if callable(self.similarity):
            n = note_rows(self, X)
            name, given = "similarity(X)", self.similarity(X)
            matrix = check_array(given, accept_sparse="csr", dtype=np.float64, input_name=name)
        elif self.similarity == "precomputed":
            name, matrix = "X", validate_data(self, X, accept_sparse="csr", dtype=np.float64)
            n = matrix.shape[0]
        else:
            got = f"similarity is {self.similarity!r}"
            raise InvalidInputError(f'{got}; expected "precomputed" or a function from X to a matrix')
        if matrix.shape != (n, n):
            got = f"{name} has shape {matrix.shape}; expected the similarities of {n} objects, ({n}, {n})"
            remedy = "; for features, give similarity= a function from X to such a matrix" * (name == "X")
            raise InvalidInputError(got + remedy)
        return matrix

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = not callable(self.similarity)
        tags.input_tags.sparse = True
        return tags


class ActiveCorrelationClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster objects by asking an oracle which pairs are of a kind, at most ``budget`` times.

    This is `ActiveClustering` and `run` as an estimator; ``acquisition``, ``solver``, ``belief``,
    ``batch_size`` and ``initial`` are options of the former, and left out they are its own method. It stops
    early when every pair has been asked.

    Options:
        oracle: who answers. Either a function that gets `Pairs` of row numbers and gives a value in [-1, 1]
            for each (1 of a kind, -1 not, 0 undecided); then X may be anything with a row for each object.
            Or a `FeatureOracle`, which compares rows of X; then X is a numeric array or scipy sparse matrix.
        budget: how many answers to buy.
        features: "vectors" if the rows of X, numbers, are used as a prior: near rows may be of a kind. None:
            nothing is concluded from X.
        random_state: a whole number for equal questions in every fit, a ``RandomState``, or None for NumPy's
            global one. One number is drawn from it, which seeds the learner. The oracle's own randomness is
            its own affair.

    After `fit`: ``labels_`` (0..k-1 in order of first appearance), ``n_clusters_``, ``n_answers_``,
    ``learner_`` (the `ActiveClustering`, which can go on), ``history_`` (one `Step` per round) and, where X
    has columns, ``n_features_in_``. When the oracle fails, its error passes through and ``learner_`` keeps
    the answers so far.

    There is no `predict`: of a new object nothing is known before somebody is asked about it. To choose
    options by labels that you have, let a grid search fit all objects and score ``labels_``, as in the
    quickstart.

    >>> near = FeatureOracle(lambda left, right: np.where(abs(left - right)[:, 0] < 1, 1.0, -1.0))
    >>> model = ActiveCorrelationClustering(near, budget=6, random_state=0)
    >>> model.fit_predict([[0.0], [9.0], [0.5], [9.5]]).tolist()
    [0, 1, 0, 1]
    """

    def __init__(
        self,
        oracle: Oracle | FeatureOracle | None = None,
        *,
        budget: int = 1000,
        acquisition: Acquisition | None = None,
        solver: Solver | None = None,
        belief: Belief | None = None,
        batch_size: int | None = None,
        initial: int | None = None,
        features: str | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.oracle = oracle
        self.budget = budget
        self.acquisition = acquisition
        self.solver = solver
        self.belief = belief
        self.batch_size = batch_size
        self.initial = initial
        self.features = features
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002
        """Ask until the budget is spent; ``y`` is ignored, so that truth cannot leak in."""
        oracle, n = self._bind(X)
        self.learner_ = ActiveClustering(
            n,
            acquisition=self.acquisition,
            solver=self.solver,
            belief=self.belief,
            batch_size=self.batch_size,
            initial=self.initial,
            prior=self._prior(X),
            seed=draw_seed(self.random_state),
        )
        self.history_ = tuple(run(self.learner_, oracle, self.budget))
        self.n_answers_ = self.learner_.n_answers
        self.labels_ = self.learner_.labels.copy()
        self.n_clusters_ = self.learner_.clustering.k
        return self

    def _prior(self, X: Any) -> Neighbours | None:
        """Return what the rows of X say of pairs, if they are to be used."""
        if self.features not in (None, "vectors"):
            raise InvalidInputError(f'features is {self.features!r}; expected "vectors" or None')
        if self.features is None:
            return None
        rows = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        return Neighbours.from_vectors(rows.toarray() if sparse.issparse(rows) else rows)

    def _bind(self, X: Any) -> tuple[Oracle, int]:
        """Return the oracle over the rows of X, and their number."""
        if self.oracle is None:
            what = "a function that gets pairs of row numbers and gives a value in [-1, 1] for each"
            example = "FeatureOracle(compare) to compare rows of X, or NoisyOracle(truth) to simulate"
            raise InvalidInputError(f"oracle is None; expected who answers the questions: {what}, {example}")
        if isinstance(self.oracle, FeatureOracle):
            features = validate_data(self, X, accept_sparse="csr")
            return self.oracle.bind(features), features.shape[0]
        return self.oracle, note_rows(self, X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.no_validation = not isinstance(self.oracle, FeatureOracle)
        return tags


def read_similarities(matrix: Any) -> tuple[Similarity, int]:
    """Similarities in [-1, 1] and an exponent e: those of the square matrix are 2**e times as large.

    A power of two changes no digit, so the scale cannot make or break a tie. What rounding left asymmetric is
    averaged; more than that is refused.
    """
    upper, lower = (sparse.triu(side, k=1, format="csr") for side in (matrix, matrix.T))
    largest = max(abs(upper).max(), abs(lower).max())
    exponent = frexp(nextafter(largest, 0))[1]  # of the power of two at or above the largest
    for half in (upper, lower):
        half.data = np.ldexp(half.data, -exponent)
    gap = sparse.coo_array(abs(upper - lower))
    if gap.nnz and gap.data.max() > ESTIMATOR.asymmetry:
        worst = gap.data.argmax()
        u, v = int(gap.row[worst]), int(gap.col[worst])
        got = f"similarity ({u}, {v}) is {matrix[u, v]} and ({v}, {u}) is {matrix[v, u]}"
        raise InvalidInputError(f"{got}; expected a symmetric matrix (perhaps (S + S.T) / 2)")
    mean = sparse.coo_array((upper + lower) / 2)  # explicit zeros are dropped: unknown, as when absent
    return Similarity.from_pairs(matrix.shape[0], mean.row, mean.col, mean.data), exponent


def draw_seed(random_state: RandomState) -> int:
    """Draw a seed the way scikit-learn reads ``random_state``."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def note_rows(estimator: BaseEstimator, X: Any) -> int:
    """Count the objects in anything with rows, and let the estimator take note of the columns, if any."""
    shape = getattr(X, "shape", None)
    if shape == () or (shape is None and not hasattr(X, "__len__")):
        raise InvalidInputError(f"X is of type {type(X).__name__}; expected something with a row per object")
    n = len(X) if shape is None else int(shape[0])
    if n:
        validate_data(estimator, X, skip_check_array=True)
    return n
