"""How the plain answers to our questions can be read: the usual solvers in the place of `Consensus`.

300 of the demo's digits, 40 % of the answers random, 3,600 answers: the ARI then, mean over ten seeds. About
a minute.
"""

from functools import partial

import numpy as np

from benchmarks.common import GAMMA, Row
from ofakind.acquire.information.score import InformationGain
from ofakind.cli.demo.race import Digits
from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run as run_learner
from ofakind.oracles.noisy import NoisyOracle
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.solve.base import Solver
from ofakind.solve.consensus import Consensus
from ofakind.solve.local_search import LocalSearch
from ofakind.solve.multilevel import Multilevel

OBJECTS, ANSWERS, SEEDS = 300, 3_600, 10
SOLVERS: tuple[Solver, ...] = (LocalSearch(), Multilevel(), Consensus())


def run() -> list[Row]:
    return [measured(solver) for solver in SOLVERS]


def measured(solver: Solver) -> Row:
    """Mean ARI of the groups that a solver finds, beside the samples that choose the questions."""
    found = [ari(solver, seed) for seed in range(SEEDS)]
    mean, least = float(np.mean(found)), min(found)
    row: Row = {"what": type(solver).__name__, "n": OBJECTS, "answers": ANSWERS, "seeds": SEEDS}
    return row | {"ari": mean, "least": least, "note": f"ARI {mean:.2f}, at least {least:.2f}"}


def ari(solver: Solver, seed: int) -> float:
    """ARI after one run."""
    truth = Digits.load(OBJECTS, seed).truth
    ours = partial(ActiveClustering, acquisition=InformationGain(), belief=PartitionBelief())
    learner = ours(OBJECTS, solver=solver, seed=seed)
    *_, last = run_learner(learner, NoisyOracle(truth, GAMMA, seed), ANSWERS)
    return last.ari(truth)
