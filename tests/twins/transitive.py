"""What follows from answers, plainly: every true partition that is possible so far is listed."""

from itertools import combinations

import numpy as np

from ofakind.priors.start import start_of


def partitions(n):
    """All partitions of n objects, as labels in order of first appearance."""
    found = [[]]
    for _ in range(n):
        found = [[*labels, new] for labels in found for new in range(max(labels, default=-1) + 2)]
    return found


def implied(n, answers):
    """Pairs that are the same in all partitions that agree with the answers, or different in all."""
    possible = [
        labels
        for labels in partitions(n)
        if all((labels[u] == labels[v]) == same for (u, v), same in answers.items())
    ]
    return {(u, v) for u, v in combinations(range(n), 2) if len({p[u] == p[v] for p in possible}) == 1}


def in_order_of_score(near, truth, budget):
    """The questions, and the groups that "same" answers connect, by repeated relabelling."""
    scores = near.features @ start_of(near).mean
    order = sorted(range(len(scores)), key=lambda row: (-scores[row], row))
    answers, asked = {}, []
    for u, v in (tuple(np.asarray(near.pairs)[row].tolist()) for row in order):
        if len(asked) < budget and (u, v) not in implied(near.n, answers):
            asked.append((u, v))
            answers[u, v] = truth[u] == truth[v]
    labels = list(range(near.n))
    for _ in range(near.n):
        for (u, v), same in answers.items():
            if same:
                labels[u] = labels[v] = min(labels[u], labels[v])
    return asked, labels
