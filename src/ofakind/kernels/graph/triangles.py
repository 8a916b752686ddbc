"""Bad triangles: exactly two of three similarities are positive, so one of the three must be wrong."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.portable.elementary import exp

Array = NDArray[Any]


@compiled
def expected_cost(a: float, b: float, d: float, beta: float) -> float:
    """Mean cost of the five partitions of a triple, weighted by exp(-beta * cost); the least for beta = inf.

    The sides are sorted first, so that their order does not matter down to the last bit: otherwise rounding,
    not chance, would decide between pairs that are worth the same.
    """
    a, b, d = min(a, b, d), max(min(a, b), min(max(a, b), d)), max(a, b, d)
    pos_a, pos_b, pos_d = max(a, 0.0), max(b, 0.0), max(d, 0.0)
    neg_a, neg_b, neg_d = max(-a, 0.0), max(-b, 0.0), max(-d, 0.0)
    costs = (
        neg_a + neg_b + neg_d,  # all three together
        neg_a + pos_b + pos_d,  # one pair together, the third object alone
        pos_a + neg_b + pos_d,
        pos_a + pos_b + neg_d,
        pos_a + pos_b + pos_d,  # each alone
    )
    least = min(costs)
    if np.isinf(beta):
        return least
    total, weights = 0.0, 0.0
    for cost in costs:
        weight = exp(-beta * (cost - least))
        total += weight * cost
        weights += weight
    return total / weights


@compiled
def weakest_side(a: float, b: float, d: float, die: int) -> int:
    """Which of three sides (0, 1, 2) has the least magnitude; a die, 0 to 5, picks among equal ones.

    Six is a multiple of one, two and three, so the remainder is even whatever the number of equal sides.
    """
    a, b, d = abs(a), abs(b), abs(d)
    least = min(a, b, d)
    turn = die % ((a == least) + (b == least) + (d == least))
    if a == least:
        if turn == 0:
            return 0
        turn -= 1
    return 1 if b == least and turn == 0 else 2


@compiled
def most_bad_triangles(S: tuple[Array, Array, Array], rows: Array, slots: Array) -> int:
    """Bound the bad triangles over the given pairs: i or j has a positive entry at the third object."""
    indptr, indices, values = S
    positive = np.zeros(len(indptr) - 1, np.int64)
    for i in range(len(positive)):
        for s in range(indptr[i], indptr[i + 1]):
            positive[i] += values[s] > 0
    limit = 0
    for e in range(len(slots)):
        limit += positive[rows[e]] + positive[indices[slots[e]]]
    return limit


@compiled
def weakest_sides(
    S: tuple[Array, Array, Array], rows: Array, slots: Array, dice: tuple[Array, Array], beta: float
) -> tuple[Array, Array, Array]:
    """Weakest side u < v and expected cost of each bad triangle over the given pairs.

    S is (indptr, indices, values); a pair is its row and its slot in there. The dice are throws, 0 to 5, of
    the pairs and of all objects; a triangle's own is the sum of its pair's and its third object's modulo 6,
    which is even and independent between any two triangles. O(deg i + deg j) for a pair (i, j), plus O(n).
    """
    indptr, indices, values = S
    limit = most_bad_triangles(S, rows, slots)
    u, v, costs, found = np.empty(limit, np.int32), np.empty(limit, np.int32), np.empty(limit), 0
    from_j = np.zeros(len(indptr) - 1)  # row j, spread out; 0 again once a triangle was looked at
    for e in range(len(slots)):
        i, j, a = rows[e], np.int64(indices[slots[e]]), values[slots[e]]
        for s in range(indptr[j], indptr[j + 1]):
            from_j[indices[s]] = values[s]
        from_j[i] = 0.0
        for s in range(indptr[i], indptr[i + 1]):
            k, b = np.int64(indices[s]), values[s]
            d, from_j[k] = from_j[k], 0.0
            if k != j and (a > 0) + (b > 0) + (d > 0) == 2:
                side = weakest_side(a, b, d, (dice[0][e] + dice[1][k]) % 6)
                x, y = (i, j) if side == 0 else (i, k) if side == 1 else (j, k)
                u[found], v[found] = min(x, y), max(x, y)
                costs[found] = expected_cost(a, b, d, beta)
                found += 1
        for s in range(indptr[j], indptr[j + 1]):
            k = np.int64(indices[s])
            d, from_j[k] = from_j[k], 0.0
            if a > 0 and d > 0:  # (i, k) was never asked, so it is the weakest
                u[found], v[found] = min(i, k), max(i, k)
                costs[found] = expected_cost(a, 0.0, d, beta)
                found += 1
    return u[:found], v[:found], costs[:found]


@compiled
def largest_per_pair(n: int, u: Array, v: Array, costs: Array) -> tuple[Array, Array, Array]:
    """Each pair once, with the largest of its costs; ascending in u, in order of appearance for each u.

    O(n + entries): entries are bucketed by u, and a bucket's pairs are told apart by a table over v.
    """
    free = np.zeros(n + 1, np.int64)
    for t in range(len(u)):
        free[u[t] + 1] += 1
    free = np.cumsum(free)
    by_u = np.empty(len(u), np.int64)
    for t in range(len(u)):
        by_u[free[u[t]]] = t
        free[u[t]] += 1
    pair_u, pair_v, largest = np.empty(len(u), np.int64), np.empty(len(u), np.int64), np.empty(len(u))
    place = np.full(n, -1)  # where the pair (u, v) of this bucket stands; older buckets stand before `first`
    found, first = 0, 0
    for entry in by_u:
        i, k, cost = u[entry], v[entry], costs[entry]
        if found > first and pair_u[first] != i:
            first = found
        if place[k] < first:
            place[k] = found
            pair_u[found], pair_v[found], largest[found] = i, k, cost
            found += 1
        else:
            largest[place[k]] = max(largest[place[k]], cost)
    return pair_u[:found], pair_v[:found], largest[:found]
