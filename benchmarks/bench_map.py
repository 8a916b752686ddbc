"""The map: a step of its layout against the plain twin, which looks at all pairs; whole maps; growth."""

import os

import numpy as np

from benchmarks.common import Row, cpu_seconds, exponent, peak_memory_mb, twin
from ofakind.kernels.graph.csr import symmetric_csr
from ofakind.kernels.graph.discs import draw_together, push_apart
from ofakind.posterior.base import Abilities
from ofakind.priors.base import sorted_pairs
from ofakind.project.layout import disc_radius
from ofakind.project.object_map import MapBelief, ObjectMap, map_of

GROUP, LINKS = 6, 3  # objects of a group on average, and links of a group to groups near it


def run() -> list[Row]:
    a_map(made_up(300))  # compiles
    growth = [whole_map(n) for n in (6_250, 12_500, 25_000, 50_000)]
    growth[-1]["exponent"] = exponent([row["n"] for row in growth], [row["ours_s"] for row in growth])
    real = [historical()] if os.environ.get("OFAKIND_DATA") else []
    return [one_step(2_000), *growth, again(50_000), *real]


def one_step(n: int) -> Row:
    """Links draw once, and discs are pushed apart once: the same places."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 2 * GROUP, n)
    radius = disc_radius(sizes)
    places, mass = rng.uniform(-1, 1, (n, 2)) * 2 * np.sqrt((radius**2).sum()), radius**2
    ends = np.unique(np.sort(rng.integers(n, size=(LINKS * n, 2))), axis=0)
    ends = ends[ends[:, 0] < ends[:, 1]]
    indptr, indices, row = symmetric_csr(n, ends[:, 0], ends[:, 1])
    weights = rng.random(len(ends))[row]
    near = {i: [(int(indices[p]), weights[p]) for p in range(indptr[i], indptr[i + 1])] for i in range(n)}

    def ours() -> tuple[np.typing.NDArray[np.float64], float]:
        found = places.copy()
        draw_together(found, mass, (indptr, indices, weights), 5.0, 0.5, np.random.default_rng(1))
        return found, push_apart(found, radius)

    def plain() -> list[list[float]]:
        plain_rng, kernels = np.random.default_rng(1), twin("discs")
        drawn = kernels.draw_together(places.tolist(), mass.tolist(), near, 5.0, 0.5, plain_rng)
        return list(kernels.push_apart(drawn, radius.tolist())[0])

    ours()
    ours_s, (found, _) = cpu_seconds(ours, repeats=5)
    twin_s, expected = cpu_seconds(plain)
    note = f"largest difference {np.abs(found - np.array(expected)).max():.0e}"
    what = "a step of the layout, twin"
    return {"what": what, "n": n, "ours_s": ours_s, "twin_s": twin_s, "ratio": twin_s / ours_s, "note": note}


def whole_map(n: int) -> Row:
    belief = made_up(n)
    seconds, found = cpu_seconds(lambda: a_map(belief))
    note = f"{len(np.unique(found.groups)):,} groups, {shown_nearness(belief, found.places)}"
    return {"what": "a map", "n": n, "ours_s": seconds, "peak_mb": peak_memory_mb(), "note": note}


def again(n: int) -> Row:
    """One object goes to another group."""
    belief = made_up(n)
    before = a_map(belief)
    groups = belief.groups.copy()
    groups[0] = groups[-1]
    seconds, after = cpu_seconds(lambda: map_of(belief._replace(groups=groups), before, 0))
    moved = np.hypot(*(after.places - before.places).T)
    note = f"{np.count_nonzero(moved > 0.5)} objects move by more than half their width"
    return {"what": "a map that follows another", "n": n, "ours_s": seconds, "note": note}


def historical() -> Row:
    """Historical persons in their true groups, with the candidates of their records as links."""
    from ofakind.datasets import load
    from ofakind.priors.neighbours import Neighbours

    data = load("historical_50k")
    pairs = Neighbours.from_records([dict(row) for row in data.records or ()]).pairs
    likely = pairs, np.full(len(pairs), 0.3)
    belief = MapBelief(1, np.asarray(data.labels, np.int64), None, Abilities(likely=likely))
    seconds, found = cpu_seconds(lambda: a_map(belief))
    note = f"{len(np.unique(found.groups)):,} groups, {shown_nearness(belief, found.places)}"
    return {"what": "a map of historical persons", "n": len(found), "ours_s": seconds, "note": note}


def a_map(belief: MapBelief) -> ObjectMap:
    return map_of(belief, None, 0)


def made_up(n: int) -> MapBelief:
    """Groups of six on average, each with candidates in some groups of its neighbourhood."""
    rng = np.random.default_rng([0, n])
    groups = rng.permutation(np.sort(rng.integers(max(n // GROUP, 1), size=n)))
    order = np.argsort(groups, kind="stable")
    near = rng.integers(0, n, LINKS * n // GROUP)
    other = np.clip(near + rng.integers(-20 * GROUP, 20 * GROUP, len(near)), 0, n - 1)
    u, v = order[near], order[other]
    pairs = sorted_pairs(u, v, n)
    return MapBelief(1, groups, None, Abilities(likely=(pairs, np.full(len(pairs), 0.5))))


def shown_nearness(belief: MapBelief, places: np.typing.NDArray[np.float64]) -> str:
    """How much nearer candidates lie than pairs by chance: a ratio of medians."""
    likely = belief.abilities.likely
    assert likely is not None
    rng, pairs = np.random.default_rng(0), likely[0]
    u, v = rng.integers(len(places), size=(2, 10_000))
    between = belief.groups[pairs.u] != belief.groups[pairs.v]
    linked = np.hypot(*(places[pairs.u[between]] - places[pairs.v[between]]).T)
    return f"links {np.median(np.hypot(*(places[u] - places[v]).T)) / np.median(linked):.1f} times shorter"
