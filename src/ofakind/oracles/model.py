"""A pairwise model learned on other objects (the paper's Oracle 2), and what any oracle is worth."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats, Ints, read_only
from ofakind.checks import as_features
from ofakind.clustering import adjusted_rand_index, as_labels
from ofakind.errors import InvalidInputError, TooLargeError
from ofakind.kernels import portable
from ofakind.oracles.base import Oracle, endpoints
from ofakind.pairs import Pairs, count_pairs
from ofakind.similarity import Similarity
from ofakind.solve.local_search import LocalSearch

Layer = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class ModelRules:
    """Tuned numbers of the pairwise model, chosen by judgement: the paper does not describe its own."""

    units: tuple[int, int] = (128, 32)  # of the two layers of the encoder; the last is the length of a code
    epochs: int = 100  # of its training, at most,
    patience: int = 10  # which ends after so many without a lower loss on the held-out objects
    batch: int = 32  # objects in a step of the training
    folds: int = 5  # one object in so many of each kind is held out
    pairs: int = 10_000  # of one kind, and as many of different kinds, that the comparison is fitted to,
    iterations: int = 1000  # in so many steps at most
    checked: int = 500  # the pairs of so many held-out objects measure the sign error
    far: float = 100.0  # features are cut at so many standard deviations, so that no outlier overflows
    most: float = float(np.nextafter(1, 0))  # no answer is as large as 1: a model is never quite sure
    block: int = 2**14  # pairs that are answered together: what bounds the memory
    reported: int = 4000  # objects, at most, of a report: all their pairs are asked


MODEL = ModelRules()


@dataclass(frozen=True, slots=True, eq=False)
class PairModel:
    """Oracle 2: learned on labelled objects, it tells of any two others whether they are of a kind.

    The paper does not describe its model; this one is ours. Features are standardised with the statistics of
    the training part. A network with two ReLU layers (128 and 32 units), trained to tell the kinds apart,
    turns an object into its code h; a logistic regression on ``[|h_u - h_v|, h_u * h_v]``, fitted to as many
    pairs of one kind as of different kinds, turns two codes into an answer, 2 P(same) - 1. A fifth of each
    kind is held out: it stops the training of the network, and ``sign_error`` is the share of the pairs of
    these objects whose answer has the wrong sign. That is a little kind to the model, and more so when the
    training part is too small to hold out pairs of both sorts and it is checked on itself.

    The objects asked about should be others than those of the training part, and of the same kinds. The
    model is a pure function of the training part and of what ``rng`` gives. Training takes a second or two
    for 2000 objects.

    Why not simply compare the kinds that the network guesses? On the paper's data that is more often right,
    but its answers hardly ever contradict each other: nothing would be left of what makes a pair hard.

    >>> rng = np.random.default_rng(0)
    >>> kinds = np.arange(60) % 2
    >>> features = kinds[:, None] * 8 + rng.normal(size=(60, 3))
    >>> model = PairModel.fit(features[:30], kinds[:30], rng=rng)
    >>> oracle = model.oracle(features[30:])
    >>> np.sign(oracle([(0, 1), (0, 2)])).tolist(), model.sign_error
    ([-1.0, 1.0], 0.0)
    """

    mean: Floats  # (d,)
    scale: Floats  # (d,)
    layers: tuple[Layer, ...]
    weights: Floats  # (2 * 32,)
    bias: float
    sign_error: float

    @classmethod
    def fit(cls, features: ArrayLike, labels: ArrayLike, *, rng: Generator) -> Self:
        """Learn from a table with a row for each object, and the kind of each.

        Raises:
            InvalidInputError: features that are not finite numbers, or labels without two objects of one
                kind and two of different kinds, from which nothing can be learned.
        """
        from sklearn.preprocessing import StandardScaler

        table, kinds = as_features(features), np.unique(as_labels(labels), return_inverse=True)[1]
        if len(kinds) != len(table):
            raise InvalidInputError(f"got {len(kinds)} labels for {len(table)} objects; expected one each")
        if not _has_both(kinds):
            got = f"the {len(kinds)} training labels are of {len(set(kinds.tolist()))} kinds"
            raise InvalidInputError(f"{got}; expected two objects of one kind and two of different kinds")
        with _one_thread():
            fitted, held = _split(kinds, rng)
            scaler = StandardScaler().fit(table[fitted])
            inputs = _standardised(table, scaler.mean_, scaler.scale_)
            layers = _train_encoder(inputs, kinds, fitted, held=held, rng=rng)
            codes = _encode(inputs, layers)
            weights, bias = _train_comparison(codes[fitted], kinds[fitted], rng)
        checked = rng.permutation(held)[: MODEL.checked]
        first, second = (checked[side] for side in np.triu_indices(len(checked), 1))
        answers = _answers(codes, first, second, weights=weights, bias=bias)
        error = np.mean((answers > 0) != (kinds[first] == kinds[second]))
        return cls(read_only(scaler.mean_), read_only(scaler.scale_), layers, weights, bias, float(error))

    def oracle(self, features: ArrayLike) -> "ModelOracle":
        """Return the oracle over these objects: a row for each, with the columns of the training part."""
        table = as_features(features)
        if table.shape[1] != len(self.mean):
            got = f"features have {table.shape[1]} columns and those of the training part {len(self.mean)}"
            raise InvalidInputError(f"{got}; expected equally many")
        with _one_thread():
            codes = _encode(_standardised(table, self.mean, self.scale), self.layers)
        return ModelOracle(self, read_only(codes))

    def __repr__(self) -> str:
        return f"PairModel({len(self.mean)} features, sign error {self.sign_error:.3g} on held-out pairs)"


@dataclass(frozen=True, slots=True, eq=False)
class ModelOracle:
    """What a `PairModel` says of some objects: symmetric answers, above -1 and below 1, always the same.

    `PairModel.oracle` makes one. An answer is computed when it is asked for; nothing is kept but the codes of
    the objects.
    """

    model: PairModel
    codes: Floats  # (n, 32)

    def __call__(self, pairs: ArrayLike) -> Floats:
        """Answer `Pairs` or an ``(m, 2)`` array of object numbers."""
        u, v = endpoints(pairs, len(self.codes))
        return _answers(self.codes, u, v, weights=self.model.weights, bias=self.model.bias)

    def __repr__(self) -> str:
        return f"ModelOracle({len(self.codes)} objects, {self.model!r})"


@dataclass(frozen=True, slots=True)
class OracleReport:
    """How good the answers of an oracle are; an answer above 0 says "of a kind", any other "not".

    ``precision`` is the share of true ones among the answers "of a kind", ``recall`` the share of the pairs
    of a kind that got this answer (a share of nothing is 1), ``sign_error`` the share of wrong answers. The
    ``ceiling`` is the ARI of clustering the answers to all pairs: a method that asks fewer questions of this
    oracle can hardly do better.

    >>> from ofakind.oracles.noisy import NoisyOracle
    >>> truth = [0, 0, 1, 1]
    >>> OracleReport.of(NoisyOracle(truth, gamma=0), truth, rng=np.random.default_rng(0))
    OracleReport(precision=1.0, recall=1.0, sign_error=0.0, ceiling=1.0)
    """

    precision: float
    recall: float
    sign_error: float
    ceiling: float

    @classmethod
    def of(cls, oracle: Oracle, truth: ArrayLike, *, rng: Generator) -> Self:
        """Ask an oracle all pairs, once each, and compare with the true labels; for at most 4000 objects.

        Local search with its default options (`LocalSearch`) finds the clustering for the ceiling. Time and
        memory grow as n squared: 4000 objects take half a minute and 1.6 GB.
        """
        kinds = np.unique(as_labels(truth, "labels in truth"), return_inverse=True)[1]
        if len(kinds) > MODEL.reported:
            limit = f"a report is made for at most {MODEL.reported}; take a sample of them"
            raise TooLargeError(f"{len(kinds)} objects have {count_pairs(len(kinds))} pairs; {limit}")
        pairs = Pairs.all(len(kinds))
        starts = range(0, len(pairs), MODEL.block)
        blocks = (pairs.take(slice(start, start + MODEL.block)) for start in starts)
        answers = np.concatenate([np.empty(0), *map(oracle, blocks)])
        found, same = answers > 0, kinds[pairs.u] == kinds[pairs.v]
        similarity = Similarity.from_pairs(len(kinds), pairs.u, pairs.v, answers)
        labels = LocalSearch()(similarity, rng=rng).labels
        return cls(
            precision=_share(same[found]),
            recall=_share(found[same]),
            sign_error=1 - _share(found == same),
            ceiling=adjusted_rand_index(labels, kinds),
        )


def _share(true: NDArray[np.bool_]) -> float:
    return float(true.mean()) if len(true) else 1.0


# -- two codes to an answer --------------------------------------------------------------------------------


def _answers(codes: Floats, u: Ints, v: Ints, *, weights: Floats, bias: float) -> Floats:
    """2 P(same) - 1 for each pair. Row by row, without BLAS: a batch does not change the last digits."""
    answers = np.empty(len(u))
    for start in range(0, len(u), MODEL.block):
        rows = slice(start, start + MODEL.block)
        logits = (_pair_features(codes, u[rows], v[rows]) * weights).sum(axis=1) + bias
        answers[rows] = np.clip(portable.tanh(logits / 2), -MODEL.most, MODEL.most)
    return answers


def _pair_features(codes: Floats, u: Ints, v: Ints) -> Floats:
    """What is compared of two objects; it stays the same when they change places."""
    left, right = codes[u], codes[v]
    return np.hstack([np.abs(left - right), left * right])  # (m, 2 * 32)


def _train_comparison(codes: Floats, kinds: Ints, rng: Generator) -> tuple[Floats, float]:
    """Weights and bias of a logistic regression on as many pairs of one kind as of different kinds."""
    from sklearn.linear_model import LogisticRegression

    (u, v), (x, y) = (_draw_pairs(kinds, same=same, rng=rng) for same in (True, False))
    features = _pair_features(codes, np.r_[u, x], np.r_[v, y])
    model = LogisticRegression(max_iter=MODEL.iterations).fit(features, np.repeat([1, 0], MODEL.pairs))
    return read_only(model.coef_[0]), float(model.intercept_[0])


def _draw_pairs(kinds: Ints, *, same: bool, rng: Generator) -> tuple[Ints, Ints]:
    """Draw pairs uniformly among those of one kind, or among those of different kinds, with replacement."""
    n, order = len(kinds), np.argsort(kinds, kind="stable")
    sizes = np.bincount(kinds)
    size = sizes[kinds[order]]
    start = (np.cumsum(sizes) - sizes)[kinds[order]]  # the kinds are stretches of the order
    partners = size - 1 if same else n - size
    u = rng.choice(n, MODEL.pairs, p=partners / partners.sum())
    step = rng.integers(partners[u])
    v = start[u] + (u - start[u] + 1 + step) % size[u] if same else (start[u] + size[u] + step) % n
    return order[u], order[v]


# -- an object to its code ---------------------------------------------------------------------------------


def _encode(inputs: Floats, layers: tuple[Layer, ...]) -> Floats:
    for weights, bias in layers:
        inputs = np.maximum(inputs @ weights + bias, 0)
    return inputs


def _train_encoder(
    inputs: Floats, kinds: Ints, fitted: Ints, *, held: Ints, rng: Generator
) -> tuple[Layer, ...]:
    """Layers below the output of a classifier of the kinds, where it did best on the held-out objects."""
    from sklearn.neural_network import MLPClassifier

    state = np.random.RandomState(rng.integers(2**32))  # all that scikit-learn takes
    network = MLPClassifier(MODEL.units, batch_size=min(MODEL.batch, len(fitted)), random_state=state)
    lowest, waited = np.inf, 0
    for _ in range(MODEL.epochs):
        network.partial_fit(inputs[fitted], kinds[fitted], classes=np.unique(kinds))
        said = network.predict_proba(inputs[held])[np.arange(len(held)), kinds[held]]
        loss = -portable.log(np.maximum(said, 1e-300)).mean()
        waited = 0 if loss < lowest else waited + 1
        if waited == 0:
            lowest, layers = loss, _hidden_layers(network)
        if waited == MODEL.patience:
            break
    spread = float(_encode(inputs[fitted], layers).std()) or 1.0
    *below, (weights, bias) = layers
    return (*below, (read_only(weights / spread), read_only(bias / spread)))


def _hidden_layers(network: Any) -> tuple[Layer, ...]:
    """Copies, for training goes on in place."""
    pairs = zip(network.coefs_[:-1], network.intercepts_[:-1], strict=True)
    return tuple((read_only(weights.copy()), read_only(bias.copy())) for weights, bias in pairs)


# -- the training part -------------------------------------------------------------------------------------


def _split(kinds: Ints, rng: Generator) -> tuple[Ints, Ints]:
    """Objects to fit and, a fifth of each kind, to hold out; where that is too few, all of them for both."""
    order = np.lexsort((rng.random(len(kinds)), kinds))
    sizes = np.bincount(kinds)
    place = np.arange(len(kinds)) - (np.cumsum(sizes) - sizes)[kinds[order]]  # within its kind
    out = place % MODEL.folds == MODEL.folds // 2
    held, fitted = order[out], order[~out]
    return (fitted, held) if _has_both(kinds[held]) and _has_both(kinds[fitted]) else (order, order)


def _has_both(kinds: Ints) -> bool:
    """Whether there are two objects of one kind and two of different kinds."""
    return 1 < len(set(kinds.tolist())) < len(kinds)


def _standardised(table: Floats, mean: Floats, scale: Floats) -> Floats:
    return np.clip((table - mean) / scale, -MODEL.far, MODEL.far)


def _one_thread() -> Any:
    """Linear algebra on one thread: more of them may add up in another order and change the last digits."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)
