"""Worlds by trying every assignment of 1 and -1 to the asked pairs: no blocks, no bounds, no bookkeeping."""

import itertools

import numpy as np


def relation(n, pairs, values, a, b):
    """What this assignment says about a and b: 1, -1, or 0 for nothing."""
    group = groups(n, pairs, values)
    if group[a] == group[b]:
        return 1
    apart = {
        frozenset((group[u], group[v])) for (u, v), value in zip(pairs, values, strict=True) if value < 0
    }
    return -1 if frozenset((group[a], group[b])) in apart else 0


def groups(n, pairs, values):
    group = list(range(n))
    for (u, v), value in zip(pairs, values, strict=True):
        if value > 0:
            group = [group[u] if g == group[v] else g for g in group]
    return group


def consistent(n, pairs, values):
    group = groups(n, pairs, values)
    return all(value > 0 or group[u] != group[v] for (u, v), value in zip(pairs, values, strict=True))


def worlds(n, pairs, answers):
    """Every consistent assignment with the number of answers that it takes as wrong, fewest first."""
    every = itertools.product([1, -1], repeat=len(pairs))
    found = [(int(np.not_equal(v, answers).sum()), v) for v in every if consistent(n, pairs, v)]
    return sorted(found)


def confidence(found, believed, relevant, *, noise, order=10**9):
    """Share of the weight of the worlds, up to an order, that keep every relevant value as believed."""
    least = found[0][0]
    weights = {v: (noise / (1 - noise)) ** w for w, v in found if w - least <= order}
    kept = [weight for v, weight in weights.items() if all(v[e] == believed[e] for e in relevant)]
    return sum(kept) / sum(weights.values())


def relevant(n, pairs, values, objects):
    """Asked pairs of these objects that more questions could corroborate."""
    group = groups(n, pairs, values)
    sides = [frozenset((group[u], group[v])) for u, v in pairs]
    result = []
    for e, (u, v) in enumerate(pairs):
        possible = sum(
            frozenset((group[a], group[b])) == sides[e] for a, b in itertools.combinations(range(n), 2)
        )
        if u in objects and v in objects and sides.count(sides[e]) < possible:
            result.append(e)
    return result


def scores(n, pairs, found, believed, chosen):
    """For each unasked pair of objects that occur: weight-free counts of the lowest worlds that refute it.

    Lowest are those of least order among all that change a chosen pair. Pairs nobody refutes are left out.
    """
    changing = [(w, v) for w, v in found if any(v[e] != believed[e] for e in chosen)]
    lowest = [v for w, v in changing if w == changing[0][0]] if changing else []
    occurring = sorted({item for pair in pairs for item in pair})
    asked = {frozenset(pair) for pair in pairs}
    result = {}
    for a, b in itertools.combinations(occurring, 2):
        now = relation(n, pairs, believed, a, b)
        if frozenset((a, b)) not in asked and now:
            count = sum(relation(n, pairs, v, a, b) == -now for v in lowest)
            if count:
                result[a, b] = count
    return result


def near(n, pairs, answers, believed, order):
    """Worlds that take at most ``order`` more answers as wrong than the believed one: one list for all pairs.

    Flip pairs one by one; where that leads to a contradiction, some pair of its cycle must flip too.
    """
    found = []

    def search(values, fixed, wrong):
        cycle = contradiction(n, pairs, values)
        if cycle is None:
            found.append((wrong, tuple(values)))
        fixed = set(fixed)
        for e in range(len(pairs)) if cycle is None else cycle:
            dearer = wrong + (1 if values[e] == answers[e] else -1)
            if e not in fixed and dearer <= limit:
                search([*values[:e], -values[e], *values[e + 1 :]], fixed | {e}, dearer)
                fixed.add(e)

    begin = int(np.not_equal(believed, answers).sum())
    limit = begin + order
    search(list(believed), (), begin)
    return sorted(found)


def contradiction(n, pairs, values):
    """Places of the pairs on a shortest cycle through some pair apart whose objects are joined, or None."""
    group = groups(n, pairs, values)
    for e, (u, v) in enumerate(pairs):
        if values[e] < 0 and group[u] == group[v]:
            return [e, *path(pairs, values, u, v)]
    return None


def path(pairs, values, start, end):
    came = {start: []}
    queue = [start]
    for item in queue:
        for e, pair in enumerate(pairs):
            if values[e] > 0 and item in pair:
                other = pair[0] + pair[1] - item
                if other not in came:
                    came[other] = [*came[item], e]
                    queue.append(other)
    return came[end]
