"""maxmin and maxexp written as their definitions read: dense similarities, every third object in turn."""

import math


def partition_costs(a, b, d):
    """Cost of each partition of i, j, k when S_ij, S_ik, S_jk are a, b, d."""
    costs = []
    for labels in [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]:
        cost = 0.0
        for (x, y), s in zip([(0, 1), (0, 2), (1, 2)], (a, b, d), strict=True):
            together = labels[x] == labels[y]
            if together and s < 0:
                cost += -s
            if not together and s > 0:
                cost += s
        costs.append(cost)
    return costs


def expected_cost(a, b, d, beta):
    costs = partition_costs(a, b, d)
    if beta == math.inf:
        return min(costs)
    weights = [math.exp(-beta * (cost - min(costs))) for cost in costs]
    return sum(w * c for w, c in zip(weights, costs, strict=True)) / sum(weights)


def is_bad(a, b, d):
    return int(a > 0) + int(b > 0) + int(d > 0) == 2


def violating_pairs(S, labels):
    """Return pairs inside a cluster with a negative similarity, or across two with a positive one."""
    n = len(S)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    return [(i, j) for i, j in pairs if (S[i, j] < 0 if labels[i] == labels[j] else S[i, j] > 0)]


def weakest_pairs(S, violating, dice, beta):
    """Return {pair: largest expected cost}.

    ``dice`` holds a throw, 0 to 5, for each violating pair and one for each object. A triangle's die, the sum
    of its pair's and its third object's throws modulo 6, picks number ``die % t`` of t equally weak sides.
    """
    scores = {}
    for throw, (i, j) in zip(dice[0], violating, strict=True):
        for k in range(len(S)):
            if k in (i, j) or not is_bad(S[i, j], S[i, k], S[j, k]):
                continue
            sides = [(i, j), (i, k), (j, k)]
            least = min(abs(S[side]) for side in sides)
            weakest = [side for side in sides if abs(S[side]) == least]
            die = (throw + dice[1][k]) % 6
            target = tuple(sorted(weakest[die % len(weakest)]))
            value = expected_cost(S[i, j], S[i, k], S[j, k], beta)
            scores[target] = max(scores.get(target, 0.0), value)
    return scores
