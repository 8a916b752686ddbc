"""How much errors are correlated, by looking at every two pairs."""

from itertools import combinations
from math import sqrt


def correlation(answers, labels):
    """Deviations for one partition; ``answers`` are (u, v, value, annotator)."""
    told = [(u, v, value, who) for u, v, value, who in answers if value != 0]

    def same(u, v):
        return labels[u] == labels[v]

    def alike(one, other):
        return (
            one[3] == other[3]
            and same(*one[:2]) == same(*other[:2])
            and int(5 * abs(one[2])) == int(5 * abs(other[2]))
        )

    def wrong(answer):
        return (answer[2] > 0) != same(*answer[:2])

    x, y = {}, {}
    for answer in told:
        group = [wrong(other) for other in told if alike(answer, other)]
        share, pair = sum(group) / len(group), frozenset(answer[:2])
        x[pair] = x.get(pair, 0) + wrong(answer) - share
        y[pair] = y.get(pair, 0) + sqrt(share * (1 - share))
    together = by_chance = 0.0
    for one, other in combinations(x, 2):
        common = one & other
        if common and len({labels[each] for each in (one | other) - common}) == 1:
            together += x[one] * x[other]
            by_chance += (y[one] * y[other]) ** 2
    return together / sqrt(1 + by_chance)
