"""Dot products of rows, of sparse matrices and of vectors, always summed in the same order."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.portable.simd import LANES, fma, load, splat, store

Array = NDArray[Any]


class SparseRows(NamedTuple):
    """A matrix as CSR arrays, or as CSC arrays its columns: what stands in each is sorted."""

    indptr: Array
    indices: Array
    values: Array


@compiled
def sparse_products(matrix: SparseRows, a: Array, b: Array) -> Array:
    """Dot products of the rows a[e] and b[e] of a matrix."""
    products = np.zeros(len(a))
    for e in range(len(a)):
        p, q = matrix.indptr[a[e]], matrix.indptr[b[e]]
        end_p, end_q = matrix.indptr[a[e] + 1], matrix.indptr[b[e] + 1]
        product = 0.0
        while p < end_p and q < end_q:
            if matrix.indices[p] == matrix.indices[q]:
                product += float(matrix.values[p]) * float(matrix.values[q])
                p += 1
                q += 1
            elif matrix.indices[p] < matrix.indices[q]:
                p += 1
            else:
                q += 1
        products[e] = product
    return products


@compiled
def dense_products(vectors: Array, a: Array, b: Array) -> Array:
    """Dot products of the vectors a[e] and b[e], summed in double precision and always in the same order."""
    products = np.zeros(len(a))
    for e in range(len(a)):
        product = 0.0
        for t in range(vectors.shape[1]):
            product += float(vectors[a[e], t]) * float(vectors[b[e], t])
        products[e] = product
    return products


QUERIES_AT_ONCE = (
    5  # of queries that are multiplied at a time: so many sums stay in the registers of any processor
)


def block_products(queries: Array, members: Array) -> Array:
    """Dot products of each query with each member, in the precision of both: (a, d), (m, d) -> (a, m).

    Each sum runs over the columns in their order, every product fused into it.
    """
    panels = np.zeros((-(-len(members) // LANES), LANES, members.shape[1]), members.dtype)
    panels.reshape(-1, members.shape[1])[: len(members)] = members
    whole = np.zeros((-(-len(queries) // QUERIES_AT_ONCE) * QUERIES_AT_ONCE, queries.shape[1]), queries.dtype)
    whole[: len(queries)] = queries
    found = np.empty((len(whole), len(panels) * LANES), queries.dtype)
    _block_products(whole, np.ascontiguousarray(panels.transpose(0, 2, 1)).ravel(), found)
    return found[: len(queries), : len(members)]


@compiled
def _block_products(queries: Array, panels: Array, found: Array) -> None:
    """Panels are flat: of each sixteen members the first numbers, the second, and so on."""
    d, width = queries.shape[1], found.shape[1]
    q, out, zero = queries.reshape(queries.size), found.reshape(found.size), splat(queries.dtype.type(0))
    for panel in range(width // LANES):
        for first in range(0, len(queries), QUERIES_AT_ONCE):
            a, b, c, e, f = zero, zero, zero, zero, zero
            at, row = panel * d * LANES, first * d
            for t in range(d):
                x = load(panels, at + t * LANES)
                a = fma(splat(q[row + t]), x, a)
                b = fma(splat(q[row + d + t]), x, b)
                c = fma(splat(q[row + 2 * d + t]), x, c)
                e = fma(splat(q[row + 3 * d + t]), x, e)
                f = fma(splat(q[row + 4 * d + t]), x, f)
            place = first * width + panel * LANES
            store(out, place, a)
            store(out, place + width, b)
            store(out, place + 2 * width, c)
            store(out, place + 3 * width, e)
            store(out, place + 4 * width, f)
