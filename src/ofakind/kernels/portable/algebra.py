"""Products and systems of equations over dense arrays, summed in the order of their rows.

BLAS and LAPACK add in another order on another processor, and with another number of threads. Here each sum
runs from the first term to the last, and a product is rounded before it is added. For the sizes that occur, a
few dozen columns, that costs about as much.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofakind.arrays import Floats
from ofakind.kernels.compiled import compiled

Array = NDArray[Any]


def dot(x: ArrayLike, y: ArrayLike) -> float:
    """Sum of the products of two vectors, by NumPy's sum, which adds in the same order everywhere."""
    return float(np.multiply(x, y, dtype=np.float64).sum())


def matmul(a: Array, b: Array) -> Floats:
    """What ``a @ b`` is for a matrix and a vector, a vector and a matrix, or two matrices.

    >>> matmul(np.eye(2), np.array([3, 4])).tolist()
    [3.0, 4.0]
    """
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if a.shape[-1] != b.shape[0]:
        raise ValueError(f"matmul of {a.shape} and {b.shape}")
    if a.ndim == 1:
        return matmul(b.T, a)
    if b.ndim == 1:
        by_columns = a.flags.f_contiguous and not a.flags.c_contiguous
        found: Floats = _columns_times(a.T, _floats(b)) if by_columns else _rows_times(_floats(a), _floats(b))
        return found
    product: Floats = _product(_floats(a), _floats(b))
    return product


def sparse_matmul(a: Any, b: Any) -> Any:
    """Return ``a @ b`` where one of the two is a sparse matrix: SciPy adds in the order of the entries."""
    return a @ b


def gram(rows: Array, weights: Array | None = None) -> Floats:
    """F' W F of the rows of F and a weight of each, 1 where none is given: symmetric to the last bit.

    >>> gram(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([1.0, 3.0])).tolist()
    [[1.0, 2.0], [2.0, 7.0]]
    """
    found: Floats = _gram(_floats(rows), np.ones(len(rows)) if weights is None else _floats(weights))
    return found


def solve(matrix: Array, right: Array) -> Floats:
    """Solve a system of equations, by Gauss's elimination with pivots; right is a vector or has columns."""
    right = np.asarray(right, np.float64)
    columns = right.reshape(len(right), -1)
    found: Floats = _solve(np.array(matrix, np.float64, order="C"), np.array(columns, order="C"))
    if not np.isfinite(found).all() and np.isfinite(matrix).all() and np.isfinite(right).all():
        raise np.linalg.LinAlgError("Singular matrix")
    return found.reshape(right.shape)


def inverse(matrix: Array) -> Floats:
    """Inverse of a matrix."""
    return solve(matrix, np.eye(len(matrix)))


def solve_batch(matrices: Array, right: Array) -> Floats:
    """Solve a system (d, d) of equations for each right side (d,): (m, d, d) and (m, d) -> (m, d)."""
    found: Floats = _solve_batch(_floats(matrices), _floats(right))
    return found


def is_positive_definite(matrix: Array) -> bool:
    """Whether a symmetric matrix has only positive eigenvalues: whether Cholesky's factor of it is there."""
    return bool(_has_factor(np.array(matrix, np.float64, order="C")))


def _floats(array: ArrayLike) -> Floats:
    return np.ascontiguousarray(array, np.float64)


@compiled
def _rows_times(rows: Array, x: Array) -> Array:
    """F x."""
    m, d = rows.shape
    found = np.empty(m)
    for i in range(m):
        total = 0.0
        for a in range(d):
            total += rows[i, a] * x[a]
        found[i] = total
    return found


@compiled
def _columns_times(rows: Array, y: Array) -> Array:
    """F' y."""
    m, d = rows.shape
    found = np.zeros(d)
    for i in range(m):
        for a in range(d):
            found[a] += rows[i, a] * y[i]
    return found


@compiled
def _product(a: Array, b: Array) -> Array:
    found = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for t in range(a.shape[1]):
            weight = a[i, t]
            for j in range(b.shape[1]):
                found[i, j] += weight * b[t, j]
    return found


@compiled
def _gram(rows: Array, weights: Array) -> Array:
    """F' W F: four rows at a time, added one after the other."""
    m, d = rows.shape
    found = np.zeros((d, d))
    whole = m - m % 4
    for i in range(0, whole, 4):
        for a in range(d):
            w0, w1 = weights[i] * rows[i, a], weights[i + 1] * rows[i + 1, a]
            w2, w3 = weights[i + 2] * rows[i + 2, a], weights[i + 3] * rows[i + 3, a]
            for b in range(a + 1):
                total = found[a, b] + w0 * rows[i, b]
                total = total + w1 * rows[i + 1, b]
                total = total + w2 * rows[i + 2, b]
                found[a, b] = total + w3 * rows[i + 3, b]
    for i in range(whole, m):
        for a in range(d):
            w = weights[i] * rows[i, a]
            for b in range(a + 1):
                found[a, b] += w * rows[i, b]
    for a in range(d):
        for b in range(a):
            found[b, a] = found[a, b]
    return found


@compiled(error_model="numpy")
def _solve(A: Array, B: Array) -> Array:
    """Both are overwritten; what has no solution gives numbers that are not finite."""
    d = len(A)
    for j in range(d):
        _exchange_for_pivot(A, B, j)
        for i in range(j + 1, d):
            factor = A[i, j] / A[j, j]
            for t in range(j + 1, d):
                A[i, t] -= factor * A[j, t]
            for t in range(B.shape[1]):
                B[i, t] -= factor * B[j, t]
    for j in range(d - 1, -1, -1):
        for t in range(B.shape[1]):
            B[j, t] /= A[j, j]
        for i in range(j):
            for t in range(B.shape[1]):
                B[i, t] -= A[i, j] * B[j, t]
    return B


@compiled
def _exchange_for_pivot(A: Array, B: Array, j: int) -> None:
    """Exchange row j for the one below it with the largest number in column j."""
    p = j
    for i in range(j + 1, len(A)):
        if abs(A[i, j]) > abs(A[p, j]):
            p = i
    if p != j:
        for t in range(len(A)):
            A[j, t], A[p, t] = A[p, t], A[j, t]
        for t in range(B.shape[1]):
            B[j, t], B[p, t] = B[p, t], B[j, t]


@compiled
def _solve_batch(matrices: Array, right: Array) -> Array:
    m, d = right.shape
    found = np.empty((m, d))
    for e in range(m):
        found[e] = _solve(matrices[e].copy(), right[e].copy().reshape(d, 1)).reshape(d)
    return found


@compiled
def _has_factor(A: Array) -> bool:
    d = len(A)
    for j in range(d):
        for t in range(j):
            A[j, j] -= A[j, t] * A[j, t]
        if not A[j, j] > 0.0:
            return False
        A[j, j] = np.sqrt(A[j, j])
        for i in range(j + 1, d):
            for t in range(j):
                A[i, j] -= A[i, t] * A[j, t]
            A[i, j] /= A[j, j]
    return True
