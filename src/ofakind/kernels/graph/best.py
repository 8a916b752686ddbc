"""The best few of many rows, whatever the order in which they come: a heap with the worst of them on top."""

from typing import Any

from numpy.typing import NDArray

from ofakind.kernels.compiled import compiled

Array = NDArray[Any]


@compiled
def worse(score: float, row: int, other_score: float, other_row: int) -> bool:
    """Whether a row comes after another: a lower score or, where scores are equal, a larger number."""
    return score < other_score or (score == other_score and row > other_row)


@compiled
def keep_best(scores: Array, rows: Array, size: int, score: float, row: int) -> int:
    """Put a row into a heap of ``size`` if it is among the ``len(scores)`` best; returns the new size."""
    if size < len(scores):
        at = size
        while at > 0 and worse(score, row, scores[(at - 1) // 2], rows[(at - 1) // 2]):
            scores[at], rows[at] = scores[(at - 1) // 2], rows[(at - 1) // 2]
            at = (at - 1) // 2
        scores[at], rows[at] = score, row
        return size + 1
    if size == 0 or not worse(scores[0], rows[0], score, row):
        return size
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and worse(scores[below + 1], rows[below + 1], scores[below], rows[below]):
            below += 1
        if not worse(scores[below], rows[below], score, row):
            break
        scores[at], rows[at] = scores[below], rows[below]
        at = below
    scores[at], rows[at] = score, row
    return size


@compiled
def best_first(scores: Array, rows: Array, size: int) -> None:
    """Sort the first ``size`` rows, best first, in place."""
    for place in range(1, size):
        score, row, at = scores[place], rows[place], place
        while at > 0 and worse(scores[at - 1], rows[at - 1], score, row):
            scores[at], rows[at] = scores[at - 1], rows[at - 1]
            at -= 1
        scores[at], rows[at] = score, row


@compiled
def keep_best_of_block(
    products: Array, queries: Array, places: Array, members: Array, heaps: tuple[Array, Array, Array]
) -> None:
    """Put members into the heaps of some queries: row a of the products is that of ``queries[places[a]]``.

    ``heaps`` are scores, rows and sizes, a row for each query. A query is no neighbour of itself.
    """
    scores, rows, sizes = heaps
    most = scores.shape[1]
    for a in range(len(places)):
        at = places[a]
        for b in range(len(members)):
            score = products[a, b]
            if (sizes[at] < most or score >= scores[at, 0]) and members[b] != queries[at]:
                sizes[at] = keep_best(scores[at], rows[at], sizes[at], score, members[b])
