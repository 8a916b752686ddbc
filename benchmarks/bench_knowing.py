"""What JEIG gains from what our method has: knowing which answers are random, and a better solver.

The demo's digits, questions in its batches. Answers to ARI 0.90 (and 0.95, in the file), means over three
seeds. With 40 % random answers a random one is never exactly 1 or -1; whoever is told so takes all others for
"I cannot tell". A flipped answer looks like any other, so that nothing can be told. Some minutes.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.common import Row
from ofakind.acquire.information.score import InformationGain
from ofakind.acquire.jeig import JEIG
from ofakind.arrays import Floats, Ints
from ofakind.cli.demo.race import Digits, RaceSettings
from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run as run_learner
from ofakind.oracles.base import Oracle
from ofakind.oracles.noisy import FlippingOracle, NoisyOracle
from ofakind.pairs import Pairs
from ofakind.posterior.mean_field.belief import MeanFieldBelief
from ofakind.solve.multilevel import Multilevel

DEMO = RaceSettings.of(600, None, 0.4, 0)
SEEDS, LEVELS, MOST = 3, (0.9, 0.95), 50_000
NOISES: dict[str, Callable[[Ints, int], Oracle]] = {
    "40 % random": lambda truth, seed: NoisyOracle(truth, DEMO.gamma, seed),
    "20 % flipped": lambda truth, seed: FlippingOracle(truth, 0.2, seed),
}
RECOGNISABLE = ("40 % random",)
OURS = partial(ActiveClustering, acquisition=InformationGain())
PUBLISHED = partial(ActiveClustering, acquisition=JEIG())
SOLVED = partial(ActiveClustering, acquisition=JEIG(), solver=Multilevel(), belief=MeanFieldBelief())


def run() -> list[Row]:
    rows = []
    for noise in NOISES:
        ours = measured("ours", noise, OURS)
        rows.append(ours)
        for told in ("", ", told which") if noise in RECOGNISABLE else ("",):
            rows.append(measured("JEIG", noise + told, PUBLISHED, ours))
            rows.append(measured("JEIG, Multilevel", noise + told, SOLVED, ours))
    return rows


def measured(method: str, noise: str, make: Callable[..., ActiveClustering], ours: Row | None = None) -> Row:
    """Mean answers to each level, None where not all seeds got there; ours as a share of the first."""
    runs = [answers_needed(noise, make, seed) for seed in range(SEEDS)]
    row: Row = {"what": f"{method}, {noise}", "n": DEMO.objects, "seeds": SEEDS}
    for level in LEVELS:
        needed = [reached[level] for reached in runs if level in reached]
        row[f"to_{level}"] = float(np.mean(needed)) if len(needed) == SEEDS else None
    if ours is not None and row["to_0.9"] is not None:
        row["share"] = ours["to_0.9"] / row["to_0.9"]
        row["note"] = f"ours needs {row['share']:.2f}"
    return row | {"answers": row["to_0.9"]}


def answers_needed(noise: str, make: Callable[..., ActiveClustering], seed: int) -> dict[float, int]:
    """Answers of one run after which it first had each ARI."""
    truth = Digits.load(DEMO.objects, seed).truth
    plain, _, told = noise.partition(", ")
    oracle, reached = NOISES[plain](truth, seed), dict[float, int]()
    learner = make(DEMO.objects, batch_size=DEMO.objects, seed=seed)
    for step in run_learner(learner, without_random(oracle) if told else oracle, MOST):
        for level in LEVELS:
            if step.ari(truth) >= level:
                reached.setdefault(level, step.n_answers)
        if LEVELS[-1] in reached:
            break
    return reached


def without_random(oracle: Oracle) -> Oracle:
    """Take the random answers of an oracle for "I cannot tell"."""

    def told(pairs: Pairs) -> Floats:
        answers = np.asarray(oracle(pairs))
        return np.where(np.abs(answers) < 1, 0.0, answers)

    return told
