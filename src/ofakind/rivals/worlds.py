"""All ways in which noisy answers can be right or wrong together, kept small by taking them apart."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ofakind.arrays import Ints
from ofakind.rivals.block import Block, Values, join, observe, renewed, split


@dataclass(frozen=True, slots=True)
class WorldRules:
    """Tuned numbers of settling, chosen by judgement."""

    large: int = 1_000_000  # relations of nodes, over all worlds of a block, that can be looked at often
    settled: int = 1000  # to flip what is settled costs so much: more than any search may spend


WORLDS = WorldRules()


class Worlds:
    """What a growing list of answers says about its objects, when any of the answers may be wrong.

    A *world* gives each asked pair the value 1 (together) or -1 (apart) so that no pair apart is joined by
    pairs together; the more answers it takes as wrong the less likely it is. A contradiction is a cycle with
    exactly one pair apart, and a cycle lies inside one biconnected block of the graph of asked pairs. So a
    world is a free choice of one world for each `Block`, and an answer changes only the blocks between its
    two objects, which become one. In it, a world that knew the relation of the two has the answer right or
    wrong, and one that did not becomes two: nothing has to be searched for.

    Where all worlds of low order agree, relations can be *settled* (`settle`). Objects settled to be together
    become one node, and nodes settled to be apart from each other become a core. A cycle that passes a core
    twice can be shortened through it (one of its two halves is a contradiction if it is one), so blocks are
    those of the graph in which each core is one vertex: far smaller ones.

    Every block keeps all worlds while they are few; see `block` for what it drops when they become many.

    >>> worlds = Worlds()
    >>> worlds.tell(0, 1, 1), worlds.tell(1, 2, 1), worlds.tell(0, 2, -1), worlds.consistent
    (None, None, None, False)
    >>> [block.values.tolist() for block in worlds.blocks.values()]
    [[[1, -1, -1], [-1, 1, -1], [1, 1, 1], [-1, -1, -1], [-1, -1, 1]]]
    """

    def __init__(self, order: int = 2, last_order: int = 3) -> None:
        self.order, self.last_order = order, last_order
        self.blocks: dict[int, Block] = {}
        self.objects: dict[int, int] = {}  # to their place in order of appearance
        self.pairs: dict[tuple[int, int], int] = {}  # to the number of their answer
        self.answers: list[int] = []  # about each pair
        self.values: list[int] = []  # what is believed about each pair
        self._places: list[int] = []  # of the two objects of each pair, one after the other
        self._refuted: set[int] = set()  # answers against what is settled, still believed
        self._members: dict[int, list[int]] = {}  # of each node
        self._node: dict[int, int] = {}  # of each object
        self._core: dict[int, int] = {}  # of each node
        self._nodes: dict[int, set[int]] = {}  # of each core
        self._blocks_at: dict[int, set[int]] = {}  # of each node
        self._known_mates: dict[int, dict[int, list[int]]] = {}  # see _mates
        self._unsettled: set[int] = set()  # blocks that have changed since the last time
        self._renewed: set[int] = set()  # blocks whose worlds were listed anew
        self._next = 0

    # -- answers -------------------------------------------------------------------------------------------

    def known(self, u: int, v: int) -> int:
        """What is believed about an asked pair: 1 together, -1 apart; 0 when it was not asked."""
        number = self.pairs.get((min(u, v), max(u, v)))
        return 0 if number is None else self.values[number]

    def tell(self, u: int, v: int, answer: int) -> None:
        """Add the answer, 1 or -1, about a pair that was not asked before; it is believed for now."""
        number = self.pairs[min(u, v), max(u, v)] = len(self.values)
        self.answers.append(answer)
        self.values.append(answer)
        a, b = self._node_of(u), self._node_of(v)
        self._places += self.objects[u], self.objects[v]
        if settled := self.settled(u, v):
            if answer != settled:
                self._refuted.add(number)
            return
        path = [self._remove(block) for block in self._path(self._core[a], self._core[b])]
        if len(path) == 1 and {a, b}.issubset(path[0].nodes.tolist()):
            block = path[0]
        else:
            block = join(path, *self._together(path, (a, b)), deep=self.last_order)
        pair = block.place(a), block.place(b)
        self._add(observe(block, pair, answer, number=number, deep=self.last_order))

    def settled(self, u: int, v: int) -> int:
        """What is settled about two objects that occur in answers: 1 together, -1 apart, 0 nothing."""
        a, b = self._node[u], self._node[v]
        return 1 if a == b else -1 if self._core[a] == self._core[b] else 0

    def ends(self) -> Ints:
        """Places of the two objects of each answer. (answers, 2)."""
        return np.array(self._places, np.int64).reshape(-1, 2)

    def _node_of(self, item: int) -> int:
        if item not in self._node:
            self.objects[item] = len(self.objects)
            self._node[item] = self._core[item] = item
            self._members[item], self._nodes[item], self._blocks_at[item] = [item], {item}, set()
        return self._node[item]

    def _together(self, blocks: Iterable[Block], more: Iterable[int]) -> tuple[Ints, Ints]:
        """All nodes of these blocks and more, and their cores."""
        nodes = sorted({node for block in blocks for node in block.nodes.tolist()}.union(more))
        return np.array(nodes, np.int64), np.array([self._core[node] for node in nodes], np.int64)

    def _path(self, start: int, end: int) -> list[int]:
        """Blocks on the way from one core to another; none when they are not connected."""
        came_by: dict[int, tuple[int, int]] = {start: (-1, -1)}
        queue = [start]
        for core in queue:
            for number in self._blocks_around(core):
                if number != came_by[core][0]:
                    for node in self.blocks[number].nodes.tolist():
                        if (beyond := self._core[node]) not in came_by:
                            came_by[beyond] = number, core
                            queue.append(beyond)
            if end in came_by:
                break
        path = []
        core = end if end in came_by else start
        while core != start:
            number, core = came_by[core]
            path.append(number)
        return path

    def _blocks_around(self, core: int) -> set[int]:
        return {number for node in self._nodes[core] for number in self._blocks_at[node]}

    def _add(self, block: Block) -> None:
        number, self._next = self._next, self._next + 1
        self.blocks[number] = block
        self._unsettled.add(number)
        for node in block.nodes.tolist():
            self._blocks_at[node].add(number)

    def _remove(self, number: int) -> Block:
        block = self.blocks.pop(number)
        self._unsettled.discard(number)
        self._known_mates.pop(number, None)
        for node in block.nodes.tolist():
            self._blocks_at[node].remove(number)
        return block

    # -- beliefs -------------------------------------------------------------------------------------------

    @property
    def consistent(self) -> bool:
        """Whether what is believed contains no contradiction."""
        return not self._refuted and all(block.believed for block in self.blocks.values())

    def doubtful(self) -> list[int]:
        """Blocks in which no world is believed."""
        return [number for number, block in self.blocks.items() if not block.believed]

    def distances(self, block: Block) -> Ints:
        """In how many answers each of the best worlds of a block differs from what is believed."""
        best, now = block.values[: block.upto(0)], np.array(self.values, np.int8)
        distance: Ints = (best[:, block.about] != now[block.answers]).sum(axis=1)
        return distance

    def believe(self, number: int) -> None:
        """Believe the best world of a block; of several the one that changes least, then the first."""
        block = self._remove(number)
        self._believe(block.believing(int(self.distances(block).argmin())))

    def _believe(self, block: Block) -> None:
        for answer, value in zip(block.answers.tolist(), block.values[0, block.about].tolist(), strict=True):
            self.values[answer] = value
        self._add(block)

    def renew(self) -> bool:
        """List worlds anew in blocks that have lost some up to ``order``; say whether there was any."""
        lost = [
            number
            for number in sorted(self._unsettled - self._renewed)
            if self.blocks[number].believed and self.blocks[number].complete < self.order
        ]
        for number in lost:
            block = self._remove(number)
            better = True
            while better:
                before = block.values[0]
                block = renewed(block, self._prices(block), deep=self.last_order)
                better = bool((block.values[0] != before).any())
            self._believe(block)
            self._renewed.add(self._next - 1)
        return bool(lost)

    def _prices(self, block: Block) -> Ints:
        """How many more answers are wrong when a pair of a block flips in what is believed."""
        wrong = np.array(self.answers, np.int8)[block.answers] != block.values[0, block.about]
        price = np.full(len(block.ends), WORLDS.settled)
        price[block.about] = 0
        np.add.at(price, block.about, np.where(wrong, -1, 1))
        return price

    def drop_refuted(self) -> None:
        """Take answers against what is settled as wrong."""
        for number in self._refuted:
            self.values[number] = -self.values[number]
        self._refuted.clear()

    def beyond(self, number: int, node: int) -> Iterator[int]:
        """Places of the objects believed to be together with a node of a block, on the way out of it."""
        ways = [(node, number)]
        while ways:
            node, source = ways.pop()
            for item in self._members[node]:
                yield self.objects[item]
            for other in self._blocks_at[node]:
                if other != source:
                    ways += [(further, other) for further in self._mates(other)[node] if further != node]

    def _mates(self, number: int) -> dict[int, list[int]]:
        """Which nodes of a block are believed to be together with each one: if nothing is, only itself."""
        if number not in self._known_mates:
            block = self.blocks[number]
            labels = block.labels[0] if block.believed else np.arange(len(block.nodes))
            mates: dict[int, list[int]] = {}
            for node, label in zip(block.nodes.tolist(), labels.tolist(), strict=True):
                mates.setdefault(label, []).append(node)
            self._known_mates[number] = {node: same for same in mates.values() for node in same}
        return self._known_mates[number]

    # -- settling ------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Settle what all worlds up to ``last_order`` say; less likely ones that say otherwise are forgotten.

        A large block is settled at ``order`` already, so that it does not grow without end. One that is
        complete to a lower order is taken at that one, and left alone if it is below ``order``.
        """
        from ofakind.kernels.worlds.closure import agreement

        for number in sorted(self._unsettled):
            self._unsettled.discard(number)
            block = self.blocks[number]
            large = len(block.excess) * len(block.nodes) ** 2 > WORLDS.large
            depth = min(block.complete, self.order if large else self.last_order)
            if block.believed and depth >= self.order:
                count = block.upto(depth)
                agreed = agreement(block.values[:count], block.labels[:count], block.ends)
                self._unite(number, agreed)

    def _unite(self, number: int, agreed: Values) -> None:
        """Unite cores of a block between which everything is agreed; larger ones go first."""
        nodes = self.blocks[number].nodes.tolist()
        cores = dict.fromkeys(
            sorted((self._core[node] for node in nodes), key=lambda c: -len(self._nodes[c]))
        )
        united: list[list[int]] = []  # places in nodes
        hidden: list[bool] = []  # whether a core has nodes elsewhere
        for core in cores:
            places = [i for i, node in enumerate(nodes) if self._core[node] == core]
            elsewhere = len(places) < len(self._nodes[core])
            for g, group in enumerate(united):
                if _all_known(agreed[np.ix_(group, places)], hidden=(hidden[g], elsewhere)):
                    group.extend(places)
                    hidden[g] = hidden[g] or elsewhere
                    break
            else:
                united.append(places)
                hidden.append(elsewhere)
        if len(united) < len(cores):
            self._replace(number, agreed, united)

    def _replace(self, number: int, agreed: Values, united: list[list[int]]) -> None:
        block = self._remove(number)
        old = block.nodes.tolist()
        settled = np.zeros_like(agreed)
        for group in united:
            settled[np.ix_(group, group)] = agreed[np.ix_(group, group)]
            self._merge([old[i] for i in group], agreed[np.ix_(group, group)])
        nodes = np.array([self._node[node] for node in old])
        cores = np.array([self._core[node] for node in nodes.tolist()])
        for part in split(block, settled, nodes, cores):
            self._add(part)
            self._unsettled.discard(self._next - 1)

    def _merge(self, nodes: list[int], relation: Values) -> None:
        """Make one core of these nodes and their cores, and one node of those that are together."""
        core = self._core[nodes[0]]
        for other in {self._core[node] for node in nodes} - {core}:
            for node in self._nodes[other]:
                self._core[node] = core
            self._nodes[core] |= self._nodes.pop(other)
        for i, node in enumerate(nodes):
            first = nodes[int(relation[i].argmax())]  # the first that is together with it
            if first != node:
                self._rename(node, first)

    def _rename(self, node: int, target: int) -> None:
        """Let another node stand for the objects of this one."""
        for item in self._members[node]:
            self._node[item] = target
        self._members[target] += self._members.pop(node)
        self._nodes[self._core.pop(node)].remove(node)
        for number in self._blocks_at.pop(node):
            block = self.blocks[number]
            self.blocks[number] = replace(block, nodes=np.where(block.nodes == node, target, block.nodes))
            self._blocks_at[target].add(number)
            self._known_mates.pop(number, None)


def _all_known(relation: Values, *, hidden: tuple[bool, bool]) -> bool:
    """Whether all relations of two cores follow, when either may have nodes that are not in the block.

    Such a node is apart from whatever is together with another node of its core; nothing else is known of it.
    """
    if not relation.all() or all(hidden):
        return False
    together = relation > 0
    return bool(not hidden[0] or together.any(axis=0).all()) and bool(
        not hidden[1] or together.any(axis=1).all()
    )
