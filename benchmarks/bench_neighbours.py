"""Candidate graphs: searches by text and by vectors, against plain twins and scikit-learn; growth with n."""

from typing import Any

import numpy as np

from benchmarks.common import Row, cpu_seconds, exponent, peak_memory_mb, twin
from ofakind.arrays import Ints
from ofakind.priors import text, vectors
from ofakind.priors.neighbours import Neighbours

SYLLABLES = [
    "ka",
    "lo",
    "mi",
    "ber",
    "son",
    "ton",
    "ria",
    "den",
    "vu",
    "sta",
    "hel",
    "mar",
    "ny",
    "gro",
    "pel",
]
LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz "))
K, WIDTH = 10, 64


def run() -> list[Row]:
    Neighbours.from_records(made_up_records(50))  # compiles
    vectors.nearest_vectors(unit_vectors(50), K)
    growth = [whole_graph(n) for n in (5_000, 10_000, 20_000, 40_000)]
    growth[-1]["exponent"] = exponent([row["n"] for row in growth], [row["ours_s"] for row in growth])
    return [
        text_against_twin(500),
        text_against_brute_force(10_000),
        vectors_against_twin(500),
        vectors_against_brute_force(10_000),
        cells_against_exact(60_000),
        *growth,
    ]


def text_against_twin(n: int) -> Row:
    """The same budget; nearly the same neighbours, for sums of single precision may tie or not."""
    matrix = text.letter_counts(made_up_texts(n))
    rules = {name: getattr(text.TEXTS, name) for name in ("entries", "columns", "candidates")}
    rows = [
        dict(zip(matrix[i].indices.tolist(), matrix[i].data.tolist(), strict=True))
        for i in range(len_of(matrix))
    ]
    ours_s, found = cpu_seconds(lambda: text.nearest_texts(matrix, K), repeats=5)
    twin_s, expected = cpu_seconds(lambda: twin("neighbours").nearest_rows(rows, K, **rules))
    return compared("neighbours by text, twin", n, (ours_s, twin_s), shared(found, expected))


def text_against_brute_force(n: int) -> Row:
    from sklearn.neighbors import NearestNeighbors

    matrix = text.letter_counts(made_up_texts(n))
    ours_s, found = cpu_seconds(lambda: text.nearest_texts(matrix, K))
    brute = NearestNeighbors(n_neighbors=K + 1, algorithm="brute", metric="cosine").fit(matrix)
    theirs_s, exact = cpu_seconds(lambda: without_itself(brute.kneighbors(matrix, return_distance=False)))
    return compared("neighbours by text, scikit-learn, exact", n, (ours_s, theirs_s), shared(found, exact))


def vectors_against_twin(n: int) -> Row:
    unit = unit_vectors(n)
    ours_s, found = cpu_seconds(lambda: vectors.nearest_vectors(unit, K), repeats=5)
    twin_s, expected = cpu_seconds(lambda: twin("neighbours").nearest_vectors(unit.tolist(), K))
    return compared("neighbours by vectors, twin", n, (ours_s, twin_s), shared(found, expected))


def vectors_against_brute_force(n: int) -> Row:
    from sklearn.neighbors import NearestNeighbors

    unit = unit_vectors(n)
    ours_s, found = cpu_seconds(lambda: vectors.nearest_vectors(unit, K))
    brute = NearestNeighbors(n_neighbors=K + 1, algorithm="brute", metric="cosine").fit(unit)
    theirs_s, exact = cpu_seconds(lambda: without_itself(brute.kneighbors(unit, return_distance=False)))
    return compared("neighbours by vectors, scikit-learn, exact", n, (ours_s, theirs_s), shared(found, exact))


def cells_against_exact(n: int) -> Row:
    """The search in cells, which begins at 50,000 vectors, against our exact one for some of the objects."""
    unit, some = unit_vectors(n), np.arange(0, n, 10)
    ours_s, found = cpu_seconds(lambda: vectors.nearest_vectors(unit, K))
    exact_s, exact = cpu_seconds(lambda: vectors._among_all(unit, some, K))  # noqa: SLF001
    return compared(
        "neighbours by vectors in cells, exact", n, (ours_s, 10 * exact_s), shared(found[some], exact)
    )


def whole_graph(n: int) -> Row:
    """Records to pairs and features."""
    seconds, near = cpu_seconds(lambda: Neighbours.from_records(made_up_records(n)))
    note = f"{len(near.pairs) / n:.1f} pairs an object"
    return {"what": "graph of records", "n": n, "ours_s": seconds, "peak_mb": peak_memory_mb(), "note": note}


def compared(what: str, n: int, seconds: tuple[float, float], recall: float) -> Row:
    ours_s, theirs_s = seconds
    row = {"what": what, "n": n, "ours_s": ours_s, "twin_s": theirs_s, "ratio": theirs_s / ours_s}
    return row | {"note": f"recall {recall:.3f}"}


def shared(found: Ints, exact: Any) -> float:
    """Share of the exact neighbours that were found."""
    hits = [
        len(set(a) & set(b)) / max(len(b), 1) for a, b in zip(found.tolist(), map(list, exact), strict=True)
    ]
    return float(np.mean(hits))


def without_itself(rows: Ints) -> list[list[int]]:
    return [[j for j in row if j != i][:K] for i, row in enumerate(rows.tolist())]


def len_of(matrix: Any) -> int:
    return int(matrix.shape[0])


def made_up_records(n: int) -> list[dict[str, str]]:
    """People, three records of each on average, with typing errors and gaps."""
    return made_up_people(n)[0]


def made_up_people(n: int) -> tuple[list[dict[str, str]], Ints]:
    """Records as above, and whose each of them is."""
    rng = np.random.default_rng([0, n])
    people = [person(rng) for _ in range(max(n // 3, 1))]
    who = rng.integers(len(people), size=n)
    return [spoiled(people[i], rng) for i in who], who


def person(rng: np.random.Generator) -> dict[str, str]:
    words = ["".join(rng.choice(SYLLABLES, rng.integers(2, 4))) for _ in range(4)]
    born = f"{rng.integers(1900, 2000)}-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}"
    street = f"{words[2]} street {rng.integers(1, 200)}"
    return {"given": words[0], "surname": words[1], "street": street, "town": words[3], "born": born}


def spoiled(record: dict[str, str], rng: np.random.Generator) -> dict[str, str]:
    """A copy with one letter wrong in some fields, and others empty."""
    copy = dict(record)
    for name, value in record.items():
        kind, at = rng.random(), int(rng.integers(len(value)))
        if kind < 0.1:
            copy[name] = ""
        elif kind < 0.4:
            copy[name] = value[:at] + str(rng.choice(LETTERS)) + value[at + 1 :]
    return copy


def made_up_texts(n: int) -> list[str]:
    return list(dict.fromkeys(" ".join(record.values()) for record in made_up_records(n)))


def unit_vectors(n: int) -> Any:
    """Groups of twenty on average, which overlap."""
    rng = np.random.default_rng([1, n])
    centres = rng.normal(size=(max(n // 20, 1), WIDTH))
    return vectors.read_vectors(centres[rng.integers(len(centres), size=n)] + rng.normal(size=(n, WIDTH)))
