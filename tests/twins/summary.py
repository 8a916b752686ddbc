"""The numbers of a study in plain loops, and curves made up for tests."""

from itertools import product

import numpy as np

from ofakind.study.curves import Curve


def run(
    ari, answers=None, *, dataset="Ecoli", oracle="Oracle 2", noise=None, method="JEIG", seed=0, seconds=0.5
):
    """Make up a curve: a hundred answers a round unless they are given."""
    ari = np.array(ari, np.float64)
    answers = np.arange(1, len(ari) + 1) * 100 if answers is None else np.array(answers, np.int64)
    times = np.full(len(ari), seconds)
    k = np.full(len(ari), 3)
    return Curve(dataset, oracle, noise, method, seed, answers, k, ari, ari, ari, ari, times)


def ari_in_hand(curve, answers):
    """ARI of the last round that was over after so many answers, 0 if none was."""
    found = 0.0
    for bought, ari in zip(curve.answers, curve.ari, strict=True):
        if bought <= answers:
            found = ari
    return found


def area(curve, budget):
    """Mean of the ARI in hand after 0, 1, ..., budget - 1 answers."""
    return sum(ari_in_hand(curve, answers) for answers in range(budget)) / budget


def holm(p_values):
    """Holm's correction by its definition: the largest of (hypotheses left) times p up to one's own place."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected = [0.0] * len(p_values)
    for place, i in enumerate(order):
        steps = [(len(order) - j) * p_values[order[j]] for j in range(place + 1)]
        corrected[i] = min(1.0, max(steps))
    return corrected


def signed_rank(differences):
    """Two-sided p: how many of all ways to give the signs lie as far from the middle."""
    sizes = [abs(d) for d in differences]
    ranks = [sum(s < size for s in sizes) + (sum(s == size for s in sizes) + 1) / 2 for size in sizes]
    middle = sum(ranks) / 2
    seen = abs(sum(rank for rank, d in zip(ranks, differences, strict=True) if d > 0) - middle)
    sums = [
        sum(r for r, up in zip(ranks, ups, strict=True) if up) for ups in product((0, 1), repeat=len(ranks))
    ]
    return float(np.mean([abs(total - middle) >= seen - 1e-9 for total in sums]))
