"""How sure the answers that matter are, and which question says most about them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable
from ofakind.rivals.block import Block
from ofakind.rivals.worlds import Worlds

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CorroborationRules:
    """How many worlds of a block a question is chosen by, at most; by judgement: what a moment allows."""

    best: int = 200  # of the best worlds, where a contradiction is to be decided
    every: int = 2000  # of all orders


CORROBORATION = CorroborationRules()


def relevant_answers(worlds: Worlds, objects: Iterable[int]) -> Flags:
    """Which answers are about two of these objects and could still be corroborated.

    A pair together cannot where all pairs of its group were asked and are together, and a pair apart cannot
    where all pairs between its two groups were. While there is a contradiction, all answers about two of the
    objects are relevant. O(answers).
    """
    from ofakind.kernels.worlds.closure import groups

    ends, values = worlds.ends(), np.array(worlds.values, np.int8)
    chosen = np.zeros(len(worlds.objects), bool)
    chosen[[worlds.objects[item] for item in objects if item in worlds.objects]] = True
    relevant = chosen[ends[:, 0]] & chosen[ends[:, 1]]
    if not len(values) or not worlds.consistent:
        return relevant
    group = groups(values[None], ends, len(chosen))[0]
    sizes = np.bincount(group)
    a, b = np.sort(group[ends]).T
    _, which, asked = np.unique(a * len(chosen) + b, return_inverse=True, return_counts=True)
    possible = np.where(a == b, sizes[a] * (sizes[a] - 1) // 2, sizes[a] * sizes[b])
    relevant &= asked[which] < possible
    return relevant


@dataclass(frozen=True, slots=True, eq=False)
class Doubt:
    """Worlds of a block that take a relevant answer for the opposite of what is believed.

    ``share`` is their share of the weight of all its worlds; they are numbered ``rows``, likeliest first.
    """

    share: float
    rows: Ints
    excess: Ints


class Corroboration:
    """Confidence in the relevant answers, and the question that would best corroborate them.

    An answer is wrong with probability ``noise``, so a world with w wrong answers of n weighs
    noise**w (1 - noise)**(n - w). Worlds count up to an excess of ``worlds.order`` in each block. What was
    computed for a block is kept until the block changes.
    """

    def __init__(self, worlds: Worlds, noise: float) -> None:
        self.worlds = worlds
        self._odds = noise / (1 - noise)
        self._doubts: dict[tuple[int, bytes], Doubt] = {}
        self._weights: dict[tuple[int, int], tuple[Doubt | None, Floats]] = {}

    def doubts(self, relevant: Flags) -> dict[int, Doubt]:
        """Doubts in each block that has any, by its number; all blocks are consistent."""
        doubts, blocks = {}, self.worlds.blocks
        self._doubts = {key: doubt for key, doubt in self._doubts.items() if key[0] in blocks}
        self._weights = {key: weight for key, weight in self._weights.items() if key[0] in blocks}
        for number, block in blocks.items():
            matters = block.pairs_of(relevant)
            if matters.any():
                key = number, matters.tobytes()
                if key not in self._doubts:
                    self._doubts[key] = self._doubt(block, matters)
                if self._doubts[key].share:
                    doubts[number] = self._doubts[key]
        return doubts

    def _doubt(self, block: Block, matters: Flags) -> Doubt:
        count = block.upto(self.worlds.order)
        values, excess = block.values[:count, matters], block.excess[:count]
        rows = np.flatnonzero((values != values[0]).any(axis=1))
        share = (portable.power(self._odds, excess[rows])).sum() / portable.power(self._odds, excess).sum()
        return Doubt(float(share), rows, excess[rows])

    @staticmethod
    def confidence(doubts: dict[int, Doubt]) -> float:
        """Probability that all relevant answers are as believed: blocks are independent."""
        return float(np.prod([1 - doubt.share for doubt in doubts.values()]))

    def question(self, doubts: dict[int, Doubt]) -> tuple[int, int] | None:
        """Find the unasked pair about which most of the likeliest doubts contradict what is believed.

        Of equally good ones, the one about which most doubts of all orders do; then the first. A doubt is one
        block's alone, with everything else as believed. None when no question touches any doubt.
        """
        lowest = min((int(doubt.excess[0]) for doubt in doubts.values()), default=0)
        near = {number: around(self.worlds, number) for number in doubts}
        scores = self._scores(doubts, near, lowest)
        if scores.any():
            scores = scores == scores.max()
        if scores.sum() != 1:
            ties = scores if scores.any() else True
            scores = np.where(ties, self._scores(doubts, near, self.worlds.order), 0)
        if not scores.any():
            return None
        known = list(self.worlds.objects)
        u, v = np.unravel_index(scores.argmax(), scores.shape)
        return known[u], known[v]

    def _scores(self, doubts: dict[int, Doubt], near: dict[int, tuple[Ints, Ints]], order: int) -> Floats:
        """How much weight of the doubts, up to this order, a question may refute; none if it was asked."""
        from ofakind.kernels.worlds.closure import spread

        scores = np.zeros((len(self.worlds.objects),) * 2)
        for number, doubt in doubts.items():
            if doubt.excess[0] <= order:
                spread(scores, self._refuted(number, doubt, order), *near[number])
        u, v = self.worlds.ends().T
        scores[u, v] = scores[v, u] = 0
        return scores

    def _refuted(self, number: int, doubt: Doubt, order: int) -> Floats:
        """Weight of the doubts of a block that each two of its nodes, asked about, may refute."""
        from ofakind.kernels.worlds.closure import refuted

        known, weight = self._weights.get((number, order), (None, np.empty(0)))
        if known is not doubt:
            block, rows = self.worlds.blocks[number], doubt.rows[doubt.excess <= order][: CORROBORATION.every]
            weights = portable.power(self._odds, block.excess[rows])
            weight = refuted(block.values, block.labels, block.ends, rows, weights)
            self._weights[number, order] = doubt, weight
        return weight

    def deciding_question(self, number: int, relevant: Flags) -> tuple[int, int] | None:
        """Find the unasked pair that best halves the best worlds of a block, if they differ in what matters.

        Of equally good ones, the one that best halves all its worlds; then the first. None when the best
        worlds agree on all relevant answers, or when no question tells those apart that do not.
        """
        block = self.worlds.blocks[number]
        useful, gap = self._halving(block, relevant)
        if not useful.any():
            return None
        objects, nodes = around(self.worlds, number)
        pairs = _open(self.worlds, objects) & useful[np.ix_(nodes, nodes)]
        i, j = np.nonzero(pairs)
        if not len(i):
            return None
        ties = np.flatnonzero(gap[nodes[i], nodes[j]] == gap[nodes[i], nodes[j]].min())
        i, j = i[ties], j[ties]
        chosen = self._gap(block)[nodes[i], nodes[j]].argmin()
        known = list(self.worlds.objects)
        return known[objects[i[chosen]]], known[objects[j[chosen]]]

    def _halving(self, block: Block, relevant: Flags) -> tuple[Flags, Ints]:
        """Whether asking about two nodes tells best worlds apart in what matters, and how unevenly."""
        from ofakind.kernels.worlds.closure import verdicts

        best = np.argsort(self.worlds.distances(block), kind="stable")[: CORROBORATION.best]
        values = block.values[best]
        _, kinds = np.unique(values[:, block.pairs_of(relevant)], axis=0, return_inverse=True)
        sizes = np.bincount(kinds.ravel())
        together, apart = verdicts(values, block.labels[best], block.ends, kinds.ravel(), len(sizes))
        possible = sizes[:, None, None]
        either_way = (together < possible).all(axis=0) & (apart < possible).all(axis=0)
        return ~either_way & (len(sizes) > 1), np.abs(together.sum(axis=0) - apart.sum(axis=0))

    def _gap(self, block: Block) -> Floats:
        """How unevenly a question about two nodes would halve the weight of all worlds."""
        from ofakind.kernels.worlds.closure import verdicts

        order = self.worlds.order
        count = min(block.upto(order), CORROBORATION.every)
        values, labels, excess = block.values[:count], block.labels[:count], block.excess[:count]
        together, apart = verdicts(values, labels, block.ends, excess, order + 1)
        weights, differences = portable.power(self._odds, np.arange(order + 1)), together - apart
        return np.abs(
            portable.matmul(weights, differences.reshape(order + 1, -1)).reshape(differences.shape[1:])
        )


def _open(worlds: Worlds, objects: Ints) -> Flags:
    """Which pairs of these objects, sorted by place, were not asked yet; each is marked once."""
    unasked = np.triu(np.ones((len(objects), len(objects)), bool), 1)
    local = np.full(len(worlds.objects), -1)
    local[objects] = np.arange(len(objects))
    ends = local[worlds.ends()]
    u, v = ends[(ends >= 0).all(axis=1)].T
    unasked[u, v] = unasked[v, u] = False
    return unasked


def around(worlds: Worlds, number: int) -> tuple[Ints, Ints]:
    """Objects believed to be together with a node of the block, and with which; both by their places."""
    found = [
        (item, place)
        for place, node in enumerate(worlds.blocks[number].nodes.tolist())
        for item in worlds.beyond(number, node)
    ]
    objects, nodes = np.array(sorted(found), np.int64).T
    return objects, nodes
