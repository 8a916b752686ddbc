"""What the scores of a judge are worth for each object: it is wrong about the same objects again and again.

    log odds of u ~ v  =  beta . phi  +  sum over judges j of (a_ju + a_jv) phi_j

phi_j being the judge's column, and a normal about 0. So a judge that is wrong about some objects is still
worth something for the others, and the opposite of what it says for those. Both are learned together, by
Newton's method (`pair_map`), in blocks: of the n objects few are ends of an answered candidate, those of the
others stay 0, and of the matrix that belongs to a only the pairs are stored.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from ofakind.arrays import Floats, Ints
from ofakind.pairs import Pairs


@dataclass(frozen=True, slots=True)
class ByObjectRules:
    """Tuned numbers of the conjugate gradients, chosen by judgement."""

    steps: int = 200  # at most
    enough: float = 1e-9  # of the residual's first size


BY_OBJECT = ByObjectRules()


class Blocks(NamedTuple):
    """Newton's matrix but for the block of beta: ``own`` that of a, ``mixed`` between a and beta."""

    own: Any  # sparse (k, k)
    mixed: Floats  # (k, d)


@dataclass(frozen=True, slots=True, eq=False)
class ByObject:
    """The coefficients a of some answered candidates, as columns of a sparse table ``rows`` (m, k).

    Those of each judge follow upon each other, one for each of the ``objects`` (t,) that are ends of a pair.
    """

    rows: Any
    objects: Ints
    n: int
    precision: float

    @classmethod
    def of(cls, scores: Floats, pairs: Pairs, n: int, precision: float) -> Self:
        """Make it from the judges' columns (m, judges) of candidates, of n objects in all."""
        from scipy.sparse import csr_array, hstack

        objects, place = np.unique(np.concatenate([pairs.u, pairs.v]), return_inverse=True)
        m, t = len(pairs), len(objects)
        row = np.concatenate([np.arange(m)] * 2)
        tables = [csr_array((np.tile(each, 2), (row, place)), shape=(m, t)) for each in scores.T]
        return cls(csr_array(hstack(tables)), objects, n, precision)

    def blocks(self, features: Floats, weights: Floats) -> Blocks:
        """Return Newton's matrix for pairs that count so much: O(m d + pairs)."""
        from scipy.sparse import eye_array

        weighted = self.rows.multiply(weights[:, None]).tocsr()
        own = (self.rows.T @ weighted + self.precision * eye_array(self.rows.shape[1])).tocsr()
        return Blocks(own, weighted.T @ features)

    def step(
        self, blocks: Blocks, information: Floats, gradient: Floats, own_gradient: Floats
    ) -> tuple[Floats, Floats]:
        """Return Newton's step of beta and of a, by the Schur complement of the block of a."""
        solved = solve_each(blocks.own, np.column_stack([blocks.mixed, own_gradient]))
        known, rest = solved[:, :-1], solved[:, -1]
        beta = np.linalg.solve(information - blocks.mixed.T @ known, gradient - blocks.mixed.T @ rest)
        return np.asarray(beta), np.asarray(rest - known @ beta)

    def marginal(self, blocks: Blocks, information: Floats) -> Floats:
        """Return the information on beta when a is not known."""
        return np.asarray(information - blocks.mixed.T @ solve_each(blocks.own, blocks.mixed))

    def table(self, own: Floats) -> Floats:
        """Return the coefficients of all objects, (judges, n)."""
        judges = len(own) // max(1, len(self.objects))
        found = np.zeros((judges, self.n))
        found[:, self.objects] = own.reshape(judges, len(self.objects))
        return found


def solve_each(matrix: Any, given: Floats) -> Floats:
    """Solve A x = b for each column b, A being sparse, symmetric and positive: conjugate gradients.

    >>> from scipy.sparse import csr_array
    >>> solve_each(csr_array([[2.0, 1.0], [1.0, 3.0]]), np.array([[3.0], [4.0]])).round(6).ravel().tolist()
    [1.0, 1.0]
    """
    scale = 1 / matrix.diagonal()[:, None]  # the preconditioner
    found, residual = np.zeros_like(given), given.copy()
    towards = scale * residual
    size = (residual * towards).sum(axis=0)
    least = BY_OBJECT.enough**2 * size
    for _ in range(BY_OBJECT.steps):
        if (size <= least).all():
            break
        image = matrix @ towards
        length = size / np.maximum((towards * image).sum(axis=0), np.finfo(float).tiny)
        found += length * towards
        residual -= length * image
        again = scale * residual
        now = (residual * again).sum(axis=0)
        towards = again + now / np.maximum(size, np.finfo(float).tiny) * towards
        size = now
    return found
