"""KC-FB and KC-FC as they are printed: similarities in [0, 1], plain loops, everything recomputed."""

import math

import numpy as np


def ask(oracle, u, v):
    """One answer, mapped to [0, 1]."""
    return (oracle(np.array([[min(u, v), max(u, v)]]))[0] + 1) / 2


def kcfb(n, oracle, budget, choose):
    """KC-FB for a budget of one sample per pair or more; ``choose`` draws the pivot. Labels and samples."""
    samples = budget // (n * (n - 1) // 2)
    rest, labels, used = list(range(n)), [-1] * n, []
    while rest:
        pivot = choose(rest)
        used.append(samples)
        sums = dict.fromkeys(rest, 0.0)
        for _ in range(samples):
            for other in rest:
                if other != pivot:
                    sums[other] += ask(oracle, pivot, other)
        cluster = [i for i in rest if i == pivot or sums[i] / samples > 0.5]
        before, size = len(rest), len(cluster)
        rest = [i for i in rest if i not in cluster]
        for i in cluster:
            labels[i] = pivot
        if len(rest) >= 2:
            free = size * (size - 1) / 2 + size * len(rest) - (before - 1)
            samples += math.floor(samples * free / (len(rest) * (len(rest) - 1) / 2))
    return labels, used


def kcfc(pairs, answers, delta, tolerance):
    """KC-FC: which pairs are found similar, and how often each was sampled.

    ``answers[pair]`` is an iterator of its answers in [0, 1]. Ties go to the first pair in the list.
    """
    m = len(pairs)
    slack = tolerance / (12 * m)
    seen = {pair: [next(answers[pair])] for pair in pairs}
    similar, left = set(), list(pairs)

    def radius(pair):
        t = len(seen[pair])
        return math.sqrt(math.log(4 * m * t**2 / delta) / (2 * t))

    def lower(pair):
        return np.mean(seen[pair]) - radius(pair)

    def upper(pair):
        return np.mean(seen[pair]) + radius(pair)

    while left:
        pair = max(left, key=lower)
        seen[pair].append(next(answers[pair]))
        if lower(pair) >= 0.5 - slack:
            similar.add(pair)
            left.remove(pair)
        if left:
            pair = min(left, key=upper)
            seen[pair].append(next(answers[pair]))
            if upper(pair) <= 0.5 + slack:
                left.remove(pair)
    return similar, {pair: len(values) for pair, values in seen.items()}
