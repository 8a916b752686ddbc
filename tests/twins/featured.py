"""Made-up objects with features that go with their groups: vectors around centres, and names with typos."""

import numpy as np

import ofakind as ok
from ofakind.posterior.forest.candidate_graph import CandidateGraph
from ofakind.posterior.forest.loop import ForestProblem
from ofakind.posterior.partition.answer_graph import AnswerGraph

SYLLABLES = [
    "ba",
    "ko",
    "mi",
    "tur",
    "sel",
    "ni",
    "gra",
    "pol",
    "ve",
    "dan",
    "ru",
    "fa",
    "lem",
    "os",
    "ti",
    "ha",
]


def vectors(groups, size, *, spread=0.3, seed=0, dimensions=5):
    """The true group of each object, in random order, and a vector around the centre of its group."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(groups), size))
    centres = rng.normal(size=(groups, dimensions))
    return truth, centres[truth] + spread * rng.normal(size=(len(truth), dimensions))


def names(groups, size, *, seed=0):
    """The true group of each object, and its name, in which a letter may be wrong or missing."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(groups), size))
    right = [" ".join("".join(rng.choice(SYLLABLES, 3)) for _ in range(2)) for _ in range(groups)]
    found = []
    for group in truth:
        letters = list(right[group])
        if rng.random() < 0.7:
            letters[rng.integers(len(letters))] = rng.choice(["", "e", "x"])
        found.append("".join(letters))
    return truth, found


def near_vectors(groups, size, **options):
    """The true groups and the candidate graph of the vectors."""
    truth, found = vectors(groups, size, **options)
    return truth, ok.Neighbours.from_vectors(found)


def right(truth, pairs):
    """What somebody answers who knows: 1 or -1."""
    u, v = np.asarray(pairs).reshape(-1, 2).T
    return np.where(truth[u] == truth[v], 1.0, -1.0)


def some_answers(truth, pairs, *, wrong=0.0, seed=0):
    """Answers to these pairs as a learner keeps them, some of them wrong."""
    given = right(truth, pairs)
    given[np.random.default_rng(seed).random(len(given)) < wrong] *= -1
    asked = ok.Pairs.from_array(np.asarray(pairs).reshape(-1, 2))
    return ok.Answers.none(len(truth)).adding(asked, given, None, asked=asked)


def problem_of(answers, near, pins=None):
    """What a round is given."""
    return ForestProblem.of(AnswerGraph.of(answers, pins=pins), CandidateGraph.of(near, pins), 1)
