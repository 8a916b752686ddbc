"""Neighbours by vectors: cosines with all others, or for many objects with those in cells nearby.

Cosines are those of centred vectors, measured in units of what two objects at random have: in 300 dimensions
a cosine of 0.3 says more than one of 0.8 does in five, and what all vectors share says nothing.
"""

from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints
from ofakind.checks import as_features, plain_array
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.pairs import Pairs
from ofakind.parallel import run_on_all_cores, run_watched
from ofakind.priors.base import Prepared, sorted_pairs, union
from ofakind.priors.copies import Distinct, distinct_rows
from ofakind.priors.standing import similarity_features, similarity_names

Singles = NDArray[np.float32]
Comparisons = list[
    tuple[Ints, Ints]
]  # places of queries in their block, and the objects to compare them with


@dataclass(frozen=True, slots=True)
class VectorRules:
    """Tuned numbers of the search by vectors, from trials on public sets; the rest chosen by judgement."""

    k: int = 15  # neighbours of each object
    exact: int = 50_000  # up to so many distinct vectors, each is compared with all others
    more: int = 8  # neighbours beyond k that are compared again in double precision, so that k are exact
    block: int = 1_024  # objects whose neighbours are searched at a time
    tile: int = 4_096  # objects they are compared with at a time
    probes: int = 64  # cells that are looked into, of about sqrt(n)
    sample: int = 256  # objects for each cell that the centres are computed from
    passes: int = 8  # of k-means
    hinges: tuple[float, ...] = (2.0, 4.0)  # spreads at which the worth of a cosine may change its slope
    usual: float = 1e30  # numbers up to this, and down to its inverse, are kept in single precision
    least_spread: float = 1e-3  # of cosines; a smaller one counts as this


VECTORS = VectorRules()


@dataclass(frozen=True, slots=True, eq=False)
class GivenVectors:
    """Vectors as they were given, in single precision if it holds them; one of zeros only says nothing."""

    table: Singles | Floats  # (n, d)

    @property
    def n(self) -> int:
        """Number of objects."""
        return len(self.table)

    @property
    def kind(self) -> str:
        """What it is."""
        return "vectors"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its features."""
        return (*similarity_names("cosine", VECTORS.hinges), "shared neighbours")

    def extended(self, more: Any) -> "GivenVectors":
        """Return these and further vectors, of as many numbers each."""
        added = read_vectors(more)
        if len(added) and self.n and added.shape[1] != self.table.shape[1]:
            got = f"the vectors have {added.shape[1]} numbers each"
            raise InvalidInputError(f"{got}; expected {self.table.shape[1]}, as before")
        return GivenVectors(np.concatenate([table for table in (self.table, added) if len(table)] or [added]))

    def prepared(self) -> Prepared:
        """Search for the neighbours of each distinct vector; a vector of zeros has none."""
        unit, distinct = centred_units(self.table), distinct_rows(self.table)
        found = nearest_vectors(np.ascontiguousarray(unit[distinct.first]), VECTORS.k)
        graph = union(self.n, distinct.pairs_of(found), distinct.star)
        return Prepared(graph, partial(_features, unit, distinct, _neighbours_of_kinds(found)))


def read_vectors(given: Any) -> Singles | Floats:
    """Vectors (n, d) of an array, a list or a data frame of numbers, checked."""
    import narwhals as nw

    frame = nw.from_native(given, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        columns = [column.to_numpy() for column in frame.iter_columns()]
        given = np.stack(columns, axis=1) if columns else []
    array = plain_array(given, "vectors")
    table = as_features(array, 0 if array.shape == (0,) else None)
    size = np.abs(table).max(initial=0.0)
    usual = size == 0 or 1 / VECTORS.usual <= size <= VECTORS.usual
    return np.asarray(table, np.float32) if usual else table


def centred_units(table: Singles | Floats) -> Singles:
    """Vectors less their mean, each scaled to length 1; those of zeros stay zero and do not count.

    >>> centred_units(np.array([[3, 1], [1, 1], [0, 0]], np.float32)).tolist()
    [[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]
    """
    there = table.any(axis=1)
    centred = table.astype(np.float64)
    centred /= max(np.abs(centred).max(initial=0.0), np.finfo(np.float64).tiny)  # squares stay in bounds
    centred[there] -= centred[there].mean(axis=0) if there.sum() > 1 else 0.0
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    return np.asarray(np.divide(centred, length, out=np.zeros_like(centred), where=length > 0), np.float32)


def spread_of_cosines(unit: Singles) -> float:
    """Root of the mean square of the cosines of all pairs of vectors: O(n d min(n, d)).

    The sum over all pairs is that of the squares of the smaller one of U'U and UU'.

    >>> spread_of_cosines(np.array([[1, 0], [0, 1], [-1, 0]], np.float32)) ** 2
    0.3333333333333333
    """
    there = unit[unit.any(axis=1)].astype(np.float64)
    n = len(there)
    if n < 2:  # no pair
        return 1.0
    products = portable.gram(there.T if n < there.shape[1] else there)
    mean = (float((products**2).sum()) - n) / (n * (n - 1))
    return float(np.sqrt(max(mean, VECTORS.least_spread * VECTORS.least_spread)))


def _neighbours_of_kinds(found: Ints) -> Any:
    """Which distinct vectors are neighbours of each, either way, as the rows of a matrix of ones."""
    from ofakind.kernels.graph.csr import symmetric_csr
    from ofakind.kernels.graph.products import SparseRows

    pairs = sorted_pairs(np.repeat(np.arange(len(found)), found.shape[1]), found.ravel(), len(found))
    indptr, indices, _ = symmetric_csr(len(found), pairs.u, pairs.v)
    return SparseRows(indptr, indices, np.ones(len(indices), np.float32))


def _features(unit: Singles, distinct: Distinct, near: Any, pairs: Pairs) -> Floats:
    from ofakind.kernels.graph.products import dense_products

    cosines = np.clip(dense_products(unit, pairs.u, pairs.v), -1.0, 1.0)
    a, b = distinct.kind[pairs.u], distinct.kind[pairs.v]
    cosines = np.where((a == b) & (a >= 0), 1.0, cosines)
    values = cosines / spread_of_cosines(unit)
    table = similarity_features(pairs, values, np.maximum(cosines, 0.0), VECTORS.hinges)
    return np.column_stack([table, _shared(near, a, b)])


def _shared(near: Any, a: Ints, b: Ints) -> Floats:
    """Neighbours that two distinct vectors share, over the geometric mean of how many each has; 1 of equals.

    0 where one of them has none, or nothing to compare.
    """
    from ofakind.kernels.graph.products import sparse_products

    there = (a >= 0) & (b >= 0)
    common, degree = np.zeros(len(a)), np.append(np.diff(near.indptr), 0)
    common[there] = sparse_products(near, a[there], b[there])
    size = np.sqrt(degree[a] * degree[b])
    shares = np.divide(common, size, out=np.zeros_like(common), where=size > 0)
    return np.where(there & (a == b), 1.0, shares)


# -- the search --------------------------------------------------------------------------------------------


def nearest_vectors(unit: Singles, k: int) -> Ints:
    """Return the k nearest rows, by cosine, nearest first; -1 where there are fewer than k others.

    Exact for up to 50,000 rows, O(n^2 d). Above, each row is compared with those in the cells around it,
    O(n^1.5 d). The same whatever the number of threads: each product is computed by one.
    """
    n = len(unit)
    if n <= VECTORS.exact:
        objects = np.arange(n)
        calls = [(unit, objects[i : i + VECTORS.block], k) for i in range(0, n, VECTORS.block)]
        found = run_watched(_among_all, calls, "comparing vectors")
    else:
        found = _by_cells(unit, k)
    return np.concatenate([np.empty((0, k), np.int64), *found])


def _among_all(unit: Singles, queries: Ints, k: int) -> Ints:
    tiles = [np.arange(i, min(i + VECTORS.tile, len(unit))) for i in range(0, len(unit), VECTORS.tile)]
    return _best_of_groups(unit, queries, [(np.arange(len(queries)), tile) for tile in tiles], k)


def _best_of_groups(unit: Singles, queries: Ints, groups: Comparisons, k: int) -> Ints:
    """Nearest rows of the queries among groups: first in single precision, then the best ones exactly."""
    from ofakind.kernels.graph.best import keep_best_of_block
    from ofakind.kernels.graph.products import block_products, dense_products

    shape = (len(queries), k + VECTORS.more)
    scores, rows = np.full(shape, -2.0, np.float32), np.full(shape, -1)
    sizes = np.zeros(len(queries), np.int64)
    for places, members in groups:
        products = block_products(unit[queries[places]], unit[members])
        keep_best_of_block(products, queries, places, members, (scores, rows, sizes))
    exact = dense_products(unit, np.repeat(queries, shape[1]), rows.ravel()).reshape(shape)
    exact = np.where(rows >= 0, exact, -2.0)
    order = np.lexsort((rows, -exact), axis=1)[:, :k]
    return np.take_along_axis(rows, order, axis=1)


def _by_cells(unit: Singles, k: int) -> list[Ints]:
    """Put all rows into cells, and compare each with those in the cells nearest to it."""
    centres = _centres(unit, round(sqrt(len(unit))))
    blocks = [unit[i : i + VECTORS.block] for i in range(0, len(unit), VECTORS.block)]
    cell = np.concatenate(run_on_all_cores(_nearest_centre, [(block, centres) for block in blocks]))
    order = np.argsort(cell, kind="stable")  # queries of one cell look into the same cells
    start = np.searchsorted(cell[order], np.arange(len(centres) + 1))
    parts = [order[i : i + VECTORS.block] for i in range(0, len(order), VECTORS.block)]
    calls = [(unit, part, centres, order, start, k) for part in parts]
    found = run_watched(_in_cells, calls, "comparing vectors")
    back = np.empty((len(unit), k), np.int64)
    back[order] = np.concatenate(found)
    return [back]


def _in_cells(unit: Singles, queries: Ints, centres: Singles, order: Ints, start: Ints, k: int) -> Ints:
    probes = min(VECTORS.probes, len(centres))
    flat = _nearest_centres(unit[queries], centres, probes).ravel()
    by_cell = np.argsort(flat, kind="stable")
    cells, begin = np.unique(flat[by_cell], return_index=True)
    places = np.split(by_cell // probes, begin[1:])
    members = [order[start[cell] : start[cell + 1]] for cell in cells.tolist()]
    return _best_of_groups(unit, queries, list(zip(places, members, strict=True)), k)


def _nearest_centres(block: Singles, centres: Singles, count: int) -> Ints:
    """Return the ``count`` centres nearest to each row, in no order; of equally near ones the first."""
    from ofakind.kernels.graph.best import keep_best_of_block
    from ofakind.kernels.graph.products import block_products

    shape, places = (len(block), count), np.arange(len(block))
    scores, rows = np.full(shape, -2.0, np.float32), np.full(shape, -1)
    heaps = scores, rows, np.zeros(len(block), np.int64)
    products = block_products(block, centres)
    keep_best_of_block(products, np.full(len(block), -1), places, np.arange(len(centres)), heaps)
    return rows


def _nearest_centre(block: Singles, centres: Singles) -> Ints:
    from ofakind.kernels.graph.products import block_products

    return np.asarray(np.argmax(block_products(block, centres), axis=1))


def _centres(unit: Singles, count: int) -> Singles:
    """Centres of cells: spherical k-means on evenly spread rows, from evenly spread ones of these."""
    sample = unit[np.linspace(0, len(unit) - 1, min(len(unit), count * VECTORS.sample)).astype(np.int64)]
    centres = sample[np.linspace(0, len(sample) - 1, count).astype(np.int64)]
    for _ in range(VECTORS.passes):
        blocks = [(sample[i : i + VECTORS.block], centres) for i in range(0, len(sample), VECTORS.block)]
        cell = np.concatenate(run_on_all_cores(_nearest_centre, blocks))
        order = np.argsort(cell, kind="stable")
        used, begin = np.unique(cell[order], return_index=True)
        sums = np.add.reduceat(sample[order], begin, axis=0)
        centres = centres.copy()  # a cell that lost all its objects stays where it is
        lengths = np.sqrt((sums**2).sum(axis=1, keepdims=True))
        centres[used] = np.divide(sums, lengths, out=sums, where=lengths > 0)
    return centres
