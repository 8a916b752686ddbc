"""The mean-field posterior (Alg. 3): each object's probabilities of belonging to each cluster."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ofakind.arrays import Floats, Ints, read_only
from ofakind.checks import as_known_endpoints, as_objects, one_of, real_number, whole_number
from ofakind.clustering import Clustering, as_labels
from ofakind.errors import InvalidInputError, NotConvergedWarning, TooLargeError, warn
from ofakind.noise.channel import SymmetricChannel
from ofakind.posterior.base import Abilities
from ofakind.similarity import Similarity

SweepSchedule = Literal["asynchronous", "synchronous"]
Device = Literal["cpu", "cuda"]


@dataclass(frozen=True, slots=True, eq=False)
class MeanField:
    """A factorial approximation Q of the Gibbs distribution over clusterings (eq:gibbs).

    ``q`` is (n, k) with rows that sum to 1; ``costs`` is ``-S q``. ``converged`` is true only when the
    largest change of q in the last sweep (``residual``) was below the tolerance.
    """

    similarity: Similarity
    q: Floats
    costs: Floats
    beta: float
    schedule: SweepSchedule
    converged: bool
    sweeps: int
    residual: float

    @property
    def k(self) -> int:
        """Number of clusters."""
        return int(self.q.shape[1])

    @property
    def abilities(self) -> Abilities:
        """What it can do besides P(same) of any pair: it stands for answers wrong by 1 / (1 + e^beta)."""
        return Abilities(answers=SymmetricChannel.of_concentration(self.beta))

    @property
    def free_energy(self) -> float:
        """Expected R_MC minus entropy / beta: what the asynchronous sweeps lower."""
        return float(0.5 * np.sum(self.q * self.costs) - self.label_entropy().sum() / self.beta)

    def same_probability(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """P(E_uv = 1) = sum_k Q_uk Q_vk (eq:peuv); 1 for an object with itself."""
        from ofakind.kernels.field.pair_entropy import same_probability

        first, second = as_known_endpoints(u, v, len(self.q))
        return np.where(first == second, 1.0, same_probability(self.q, first, second))

    def pair_entropy(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """H(E_uv) in nats (eq:entropy); 0 for an object with itself."""
        from ofakind.kernels.field.pair_entropy import pair_entropy

        first, second = as_known_endpoints(u, v, len(self.q))
        return np.where(first == second, 0.0, pair_entropy(self.q, first, second))

    def all_pair_entropy(self) -> Floats:
        """H(E_uv) of every pair in order of rank: n^2 / 2 numbers, for small n."""
        from ofakind.kernels.field.pair_entropy import all_pair_entropy

        return np.asarray(all_pair_entropy(self.q), np.float64)

    def label_entropy(self) -> Floats:
        """H(y_u) of each object in nats."""
        from ofakind.kernels.field.mean_field import row_entropies

        return np.asarray(row_entropies(self.q), np.float64)


def mean_field(
    similarity: Similarity,
    labels: ArrayLike | Clustering | None = None,
    *,
    costs: ArrayLike | None = None,
    beta: float = 3.0,
    schedule: SweepSchedule = "asynchronous",
    order: ArrayLike | None = None,
    tol: float = 1e-6,
    max_sweeps: int = 2000,
    device: Device = "cpu",
) -> MeanField:
    """Compute the mean field that the given labels (or the given (n, k) costs: a warm start) lead to.

    ``schedule="asynchronous"`` updates object by object, in ``order`` (default 0..n-1; the same in every
    sweep), never raises the free energy and converges (the theorem of the paper). ``"synchronous"`` is
    Alg. 3 as printed: all objects at once; with few answers it may alternate between two states for ever,
    and then ``converged`` is False and a `NotConvergedWarning` is given.

    ``device="cuda"`` computes it on an NVIDIA GPU. Asynchronous sweeps then go through classes of objects
    without answered pairs between them, in an order of their own; the theorem holds as before.

    Memory: two (n, k) arrays of float64, 16 n k bytes, and while it is computed one more in which k is
    rounded up to a multiple of 16. O(k (n + pairs)) per sweep.

    >>> s = Similarity.from_pairs(4, [0, 1, 2], [1, 2, 3], [1.0, -1.0, 1.0])
    >>> field = mean_field(s, [0, 0, 1, 1])
    >>> field.converged, bool(field.same_probability([0], [1])[0] > 0.9)
    (True, True)
    """
    check_options(beta, schedule, tol, max_sweeps)
    beta, tol = float(beta), float(tol)  # what the kernels are compiled for
    start = _start_costs(similarity, labels, costs)
    visits = visiting_order(similarity.n, order)
    one_of("device", device, "cpu", "cuda")
    iterate = _iterate_asynchronously if schedule == "asynchronous" else _iterate_synchronously
    if device == "cuda":
        iterate = _iterate_on_gpu if schedule == "asynchronous" else _iterate_on_gpu_synchronously
    q, sweeps, residual = iterate(similarity, start, beta, visits, tol, max_sweeps)
    converged = residual < tol
    if not converged:
        warn(
            f"the mean field still moves by {residual:.2g} after {sweeps} {schedule} sweeps (tol {tol:.2g})",
            NotConvergedWarning,
        )
    return MeanField(
        similarity,
        read_only(q),
        read_only(_costs(similarity, q)),
        beta,
        schedule,
        converged,
        sweeps,
        residual,
    )


def _iterate_asynchronously(
    similarity: Similarity, costs: Floats, beta: float, order: Ints, tol: float, max_sweeps: int
) -> tuple[Floats, int, float]:
    from ofakind.kernels.field.mean_field import asynchronous_sweep, padded, softmax_rows
    from ofakind.kernels.graph.csr import Graph

    graph = Graph(similarity.indptr, similarity.indices, similarity.values)
    k = costs.shape[1]
    q = padded(softmax_rows(costs, beta))
    sweeps, residual = 0, np.inf
    while residual >= tol and sweeps < max_sweeps:
        residual = asynchronous_sweep(graph, order, k, beta, q)
        sweeps += 1
    return q[:, :k].copy(), sweeps, residual


def _iterate_synchronously(
    similarity: Similarity, costs: Floats, beta: float, _order: Ints, tol: float, max_sweeps: int
) -> tuple[Floats, int, float]:
    from ofakind.kernels.field.mean_field import softmax_rows

    q = softmax_rows(costs, beta)
    sweeps, residual = 0, np.inf
    while residual >= tol and sweeps < max_sweeps:
        before, q = q, softmax_rows(_costs(similarity, q), beta)
        residual = float(np.abs(q - before).max(initial=0.0))
        sweeps += 1
    return q, sweeps, residual


def _iterate_on_gpu(
    similarity: Similarity, costs: Floats, beta: float, order: Ints | None, tol: float, max_sweeps: int
) -> tuple[Floats, int, float]:
    from ofakind.kernels.field.mean_field import softmax_rows
    from ofakind.kernels.gpu.device import open_device
    from ofakind.kernels.graph.csr import Graph

    open_device()  # says what is missing
    from ofakind.kernels.gpu.mean_field import iterate

    graph = Graph(similarity.indptr, similarity.indices, similarity.values)
    return iterate(graph, softmax_rows(costs, beta), beta, order=order, tol=tol, max_sweeps=max_sweeps)


def _iterate_on_gpu_synchronously(
    similarity: Similarity, costs: Floats, beta: float, _order: Ints, tol: float, max_sweeps: int
) -> tuple[Floats, int, float]:
    return _iterate_on_gpu(similarity, costs, beta, None, tol, max_sweeps)


def _costs(similarity: Similarity, q: Floats) -> Floats:
    from ofakind.kernels.field.mean_field import expected_costs

    return np.asarray(expected_costs(similarity.indptr, similarity.indices, similarity.values, q), np.float64)


def _start_costs(
    similarity: Similarity, labels: ArrayLike | Clustering | None, costs: ArrayLike | None
) -> Floats:
    n = similarity.n
    if (labels is None) == (costs is None):
        raise InvalidInputError("give either labels or costs to start the mean field from")
    if labels is None:
        given = np.ascontiguousarray(costs, np.float64)
        if given.ndim != 2 or len(given) != n or (n and not given.shape[1]) or not np.all(np.isfinite(given)):
            raise InvalidInputError(f"costs have shape {given.shape}; expected finite numbers, ({n}, k)")
        _check_memory(n, given.shape[1])
        return given
    from ofakind.kernels.field.mean_field import label_costs

    numbered, k = numbered_labels(similarity, labels)
    _check_memory(n, k)
    s = similarity
    return np.asarray(label_costs(s.indptr, s.indices, s.values, numbered, k), np.float64)


def numbered_labels(similarity: Similarity, labels: ArrayLike | Clustering) -> tuple[Ints, int]:
    """Labels as numbers 0..k-1 in the order of the given ones, and k."""
    given = as_labels(labels.labels if isinstance(labels, Clustering) else labels)
    if len(given) != similarity.n:
        raise InvalidInputError(f"got {len(given)} labels for {similarity.n} objects; expected one each")
    used, numbered = np.unique(given, return_inverse=True)
    return numbered, len(used)


def visiting_order(n: int, order: ArrayLike | None) -> Ints:
    """Return the order in which objects are updated, checked; by default that of their numbers."""
    if order is None:
        return np.arange(n)
    visits = as_objects(order)
    if not np.array_equal(np.sort(visits), np.arange(n)):
        raise InvalidInputError(f"order must hold each of the {n} objects once")
    return visits


def check_options(beta: float, schedule: str, tol: float, max_sweeps: int) -> None:
    """Refuse options that no mean field can be computed with."""
    real_number("beta", beta, above=0)
    one_of("schedule", schedule, "asynchronous", "synchronous")
    real_number("tol", tol, above=0)
    whole_number("max_sweeps", max_sweeps, least=1)


def _check_memory(n: int, k: int) -> None:
    needed, available = 8 * n * (2 * k + -(-k // 16) * 16), available_memory()  # see `mean_field`
    if needed > available:
        raise TooLargeError(
            f"a mean field of n = {n} objects and k = {k} clusters needs {needed / 1e9:.1f} GB and "
            f"{available / 1e9:.1f} GB are free; use a solver that gives fewer clusters, or sparse_mean_field"
        )


def available_memory() -> int:
    """Memory in bytes that can be had now, as far as the system tells (else a very large number)."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = next(line for line in lines if line.startswith("MemAvailable"))
        return int(free.split()[1]) * 1024
    except (OSError, StopIteration, ValueError):
        return 2**62
