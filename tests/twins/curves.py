"""Curves made up for tests: a hundred answers a round."""

import numpy as np

from ofakind.acquire.uniform import Uniform
from ofakind.cli.demo.race import RaceCurve, RacePoint


def curve(name, agreements):
    points = [
        RacePoint(100 * (i + 1), ari, k=3, seconds=0.5 * (i + 1), labels=np.array([0, 0, 1, 2]))
        for i, ari in enumerate(agreements)
    ]
    return RaceCurve(name, "some questions", Uniform(), points)
