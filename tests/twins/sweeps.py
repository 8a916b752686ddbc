"""Sweeps of a chain, plainly: every weight summed anew, with the same random numbers in the same order."""

import math

from ofakind.kernels.partition.bonds import is_bondable

NOWHERE = -1


class Partition:
    """Labels, and the order in which labels are used and free, which decides what a random number means."""

    def __init__(self, labels):
        self.labels = [int(label) for label in labels]
        self.used = sorted(set(self.labels))
        self.free = [k for k in range(len(self.labels) + 1) if k not in self.used]

    def size(self, k):
        return self.labels.count(k)

    def take_out(self, members):
        k = self.labels[members[0]]
        for i in members:
            self.labels[i] = NOWHERE
        if self.size(k) == 0:
            last = self.used.pop()
            if last != k:
                self.used[self.used.index(k)] = last
            self.free.append(k)

    def put(self, members, k):
        if k == NOWHERE:
            k = self.free.pop()
            self.used.append(k)
        for i in members:
            self.labels[i] = k


def circle(count, rng):
    """Numbers 0..count-1 from a random one on, in a random direction."""
    at, step = int(rng.random() * count), 1 if rng.random() < 0.5 else -1
    return [(at + step * t) % count for t in range(1, count + 1)]


def neighbours(graph, i):
    row = slice(graph.indptr[i], graph.indptr[i + 1])
    return [(int(j), float(w)) for j, w in zip(graph.indices[row], graph.S[row], strict=True)]


def drawn_by(rng, weights, left):
    """The key in whose share of the weights the number falls, none of weight 0."""
    chosen = NOWHERE
    for k, weight in weights.items():
        if weight > 0:
            chosen, left = k, left - weight
            if left < 0:
                break
    return chosen


def prior_weight(partition, prior, members, k, tied):
    """How much the prior draws those who were taken out to cluster k, where a new one draws by alpha."""
    if tied is None:
        m, size, factors = len(members), partition.size(k), prior.factors
        return math.exp(factors[size + m] - factors[size] - factors[m])
    logs = []
    for label in (k, len(partition.labels) + 1):
        labels = [label if old == NOWHERE else old for old in partition.labels]
        logs.append(tied.log_weights(labels)[prior.current[0]])
    return math.exp(prior.log_alphas[prior.current[0]] + logs[0] - logs[1])


def plain_sweep_objects(graph, labels, prior, objects, rng, tied=None):
    """Draw the cluster of each object given all others; return the labels and P(with the neighbour).

    With ties, ``tied`` is the prior as `twins.ties` has it.
    """
    partition, same = Partition(labels), [0.0] * len(graph.indices)
    alpha = math.exp(prior.log_alphas[prior.current[0]])
    for i in (int(objects[at]) for at in circle(len(objects), rng)):
        pull = {}
        for j, w in neighbours(graph, i):
            pull[partition.labels[j]] = pull.get(partition.labels[j], 0.0) + w
        partition.take_out([i])
        weights = {k: math.exp(w) * prior_weight(partition, prior, [i], k, tied) for k, w in pull.items()}
        others = {k: prior_weight(partition, prior, [i], k, tied) for k in partition.used if k not in pull}
        near, rest = sum(weights.values()), sum(others.values())
        total = near + rest + alpha
        for slot, (j, _) in enumerate(neighbours(graph, i), graph.indptr[i]):
            same[slot] = weights[partition.labels[j]] / total
        left, chosen = rng.random() * total, NOWHERE
        if left < near:
            chosen = drawn_by(rng, weights, left)
        elif left < near + rest:
            chosen = drawn_by(rng, others, rng.random() * rest)
        partition.put([i], chosen)
    return partition.labels, same


def plain_blocks(graph, labels, key, share, rng):
    """Blocks that bonds connect, in the order of their first objects."""
    n = len(labels)
    block = list(range(n))
    for i in range(n):
        for j, w in neighbours(graph, i):
            bondable = i < j and w > 0 and labels[i] == labels[j] and is_bondable(i, j, n, key, share)
            if bondable and rng.random() > math.exp(-w):
                low, high = sorted((block[i], block[j]))
                block = [low if name == high else name for name in block]
    return [[i for i in range(n) if block[i] == name] for name in sorted(set(block))]


def plain_sweep_blocks(graph, labels, prior, share, rng, tied=None):
    """Draw the cluster of each block; return the labels. For few clusters, all of which are looked at."""
    partition, n, key = Partition(labels), len(labels), int(rng.random() * 2.0**53)
    blocks = plain_blocks(graph, partition.labels, key, share, rng)
    alpha = math.exp(prior.log_alphas[prior.current[0]])
    for members in (blocks[at] for at in circle(len(blocks), rng)):
        m, pull = len(members), {}
        for i in members:
            for j, w in neighbours(graph, i):
                if j not in members:
                    loose = 0.0 if w > 0 and is_bondable(i, j, n, key, share) else w
                    pull[partition.labels[j]] = pull.get(partition.labels[j], 0.0) + loose
        partition.take_out(members)
        others = [] if m > 1 else [k for k in partition.used if k not in pull]
        if m > 1:
            pull |= {k: 0.0 for k in partition.used if k not in pull}
        weights = {k: math.exp(w) * prior_weight(partition, prior, members, k, tied) for k, w in pull.items()}
        others = {k: prior_weight(partition, prior, members, k, tied) for k in others}
        near, rest = sum(weights.values()), sum(others.values())
        left, chosen = rng.random() * (near + rest + alpha), NOWHERE
        if left < near:
            chosen = drawn_by(rng, weights, left)
        elif left < near + rest:
            chosen = drawn_by(rng, others, rng.random() * rest)
        partition.put(members, chosen)
    return partition.labels
