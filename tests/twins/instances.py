"""Small similarities to try things on: random ones, and the corner cases."""

import numpy as np
from hypothesis import strategies as st

from ofakind.similarity import Similarity


def all_pairs(n, value):
    u, v = np.triu_indices(n, 1)
    return Similarity.from_pairs(n, u, v, np.full(len(u), value))


def blocks(sizes):
    """Every pair asked and answered truly; and the truth."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    u, v = np.triu_indices(len(truth), 1)
    return Similarity.from_pairs(len(truth), u, v, np.where(truth[u] == truth[v], 1.0, -1.0)), truth


def noisy(n, pairs, *, clusters=10, gamma=0.4, rng):
    """Uniform pairs of balanced clusters, each answer replaced by noise with probability gamma."""
    truth = np.arange(n) % clusters
    u, v = rng.integers(n, size=(2, pairs))
    u, v = u[u != v], v[u != v]
    answers = np.where(truth[u] == truth[v], 1.0, -1.0)
    noise = rng.uniform(-1, 1, len(u))
    return Similarity.from_pairs(n, u, v, np.where(rng.random(len(u)) < gamma, noise, answers))


CORNERS = {
    "no objects": Similarity.from_pairs(0, [], [], []),
    "one object": Similarity.from_pairs(1, [], [], []),
    "two strangers": Similarity.from_pairs(2, [], [], []),
    "two alike": all_pairs(2, 1.0),
    "two unlike": all_pairs(2, -1.0),
    "two undecided": all_pairs(2, 0.0),
    "no answers": Similarity.from_pairs(7, [], [], []),
    "all alike": all_pairs(7, 1.0),
    "all unlike": all_pairs(7, -1.0),
    "all undecided": all_pairs(7, 0.0),
    "one unlike pair in a chain": Similarity.from_pairs(4, [0, 1, 0], [1, 2, 2], [1.0, 0.5, -0.8]),
}

ANSWERS = {
    "signs": st.sampled_from([-1.0, 1.0]),
    "steps": st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]),
    "thirds": st.sampled_from([-1.0, -1 / 3, 1 / 3, 2 / 3]),
    "reals": st.floats(-1, 1, allow_subnormal=False).map(lambda value: round(value, 6)),
}


@st.composite
def similarities(draw, max_objects=8):
    """Up to max_objects objects, any subset of the pairs, answers of one kind."""
    n = draw(st.integers(0, max_objects))
    kind = ANSWERS[draw(st.sampled_from(sorted(ANSWERS)))]
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    asked = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    values = draw(st.lists(kind, min_size=len(asked), max_size=len(asked)))
    return Similarity.from_pairs(n, [u for u, _ in asked], [v for _, v in asked], values)
