"""Pins by the ids of objects: which hold, and the chain where some contradict each other."""

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np

from ofakind.errors import ContradictingPinsError
from ofakind.pins import Pins
from ofakind.project.fields import ObjectId, Pair


def pins_of(pinned: Mapping[Pair, bool], ids: Sequence[ObjectId]) -> Pins:
    """Return pins as the learner has them; those that contradict each other are refused with the chain."""
    pins = Pins.none(len(ids))
    for same in (True, False):
        pairs = [pair for pair, kind in pinned.items() if kind is same]
        if pairs:
            u, v = np.array(pairs, np.int64).T
            try:
                pins = pins.adding(u, v, same=same)
            except ContradictingPinsError:
                raise ContradictingPinsError(_contradiction(pinned, ids)) from None
    return pins


def shortest_chain(edges: Sequence[Pair], start: int, goal: int) -> list[Pair] | None:
    """Return the fewest of these pairs that lead from one object to another, in order; None if none do.

    >>> shortest_chain([(0, 1), (1, 2), (2, 3), (1, 3)], 0, 3)
    [(0, 1), (1, 3)]
    """
    near: dict[int, list[int]] = {}
    for u, v in edges:
        near.setdefault(u, []).append(v)
        near.setdefault(v, []).append(u)
    before, queue = {start: start}, deque([start])
    while queue and goal not in before:
        here = queue.popleft()
        for other in near.get(here, ()):
            if other not in before:
                before[other] = here
                queue.append(other)
    if goal not in before:
        return None
    steps, at = [], goal
    while at != start:
        steps.append((before[at], at))
        at = before[at]
    return steps[::-1]


def _contradiction(pinned: Mapping[Pair, bool], ids: Sequence[ObjectId]) -> str:
    same = [pair for pair, kind in pinned.items() if kind]
    for (u, v), kind in pinned.items():
        chain = None if kind else shortest_chain(same, u, v)
        if chain:
            steps = ", ".join(f"{ids[a]!r} = {ids[b]!r}" for a, b in chain)
            return f"{ids[u]!r} is pinned as different from {ids[v]!r}, but {steps}; nothing was changed"
    return "pins contradict each other; nothing was changed"
