"""Which pairs were never compared: no chain of candidates, answers and pins leads from one to the other."""

import numpy as np

from ofakind.answers import Answers
from ofakind.pairs import Pairs, count_pairs
from ofakind.pins import Pins


def never_compared(candidates: Pairs, answers: Answers, pins: Pins | None = None) -> int:
    """Count the pairs that no chain of candidates, answered pairs and pinned pairs connects.

    Features say nothing of them, nobody was asked about them, and nothing follows for them from others: a
    belief with features takes them to be different. O((candidates + answers + n) log n).

    >>> asked = Answers.none(5).adding([(0, 1)], [-1])
    >>> never_compared(Pairs.of([1], [2]), asked)  # 0, 1 and 2 are connected
    7
    """
    from ofakind.kernels.graph.union_find import spanning_forest

    n, pinned = answers.n, Pairs.empty() if pins is None else pins.pairs
    u = np.concatenate([candidates.u, answers.u, pinned.u])
    v = np.concatenate([candidates.v, answers.v, pinned.v])
    sizes = np.bincount(spanning_forest(n, u, v)[1], minlength=1)
    return count_pairs(n) - int((sizes * (sizes - 1) // 2).sum())
