"""Dot products of given pairs of rows, of sparse matrices and of vectors."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled

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
