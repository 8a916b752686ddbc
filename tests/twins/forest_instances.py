"""Small priors of trees with answers: random ones, and the corner cases."""

from typing import NamedTuple

import numpy as np

from ofakind.kernels.graph.csr import Graph, symmetric_csr
from ofakind.kernels.partition.forest import TreePrior, tree_prior


class Instance(NamedTuple):
    """The same as arrays for kernels and as (n, n) matrices; f has the background in it."""

    prior: TreePrior
    answers: Graph
    f: np.ndarray
    w: np.ndarray
    resolution: float = 0.0


INSTANCES = {
    "candidates": {"density": 0.6},
    "background": {"density": 0.5, "f_bg": 0.3},
    "little background": {"density": 0.4, "f_bg": 0.02},
    "background only": {"density": 0.0, "f_bg": 0.8},
    "no answers": {"density": 0.7, "f_bg": 0.1, "answered": 0.0},
    "complete": {"density": 1.0},
    "star": {"star": True, "f_bg": 0.01},
    "an object alone": {"density": 0.8, "alone": True},
    "huge and tiny": {"density": 0.7, "f_bg": 1e-9, "spread": 12.0},
    "huge answers": {"density": 0.5, "f_bg": 0.1, "scale": 30.0},
    "weights of 0": {"density": 1.0, "zeros": 0.5},
    "ruled out": {"density": 0.8, "f_bg": 0.2, "apart": 0.3},
}
RESOLVED = {  # of which the moves' twins know nothing
    "resolution": {"density": 0.7, "f_bg": 0.1, "resolution": 0.1},
    "negative resolution": {"density": 1.0, "spread": 1.0, "resolution": -0.2},
}


def instance(name, n, seed, *, apart=0.0):
    options = (INSTANCES | RESOLVED)[name]
    return made(n, np.random.default_rng([seed, n]), **{"apart": apart, **options})


def made(
    n,
    rng,
    *,
    density=0.6,
    f_bg=0.0,
    answered=0.6,
    spread=0.5,
    scale=1.0,
    apart=0.0,
    zeros=0.0,
    star=False,
    alone=False,
    resolution=0.0,
):
    """Random candidates and answers; ``spread`` is that of log10 f, ``apart`` the share of w = -inf."""
    u, v = np.triu_indices(n, 1)
    linked = (u == 0) if star else rng.random(len(u)) < density
    asked, weights = rng.random(len(u)) < answered, 10 ** rng.uniform(-spread, spread, len(u))
    if alone:
        linked, asked = linked & (v != n - 1), asked & (v != n - 1)
    weights[rng.random(len(u)) < zeros] = 0.0
    w = np.where(asked, rng.normal(0.2, 1.2, len(u)) * scale, 0.0)
    w[asked & (rng.random(len(u)) < apart)] = -np.inf
    f, full = np.full((n, n), float(f_bg)), np.zeros((n, n))
    f[u, v] = f[v, u] = f_bg + np.where(linked, weights, 0.0)
    full[u, v] = full[v, u] = w
    prior = tree_prior(graph_of(n, u[linked], v[linked], weights[linked]), f_bg, resolution)
    return Instance(prior, graph_of(n, u[asked], v[asked], w[asked]), f, full, resolution)


def graph_of(n, u, v, values):
    indptr, indices, pair = symmetric_csr(n, u, v)
    return Graph(indptr, indices, values[pair])
