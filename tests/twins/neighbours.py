"""Searches for neighbours as their definitions read: one row after another, every product in full."""


def product(row, other):
    """Dot product of two sparse rows, dictionaries from column to weight."""
    return sum(weight * other[column] for column, weight in row.items() if column in other)


def best(scores, count):
    """Keys of the largest scores, the smaller key first where they are equal."""
    return sorted(scores, key=lambda key: (-scores[key], key))[:count]


def read_within_budget(rows, i, entries, columns):
    """Columns of row i, from the left, each with the rows that are read of it."""
    used = 0
    for place, column in enumerate(sorted(rows[i])):
        having = [j for j, row in enumerate(rows) if column in row]
        if place >= columns and used + len(having) > entries:
            return
        if len(having) > entries:
            start = having.index(i)
            having = [*having[start:], *having[:start]][:entries]
        used += len(having)
        yield column, having


def nearest_rows(rows, k, *, entries, columns, candidates):
    """The k nearest of each row among its candidates: those with the largest sums over the columns read."""
    found = []
    for i, row in enumerate(rows):
        sums = {}
        for column, having in read_within_budget(rows, i, entries, columns):
            for j in having:
                sums[j] = sums.get(j, 0) + row[column] * rows[j][column]
        sums.pop(i, None)
        found.append(best({j: product(row, rows[j]) for j in best(sums, candidates)}, k))
    return found


def centred(vectors):
    """Vectors less their mean."""
    mean = [sum(column) / len(vectors) for column in zip(*vectors, strict=True)]
    if len(vectors) == 1:
        return vectors
    return [[x - m for x, m in zip(vector, mean, strict=True)] for vector in vectors]


def nearest_vectors(vectors, k):
    """The k nearest of each vector by cosine; vectors of zeros have none and are none."""
    lengths = [sum(x * x for x in vector) ** 0.5 for vector in vectors]
    found = []
    for i, one in enumerate(vectors):
        cosines = {
            j: sum(x * y for x, y in zip(one, other, strict=True)) / lengths[i] / lengths[j]
            for j, other in enumerate(vectors)
            if i != j and lengths[i] > 0 and lengths[j] > 0
        }
        found.append(best(cosines, k))
    return found


def standing(pairs, values):
    """Best value at each end of each pair, and rank there: how many larger values the end has, and one."""
    own = {}
    for (u, v), value in zip(pairs, values, strict=True):
        own.setdefault(u, set()).add(value)
        own.setdefault(v, set()).add(value)
    for pair, value in zip(pairs, values, strict=True):
        yield [max(own[end]) for end in pair], [sum(x > value for x in own[end]) + 1 for end in pair]
