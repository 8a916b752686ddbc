"""A block: answers that lie on common cycles, and all ways in which they can be right or wrong together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ofakind.arrays import Ints

Values = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class BlockRules:
    """Tuned numbers of a block, chosen by judgement: what time and memory allow."""

    few: int = 2_000  # worlds, up to which a block keeps all of them
    many: int = 20_000  # worlds of low order, up to which it keeps these
    depth: int = 6  # flips, at most, by which worlds are listed anew,
    patience: int = 100_000  # and sets of them that are tried, at most


BLOCKS = BlockRules()


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Worlds of a block: consistent values (1 together, -1 apart) for its pairs of nodes, likeliest first.

    A node is an object that stands for all that are settled to be together with it. Answer ``answers[i]`` is
    about pair ``about[i]``; a pair without any is settled to be apart. ``excess`` says how many more answers
    are wrong in a world than in the best one. All worlds with an excess of ``complete`` or less are there.
    World 0 is the one that is believed, if any is.
    """

    nodes: Ints  # (m,)
    ends: Ints  # (pairs, 2) places in nodes
    answers: Ints  # (answers,) their numbers
    about: Ints  # (answers,) places in ends
    values: Values  # (worlds, pairs)
    labels: NDArray[np.int32]  # (worlds, m)
    excess: Ints  # (worlds,) ascending from 0
    complete: float
    believed: bool

    def upto(self, order: float) -> int:
        """How many worlds have this excess or less: they are the first ones."""
        return int(self.excess.searchsorted(order, side="right"))

    def place(self, node: int) -> int:
        """Find a node."""
        return int((self.nodes == node).argmax())

    def pairs_of(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which pairs have an answer that is chosen, of all answers by their numbers."""
        found = np.zeros(len(self.ends), bool)
        found[self.about[chosen[self.answers]]] = True
        return found

    def believing(self, world: int) -> "Block":
        """Make a world with excess 0 the believed one."""
        order = np.r_[world, np.delete(np.arange(len(self.excess)), world)]
        return replace(self, values=self.values[order], labels=self.labels[order], believed=True)


_Rows = tuple[Values, Ints, float, bool]  # values, excess, complete, believed


def join(blocks: Sequence[Block], nodes: Ints, cores: Ints, *, deep: int) -> Block:
    """Join blocks into one over these nodes; its worlds are all combinations of theirs.

    Nodes with the same core are settled to be apart.
    """
    place = {node: i for i, node in enumerate(nodes.tolist())}
    rows: _Rows = (np.empty((1, 0), np.int8), np.zeros(1, np.int64), np.inf, True)
    ends, answers = np.empty((0, 2), np.int64), np.empty((2, 0), np.int64)
    for block in blocks:
        asked, about = np.unique(block.about, return_inverse=True)
        rows = _product(rows, block, asked, deep=deep)
        answers = np.hstack([answers, [block.answers, about + len(ends)]])
        here = np.array([place[node] for node in block.nodes.tolist()])
        ends = np.vstack([ends, here[block.ends[asked]]])
    return _assembled(nodes, cores, ends, answers, rows)


def _assembled(nodes: Ints, cores: Ints, ends: Ints, answers: Ints, rows: _Rows) -> Block:
    """Make the block with these pairs and those that are settled to be apart."""
    from ofakind.kernels.worlds.closure import groups

    values, excess, complete, believed = rows
    apart = np.argwhere(np.triu(cores[:, None] == cores, 1))
    values = np.hstack([values, np.full((len(values), len(apart)), -1, np.int8)])
    every = np.vstack([ends, apart])
    labels = groups(values, every, len(nodes))
    numbers, about = answers
    return Block(nodes, every, numbers, about, values, labels, excess, complete, believed)


def _product(rows: _Rows, block: Block, pairs: Ints, *, deep: int) -> _Rows:
    """Combine each row with each world of a block, the smallest sums of excess first."""
    values, excess, complete, believed = rows
    counts = np.convolve(np.bincount(excess), np.bincount(block.excess))  # portable: whole numbers
    count, level = _room(counts, deep)
    most = min(max(level, 0), excess[-1] + block.excess[-1])
    ends = np.minimum(np.cumsum(block.excess.searchsorted(most - excess, side="right")), count)
    partners = np.diff(ends, prepend=0)
    first = np.repeat(np.arange(len(excess)), partners)
    second = np.arange(len(first)) - np.repeat(ends - partners, partners)
    total = excess[first] + block.excess[second]
    order = np.argsort(total, kind="stable")
    combined = np.hstack([values[first[order]], block.values[:, pairs][second[order]]])
    return combined, total[order], min(complete, block.complete, level), believed and block.believed


def _room(counts: Ints, deep: int) -> tuple[int, float]:
    """How many worlds to keep, given how many have each excess, and up to which excess that is all."""
    upto = np.cumsum(counts)
    if upto[-1] <= BLOCKS.few:
        return int(upto[-1]), np.inf
    limits = np.where(np.arange(len(upto)) <= deep, BLOCKS.many, BLOCKS.few)
    fits = np.flatnonzero(upto <= limits)
    return (int(upto[fits[-1]]), int(fits[-1])) if len(fits) else (BLOCKS.many, -1)


def observe(block: Block, pair: tuple[int, int], answer: int, *, number: int, deep: int) -> Block:
    """Add an answer (1 or -1) about two nodes, given by their places: each world has it right or wrong.

    A world that says nothing about the pair becomes two. O(worlds pairs).
    """
    from ofakind.kernels.worlds.closure import implied

    relation = implied(block.values, block.labels, block.ends, *pair)
    right, wrong = np.flatnonzero(relation != -answer), np.flatnonzero(relation != answer)
    sizes = [len(right), len(wrong)]
    excess = np.r_[block.excess[right], block.excess[wrong] + 1]
    excess -= (least := int(excess.min()))
    count, level = _room(np.bincount(excess), deep)
    order = np.argsort(excess, kind="stable")[:count]
    rows = np.r_[right, wrong][order]
    kept = replace(
        block,
        values=block.values[rows],
        labels=block.labels[rows],
        excess=excess[order],
        complete=min(block.complete - least, level),
        believed=block.believed and bool(relation[0] != -answer),
    )
    value = np.repeat(np.array([answer, -answer], np.int8), sizes)[order]
    return _with_answer(kept, pair, value, number=number)


def _with_answer(block: Block, pair: tuple[int, int], value: Values, *, number: int) -> Block:
    a, b = pair
    same = np.flatnonzero((np.sort(block.ends) == sorted(pair)).all(axis=1))
    place = same[0] if len(same) else len(block.ends)
    block = replace(block, answers=np.r_[block.answers, number], about=np.r_[block.about, place])
    if len(same):  # every world knew the relation already
        return block
    joined = (value > 0)[:, None] & (block.labels == block.labels[:, [b]])
    return replace(
        block,
        ends=np.vstack([block.ends, [pair]]),
        values=np.hstack([block.values, value[:, None]]),
        labels=np.where(joined, block.labels[:, [a]], block.labels),
    )


def renewed(block: Block, price: Ints, *, deep: int) -> Block:
    """List the worlds near the believed one anew, for a block that has lost too many of them.

    Flipping a pair makes ``price`` more answers wrong. All worlds are listed that at most six flips reach,
    up to an excess of ``deep`` or less if there are too many; when a better one than the believed one is
    found, that is believed.
    """
    from ofakind.kernels.worlds.closure import groups
    from ofakind.kernels.worlds.flips import worlds_within

    found = None
    sizes = np.array([len(block.nodes), BLOCKS.depth, BLOCKS.many, BLOCKS.patience])
    for bound in range(deep + 1):
        values, cost = worlds_within(block.values[0], block.ends, price, bound, sizes)
        if not len(cost):
            break
        found = values, cost, bound - int(cost.min())
    if found is None:
        return block
    values, cost, complete = found
    order = np.argsort(cost, kind="stable")
    values = values[order]
    return replace(
        block,
        values=values,
        labels=groups(values, block.ends, len(block.nodes)),
        excess=cost[order] - cost[order[0]],
        complete=complete,
    )


def split(block: Block, settled: Values, nodes: Ints, cores: Ints) -> Iterator[Block]:
    """Yield what is left of a block once relations of its nodes are ``settled`` (0 where they are not).

    ``nodes`` are those that stand for the old ones from now on, ``cores`` their cores. Cycles through the
    same core fall apart there, so what is left may be several blocks, or none.
    """
    from ofakind.kernels.graph.blocks import biconnected
    from ofakind.kernels.worlds.closure import obeying

    rows = np.flatnonzero(obeying(block.values, block.labels, block.ends, settled))
    kinds = np.unique(cores, return_inverse=True)[1]
    left = np.flatnonzero(kinds[block.ends[:, 0]] != kinds[block.ends[:, 1]])
    part_of = biconnected(kinds[block.ends[left]], len(kinds))
    for part in range(part_of.max(initial=-1) + 1):
        yield _part(block, rows, left[part_of == part], nodes=nodes, cores=cores)


def _part(block: Block, rows: Ints, pairs: Ints, *, nodes: Ints, cores: Ints) -> Block:
    """Keep only these pairs in these worlds of a block: each of their worlds, as good as it can be."""
    names, first, column = np.unique(
        np.sort(nodes[block.ends[pairs]]), axis=0, return_index=True, return_inverse=True
    )
    column_of = np.full(len(block.ends), -1)
    column_of[pairs] = column.ravel()
    about = column_of[block.about]
    answers = np.stack([block.answers[about >= 0], about[about >= 0]])
    values = block.values[np.ix_(rows, pairs[first])]
    kept = _first_of_equals(values)  # rows are sorted, so it is the best one
    left, ends = np.unique(names, return_inverse=True)
    core_of = dict(zip(nodes.tolist(), cores.tolist(), strict=True))
    here = np.array([core_of[node] for node in left.tolist()])
    found = (values[kept], block.excess[rows[kept]], block.complete, block.believed)
    return _assembled(left, here, ends.reshape(-1, 2), answers, found)


def _first_of_equals(values: Values) -> list[int]:
    """Places of the rows that did not occur before."""
    packed = np.packbits(values > 0, axis=1)
    seen: dict[bytes, int] = {}
    for place, row in enumerate(packed):
        seen.setdefault(row.tobytes(), place)
    return list(seen.values())
