"""What the scores of a judge are worth for each object: it is wrong about the same objects again and again.

    log odds of u ~ v  =  beta . phi  +  sum over judges j of (a_ju + a_jv) phi_j

phi_j being the judge's column, and a normal about 0. So a judge that is wrong about some objects is still
worth something for the others, and the opposite of what it says for those. Both are learned together, by
Newton's method (`pair_map`), in blocks: of the n objects few are ends of an answered candidate, those of the
others stay 0, and of the matrix that belongs to a only the pairs are stored.

With so many coefficients, an answer has a say in those of its own pair, and would count twice: as an answer,
and in what is expected of the pair. So from the log odds of an answered pair its own part is taken off, as if
the coefficients had been learned from all other answers (leave-one-out).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from ofakind.arrays import Floats, Ints, read_only, restore_read_only
from ofakind.checks import plain_array, refuse_strange_pairs
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.pairs import Pairs
from ofakind.priors.base import positions


@dataclass(frozen=True, slots=True)
class ByObjectRules:
    """Tuned numbers of the conjugate gradients, chosen by judgement."""

    steps: int = 200  # at most
    enough: float = 1e-9  # of the residual's first size,
    roughly: float = 1e-4  # and for a step of Newton's method, after which others come
    moved: float = 1e-4  # a step that changes no coefficient by more is the last: so little is not seen


BY_OBJECT = ByObjectRules()


@dataclass(frozen=True, slots=True, eq=False)
class OwnAnswers:
    """How far the log odds of some pairs u < v, in canonical order, come from the answers to them."""

    u: Ints
    v: Ints
    taught: Floats

    @classmethod
    def of(cls, pairs: Pairs, taught: Floats) -> Self:
        """Sort the pairs."""
        order = np.lexsort((pairs.v, pairs.u))
        return cls(read_only(pairs.u[order]), read_only(pairs.v[order]), read_only(taught[order]))

    def of_pairs(self, pairs: Pairs, n: int) -> Floats:
        """Return it of any pairs of n objects: 0 where nothing was answered."""
        place = positions(Pairs.trusted(self.u, self.v), pairs, n)
        return np.where(place < 0, 0.0, np.append(self.taught, 0.0)[place])

    def __setstate__(self, values: list[Any]) -> None:
        restore_read_only(self, values)

    def to_entry(self) -> dict[str, Any]:
        """Return it as it stands in a document."""
        return {"u": self.u, "v": self.v, "taught": self.taught}

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], n: int) -> Self:
        """Read what `to_entry` gave, checked."""
        u, v = (plain_array(entry[name], name).astype(np.int64) for name in ("u", "v"))
        taught = plain_array(entry["taught"], "taught").astype(np.float64)
        if not u.shape == v.shape == taught.shape or not np.isfinite(taught).all():
            raise InvalidInputError("own answers have no finite number for each pair")
        refuse_strange_pairs(u, v, n)
        return cls.of(Pairs.trusted(u, v), taught)


class Blocks(NamedTuple):
    """Newton's matrix but for the block of beta: ``own`` that of a, ``mixed`` between a and beta."""

    own: Any  # sparse (k, k)
    mixed: Floats  # (k, d)


@dataclass(frozen=True, slots=True, eq=False)
class ByObject:
    """The coefficients a of some answered candidates, as columns of a sparse table ``rows`` (m, k).

    Those of each judge follow upon each other, one for each of the ``objects`` (t,) that are ends of a pair.
    ``scores`` (m, judges) are the judges' columns, and ``ends`` (2, m) says where both objects stand.
    """

    rows: Any
    scores: Floats
    ends: Ints
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
        return cls(csr_array(hstack(tables)), scores, place.reshape(2, m), objects, n, precision)

    def blocks(self, features: Floats, weights: Floats) -> Blocks:
        """Return Newton's matrix for pairs that count so much: O(m judges (d + judges))."""
        from scipy.sparse import eye_array

        weighted = self.rows.multiply(weights[:, None]).tocsr()
        own = (
            portable.sparse_matmul(self.rows.T, weighted) + self.precision * eye_array(self.rows.shape[1])
        ).tocsr()
        return Blocks(own, portable.sparse_matmul(weighted.T, features))

    def step(
        self, blocks: Blocks, information: Floats, gradient: Floats, own_gradient: Floats
    ) -> tuple[Floats, Floats]:
        """Return Newton's step of beta and of a, by the Schur complement of the block of a."""
        solved = solve_each(blocks.own, np.column_stack([blocks.mixed, own_gradient]), BY_OBJECT.roughly)
        known, rest = solved[:, :-1], solved[:, -1]
        beta = portable.solve(
            information - portable.matmul(blocks.mixed.T, known),
            gradient - portable.matmul(blocks.mixed.T, rest),
        )
        return np.asarray(beta), np.asarray(rest - portable.matmul(known, beta))

    def marginal(self, blocks: Blocks, information: Floats) -> Floats:
        """Return the information on beta when a is not known."""
        return np.asarray(information - portable.matmul(blocks.mixed.T, solve_each(blocks.own, blocks.mixed)))

    def taught(self, weights: Floats, gradient: Floats) -> Floats:
        """Return how far each pair's log odds come from its own answer, with a row x of the table for each.

        Without pair i the coefficients would be a - H_-i^-1 x_i g_i, g_i being the ``gradient`` of its log
        likelihood, and H_-i Newton's matrix without it, with these ``weights``: of that, for each object the
        block of all judges, since several that agree share one answer out. By the formula of Sherman and
        Morrison, O(m judges^3).
        """
        m, judges = self.scores.shape
        blocks = np.tile(self.precision * np.eye(judges), (len(self.objects), 1, 1))
        products = weights[:, None, None] * self.scores[:, :, None] * self.scores[:, None, :]
        for ends in self.ends:
            np.add.at(blocks, ends, products)
        found = np.zeros(m)
        for ends in self.ends:
            solved = portable.solve_batch(blocks[ends], self.scores)
            with_it = (self.scores * solved).sum(axis=1)
            found += with_it / (1 - weights * with_it)
        return np.asarray(gradient * found)

    def table(self, own: Floats) -> Floats:
        """Return the coefficients of all objects, (judges, n)."""
        judges = len(own) // max(1, len(self.objects))
        found = np.zeros((judges, self.n))
        found[:, self.objects] = own.reshape(judges, len(self.objects))
        return found


def solve_each(matrix: Any, given: Floats, enough: float = BY_OBJECT.enough) -> Floats:
    """Solve A x = b for each column b, A being sparse, symmetric and positive: conjugate gradients.

    >>> from scipy.sparse import csr_array
    >>> solve_each(csr_array([[2.0, 1.0], [1.0, 3.0]]), np.array([[3.0], [4.0]])).round(6).ravel().tolist()
    [1.0, 1.0]
    """
    scale = 1 / matrix.diagonal()[:, None]  # the preconditioner
    found, residual = np.zeros_like(given), given.copy()
    towards = scale * residual
    size = (residual * towards).sum(axis=0)
    least = enough * enough * size
    for _ in range(BY_OBJECT.steps):
        if (size <= least).all():
            break
        image = portable.sparse_matmul(matrix, towards)
        length = size / np.maximum((towards * image).sum(axis=0), np.finfo(float).tiny)
        found += length * towards
        residual -= length * image
        again = scale * residual
        now = (residual * again).sum(axis=0)
        towards = again + now / np.maximum(size, np.finfo(float).tiny) * towards
        size = now
    return found
