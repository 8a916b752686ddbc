"""The information of several answers by definition: every truth, every answer, every sample."""

from itertools import product
from math import log, prod


def joint_information_plainly(same, if_same, if_different):
    """Sum of P(x, y) log P(y | x) / P(y) over truths x and answers y; ``same`` is (pairs, samples).

    ``if_same`` and ``if_different`` are the probabilities of each kind of answer.
    """
    pairs, samples = len(same), len(same[0])
    both = {}
    for truth in product((0, 1), repeat=pairs):
        chance = sum(
            prod(same[c][s] if truth[c] else 1 - same[c][s] for c in range(pairs)) for s in range(samples)
        )
        for answer in product(range(len(if_same)), repeat=pairs):
            given = prod((if_same if x else if_different)[y] for x, y in zip(truth, answer, strict=True))
            both[truth, answer] = chance / samples, given
    said = {}
    for (_, answer), (chance, given) in both.items():
        said[answer] = said.get(answer, 0.0) + chance * given
    return sum(
        chance * given * log(given / said[answer])
        for (_, answer), (chance, given) in both.items()
        if chance * given > 0
    )
