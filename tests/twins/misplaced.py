"""How many objects features have misplaced, object by object and group by group."""

import math


def misplaced(weights, evidence, groups, rules, *, by_judges=False):
    """`weights` and `evidence` are {(i, j): number} with i < j; a group is a list of objects."""
    wrong, right, rounds = rules
    n = sum(map(len, groups))
    home = {i: k for k, group in enumerate(groups) for i in group}

    def between(table, i, k):
        return sum(table.get((min(i, j), max(i, j)), 0.0) for j in groups[k] if j != i)

    alone = [i for i in range(n) if len(groups[home[i]]) == 1]
    inside, anywhere, stays, joins = [], [], [], []
    for i in range(n):
        odds = [between(weights, i, k) for k in range(len(groups))] + [1.0]  # the last is: alone
        said = [math.exp(between(evidence, i, k)) for k in range(len(groups))] + [1.0]
        size = [len(group) - (home[i] == k) for k, group in enumerate(groups)] + [1]
        inside.append(sum(a * b for a, b in zip(odds, said, strict=True)) / sum(odds))
        each = [a * b / n for a, b in zip(size, said, strict=True)]
        anywhere.append(sum(each))
        stays.append(each[-1 if i in alone else home[i]] / sum(each))
        joins.append(sum(each[:-1]) / (sum(each[:-1]) + len(alone) * each[-1]))
    share = wrong / (wrong + right)
    for _ in range(rounds):
        given = [share * b / (share * b + (1 - share) * a) for a, b in zip(inside, anywhere, strict=True)]
        share = (wrong + sum(given)) / (wrong + right + n)
    given = [share * b / (share * b + (1 - share) * a) for a, b in zip(inside, anywhere, strict=True)]
    stray = [a * (1 - b) for a, b in zip(given, stays, strict=True)]
    if by_judges:
        stray = [joins[i] if i in alone else stray[i] for i in range(n)]
    typical = sum(len(group) ** 2 for group in groups) / n
    pairs = sum(stray[i] * (len(groups[home[i]]) - 1 + typical) for i in range(n))
    return share, sum(stray), pairs
