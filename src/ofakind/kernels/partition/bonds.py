"""Blocks of objects that positive pairs bond, for moves of whole blocks (Swendsen and Wang)."""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled
from ofakind.kernels.graph.csr import Graph
from ofakind.kernels.graph.union_find import root
from ofakind.kernels.portable.elementary import exp

Array = NDArray[Any]


@compiled(forceinline=True)
def is_bondable(i: int, j: int, n: int, key: int, share: float) -> bool:
    """Whether a pair is among the share of all pairs that may be bonded, by a hash of the pair and a key."""
    x = np.uint64(min(i, j) * n + max(i, j)) ^ np.uint64(key)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return bool((x >> np.uint64(11)) * 2.0**-53 < share)


@compiled
def bonded_blocks(graph: Graph, labels: Array, key: int, share: float, rng: Generator) -> tuple[Array, Array]:
    """Bond bondable positive pairs inside clusters with probability 1 - e^{-w}; return the connected blocks.

    They come as where each block begins, and the members of all blocks, side by side.
    """
    indptr, indices, w = graph
    n = len(labels)
    parent = np.arange(n).astype(np.int32)
    for i in range(n):
        for slot in range(indptr[i], indptr[i + 1]):
            j = indices[slot]
            if j < i or w[slot] <= 0 or labels[i] != labels[j] or not is_bondable(i, j, n, key, share):
                continue
            if rng.random() > exp(-w[slot]):
                a, b = root(parent, i), root(parent, j)
                parent[max(a, b)] = min(a, b)
    block, count = np.empty(n, np.int32), 0
    for i in range(n):
        first = root(parent, i)  # the smallest object of its block
        if first == i:
            block[i] = count
            count += 1
        else:
            block[i] = block[first]
    begin = np.zeros(count + 1, np.int64)
    for i in range(n):
        begin[block[i] + 1] += 1
    for b in range(count):
        begin[b + 1] += begin[b]
    members, fill = np.empty(n, np.int32), begin[:-1].copy()
    for i in range(n):
        members[fill[block[i]]] = i
        fill[block[i]] += 1
    return begin, members
