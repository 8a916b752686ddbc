"""A judge that is wrong about one object, and the few answers of people that tell."""

import numpy as np

import ofakind as ok
from ofakind.priors.judged import judged_graph
from ofakind.priors.pair_map import learn_map
from ofakind.priors.start import start_of
from twins.featured import some_answers

N = 8
SAID = ok.Answers.none(N).adding(np.asarray(ok.Pairs.all(N)), np.full(N * (N - 1) // 2, 0.8), "model")
NEAR = judged_graph(SAID, None)  # "same", it says of every pair, and all are candidates
TRUTH = np.minimum(np.arange(N), 1)  # but object 0 is alone,
ASKED = ok.Pairs.all(4)  # as people say of some pairs
ANSWERS = some_answers(TRUTH, np.asarray(ASKED))
OPEN = ok.Pairs.of([0, 1], [4, 4])  # two that nobody answered: one with object 0, one without


def rows_of(near, pairs):
    """The features of some candidates."""
    places = {pair: row for row, pair in enumerate(near.pairs)}
    return near.features[[places[pair] for pair in pairs]]


def known_map():
    """The map that these answers teach."""
    ratios, offsets = 4.0 * ANSWERS.values, np.zeros(len(ASKED))
    return learn_map(NEAR.names, start_of(NEAR), rows_of(NEAR, ASKED), offsets, ratios, (ASKED, N))
