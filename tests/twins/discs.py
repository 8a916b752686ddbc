"""The plain twin of the layout's kernels: loops over all pairs of discs, in the order that the text says."""

import math


def linkage_order(n, edges):
    """Lines of vertices, joined end to end; the one with the smaller first vertex comes first."""
    lines = {i: [i] for i in range(n)}
    home = list(range(n))
    for u, v in edges:
        a, b = sorted((home[u], home[v]))
        if a != b:
            lines[a] += lines.pop(b)
            for i in lines[a]:
                home[i] = a
    return [i for first in sorted(lines) for i in lines[first]]


def draw_together(places, mass, edges, unit, rate, rng):
    """One step; edges are {vertex: [(other, weight), ...]}, others in order. Returns the new places."""
    p = [list(one) for one in places]

    def move(i, j, step):
        share = 2 * mass[j] / (mass[i] + mass[j])
        for axis in range(2):
            far = rate * unit * min(max(step[axis], -4.0), 4.0)
            p[i][axis] += share * far
            p[j][axis] -= (2 - share) * far

    for i in range(len(p)):
        for j, weight in edges.get(i, []):
            d = [(p[i][axis] - p[j][axis]) / unit for axis in range(2)]
            pull = -weight / (1 + d[0] ** 2 + d[1] ** 2)
            move(i, j, [pull * one for one in d])
        held = sum(weight for _, weight in edges.get(i, [])) / 2
        for _ in range(5 if held else 0):
            j = min(int(rng.random() * len(p)), len(p) - 1)
            if j != i:
                d = [(p[i][axis] - p[j][axis]) / unit for axis in range(2)]
                square = d[0] ** 2 + d[1] ** 2
                push = held / ((0.01 + square) * (1 + square))
                move(i, j, [push * one for one in d])
    return p


def push_apart(places, radius):
    """Look at all pairs. Returns the new places and the greatest overlap there was."""
    moved, worst = [[0.0, 0.0] for _ in places], 0.0
    for j in range(len(places)):
        for i in range(j):
            dx, dy = (places[i][axis] - places[j][axis] for axis in range(2))
            distance = math.hypot(dx, dy)
            deep = radius[i] + radius[j] - distance
            if deep <= 0:
                continue
            if distance < 1e-9:
                dx, dy, distance = math.cos(2.4 * i + j), math.sin(2.4 * i + j), 1.0
            share = radius[j] ** 2 / (radius[i] ** 2 + radius[j] ** 2)
            for axis, part in enumerate((dx / distance, dy / distance)):
                moved[i][axis] += 0.8 * deep * share * part
                moved[j][axis] -= 0.8 * deep * (1 - share) * part
            worst = max(worst, deep)
    return [[x + mx, y + my] for (x, y), (mx, my) in zip(places, moved, strict=True)], worst
