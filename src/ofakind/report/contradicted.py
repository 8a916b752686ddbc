"""Chains that the answers contradict: they are left out of what is said about a posterior.

Chains of a belief with features differ in how much links count, so that they disagree, and ask, about what
is in question. One that counts them too much takes whole groups for one, answer after answer: it asks good
questions, but what it believes is not to be reported.
"""

from dataclasses import dataclass, replace

import numpy as np

from ofakind.arrays import Floats
from ofakind.posterior.forest.samples import ForestSamples


@dataclass(frozen=True, slots=True)
class ContradictedRules:
    """When a chain is left out; chosen on digits, 5 % errors."""

    nats: float = 10.0  # by which answers must speak more for another chain
    fewest: int = 2  # chains that stay, whatever the answers say


CONTRADICTED = ContradictedRules()


def uncontradicted(samples: ForestSamples) -> ForestSamples:
    """Return it without the samples of chains that the answers contradict; the best two stay always."""
    chains, number = np.unique(samples.chain, return_inverse=True)
    spoken = np.bincount(number, spoken_for(samples)) / np.bincount(number)
    places = np.argsort(np.argsort(-spoken, kind="stable"), kind="stable")
    stays = (spoken >= spoken.max() - CONTRADICTED.nats) | (places < CONTRADICTED.fewest)
    if len(chains) == stays.sum():
        return samples
    rows = stays[number]
    kept = samples.labels[rows], samples.parents[rows], samples.chain[rows]
    return replace(samples, labels=kept[0], parents=kept[1], chain=kept[2])


def spoken_for(samples: ForestSamples) -> Floats:
    """Return by how many nats the answers speak for each sample: their evidence inside its groups."""
    answers, pins = samples.graph, samples.pins
    labels = samples.labels if pins is None else samples.labels[:, pins.first]
    first = np.repeat(np.arange(labels.shape[1]), np.diff(answers.indptr))
    upper = first < answers.indices
    u, v = first[upper], answers.indices[upper]
    evidence = np.nan_to_num(answers.S[upper], neginf=-1e12)  # of pins: no sample has them, and 0 inf is no 0
    return np.asarray((labels[:, u] == labels[:, v]) @ evidence, np.float64)
