"""Kinds of answers, what they are worth and how much one tells: plain loops over answers and definitions."""

import math
from collections import Counter, defaultdict
from itertools import pairwise

PRIOR_SLOPE, PRIOR_ANSWERS, COMMON_ANSWERS = 3, 50, 20
MISLEADING, PRIOR_PAIRS, MOST_MISLEADING, CLEARLY = 0.02, 20, 0.45, 20


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


def count(answers, looking_same, shapes, people, looking_different=None):
    """Tables [side][nobody, then each annotator][kind]; answers are (pair, who, kind, weight)."""
    tables, alone = [], {who for _, who, _, weight in answers if weight > 0}
    for side, shape in enumerate(shapes):
        tally = [[0.0] * len(shape) for _ in range(people + 1)]
        for pair, who, kind, weight in answers:
            rest = 1 - looking_same[pair] if looking_different is None else looking_different[pair]
            tally[who][kind] += weight * (looking_same[pair] if side == 0 else rest)
        everybody = [sum(column) for column in zip(*tally, strict=True)]
        common = shrunk(everybody, shape, PRIOR_ANSWERS)
        tables.append([common] + [shrunk(row, common, COMMON_ANSWERS) for row in tally[1:]])
        if len(alone) == 1:
            tables[side][min(alone)] = common
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


def fit(answers, sides, shapes, *, people, steps, fixed=None):
    """Tables, how often pairs mislead, the log-likelihood: so many steps of EM over the looks of each pair.

    ``sides`` says how much of each pair is of a kind, and how much is not.
    """
    tables, (d, e) = count(answers, sides[0], shapes, people, sides[1]), fixed or (MISLEADING, MISLEADING)
    size = sizes(answers)
    for _ in range(steps):
        looking, misled = ({}, {}), [MISLEADING * PRIOR_PAIRS] * 2
        for pair, (like, unlike) in likelihoods(answers, tables).items():
            same, different = sides[0][pair], sides[1][pair]
            if_same = (1 - d) * like / ((1 - d) * like + d * unlike)
            if_different = e * like / (e * like + (1 - e) * unlike)
            looking[0][pair] = same * if_same + different * if_different
            looking[1][pair] = same * (1 - if_same) + different * (1 - if_different)
            misled[0] += size[pair] * same * (1 - if_same)
            misled[1] += size[pair] * different * if_different
        tables = count(answers, looking[0], shapes, people, looking[1])
        every = [PRIOR_PAIRS + sum(size[pair] * side[pair] for pair in size) for side in sides]
        d, e = fixed or (min(MOST_MISLEADING, part / all_) for part, all_ in zip(misled, every, strict=True))
    likelihood = 0.0
    for pair, (like, unlike) in likelihoods(answers, tables).items():
        likelihood += size[pair] * sides[0][pair] * math.log((1 - d) * like + d * unlike)
        likelihood += size[pair] * sides[1][pair] * math.log(e * like + (1 - e) * unlike)
    return tables, (d, e), likelihood


def sizes(answers):
    """How much each pair counts: as much as its only answer, or once."""
    times = Counter(pair for pair, *_ in answers)
    return {pair: weight if times[pair] == 1 else 1 for pair, _, _, weight in answers}


def learn(answers, same, shapes, *, people, steps, known=None):
    """Tables, and how often pairs mislead, from pairs of known kinds and only if that is clearly likelier."""
    times = Counter(pair for pair, *_ in answers)
    every = tuple({pair: p if side == 0 else 1 - p for pair, p in enumerate(same)} for side in (0, 1))
    if sum(many > 1 for many in times.values()) < 30:
        return count(answers, same, shapes, people), (0.0, 0.0)
    telling = tuple(
        {pair: p * (1 if known is None else known[pair]) for pair, p in side.items()} for side in every
    )
    usual, options = (MISLEADING, MISLEADING), {"people": people, "steps": steps}
    _, learned, likelihood = fit(answers, telling, shapes, **options)
    clear = likelihood > fit(answers, telling, shapes, fixed=usual, **options)[2] + CLEARLY
    return fit(answers, every, shapes, fixed=learned if clear else usual, **options)[:2]


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
