"""Kinds of answers, what they are worth and how much one tells: plain loops over answers and definitions."""

import math
from collections import Counter, defaultdict
from itertools import pairwise

PRIOR_SLOPE, PRIOR_ANSWERS, COMMON_ANSWERS = 3, 50, 20
MISLEADING, PRIOR_PAIRS, MOST_MISLEADING = 0.02, 20, 0.45


def kinds(values):
    """Atoms, and the inner cuts between the magnitudes of all other values."""
    times, many = Counter(values), len(values)
    own = {v for v in times if times[v] >= max(5, 0.01 * many) or v in (-1, 0, 1)}
    atoms = sorted({abs(v) for v in own} | {-abs(v) for v in own}) if many else [-1, 1]
    rest = sorted(abs(v) for v in values if v not in atoms)
    ranges = min(5, max(2, len(rest) // 40))
    inner = set()
    for part in range(1, ranges):
        for below, above in pairwise(rest):
            reached = sum(value <= below for value in rest) / len(rest)
            if below < above and reached >= part / ranges:
                inner.add(above)
                break
    return atoms, sorted(inner), rest


def kind_of(value, atoms, inner, rest):
    """Name of the kind that a value falls into: an atom, or a sign and the number of a range."""
    if value in atoms:
        return value
    if not rest:
        return min(atoms, key=lambda atom: (abs(atom - value), -atom))
    return math.copysign(1, value), sum(abs(value) >= cut for cut in inner)


def prior(values, kind, centres):
    """Probability of each kind if same and if different, before anything is learned."""
    seen = Counter(kind(value) for value in values) + Counter(kind(-value) for value in values)
    tables = []
    for sign in (1, -1):
        raw = [(seen[k] + 1) * math.exp(sign * PRIOR_SLOPE / 2 * centre) for k, centre in enumerate(centres)]
        tables.append([weight / sum(raw) for weight in raw])
    return tables


def count(answers, looking_same, shapes, people):
    """Tables [side][nobody, then each annotator][kind]; answers are (pair, who, kind, weight)."""
    tables = []
    for side, shape in enumerate(shapes):
        tally = [[0.0] * len(shape) for _ in range(people + 1)]
        for pair, who, kind, weight in answers:
            tally[who][kind] += weight * (looking_same[pair] if side == 0 else 1 - looking_same[pair])
        everybody = [sum(column) for column in zip(*tally, strict=True)]
        common = shrunk(everybody, shape, PRIOR_ANSWERS)
        tables.append([common] + [shrunk(row, common, COMMON_ANSWERS) for row in tally[1:]])
    return tables


def shrunk(counts, mean, strength):
    return [(k + strength * m) / (sum(counts) + strength) for k, m in zip(counts, mean, strict=True)]


def likelihoods(answers, tables):
    """Probability of all answers to each pair if it looks the same, and if it looks different."""
    product = defaultdict(lambda: [1.0, 1.0])
    for pair, who, kind, _ in answers:
        for side in (0, 1):
            product[pair][side] *= tables[side][who][kind]
    return product


def learn(answers, same, shapes, *, people, steps):
    """Tables and how often pairs mislead: so many steps of EM over the looks of each pair."""
    tables, d, e = count(answers, same, shapes, people), 0.0, 0.0
    times = Counter(pair for pair, *_ in answers)
    several = [pair for pair in times if times[pair] > 1]
    if len(several) < 30:
        return tables, (d, e)
    d = e = MISLEADING
    for _ in range(steps):
        if_same, if_different = {}, {}
        for pair, (like, unlike) in likelihoods(answers, tables).items():
            if_same[pair] = (1 - d) * like / ((1 - d) * like + d * unlike)
            if_different[pair] = e * like / (e * like + (1 - e) * unlike)
        d = sum(same[pair] * (1 - if_same[pair]) for pair in several) + MISLEADING * PRIOR_PAIRS
        d = min(MOST_MISLEADING, d / (sum(same[pair] for pair in several) + PRIOR_PAIRS))
        e = sum((1 - same[pair]) * if_different[pair] for pair in several) + MISLEADING * PRIOR_PAIRS
        e = min(MOST_MISLEADING, e / (sum(1 - same[pair] for pair in several) + PRIOR_PAIRS))
        looks = {p: same[p] * if_same[p] + (1 - same[p]) * if_different[p] for p in times}
        tables = count(answers, looks, shapes, people)
    return tables, (d, e)


def pair_weights(answers, tables, misleading):
    """Log ratio of the probabilities of all answers to each pair if same and if different, within 7."""
    d, e = misleading
    product = likelihoods(answers, tables)
    ratios = []
    for pair in sorted(product):
        like, unlike = product[pair]
        ratio = math.log(((1 - d) * like + d * unlike) / (e * like + (1 - e) * unlike))
        ratios.append(max(-7, min(7, ratio)))
    return ratios


def information(p, same, different):
    """Entropy of "same" less its expected entropy after one more answer."""

    def entropy(chance):
        return -sum(x * math.log(x) for x in (chance, 1 - chance) if x > 0)

    after = 0.0
    for if_same, if_different in zip(same, different, strict=True):
        either = p * if_same + (1 - p) * if_different
        after += either * entropy(p * if_same / either)
    return entropy(p) - after
