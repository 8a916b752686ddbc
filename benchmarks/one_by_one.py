"""Answers to ARI 0.95 by the number of answers at a time: one, ten, 0.1 n, and what a learner asks by itself.

python -m benchmarks.one_by_one ecoli synthetic      needs OFAKIND_DATA; without names, four datasets: an hour

Oracle 1 with 40 % random answers, and 10 % of the answers flipped; three seeds, the objects shuffled. The
groups are looked at after every answer, or every batch. CPU seconds are of one thread.
"""

import sys
import warnings
from collections.abc import Callable
from time import process_time
from typing import NamedTuple

import numpy as np

from ofakind.clustering import adjusted_rand_index
from ofakind.datasets import load
from ofakind.engine.learner import ActiveClustering
from ofakind.oracles.base import Oracle
from ofakind.oracles.noisy import FlippingOracle, NoisyOracle
from ofakind.posterior.partition.belief import PartitionBelief

DATASETS = ("ecoli", "user_knowledge", "forest_type_mapping", "synthetic")
SEEDS, TARGET, MOST = (0, 1, 2), 0.95, 40  # answers for each object, after which a run is given up
SIZES: dict[str, Callable[[int], int | None]] = {
    "1": lambda _: 1,
    "10": lambda _: 10,
    "0.1 n": lambda n: round(0.1 * n),
    "by itself": lambda _: None,
}
ORACLES: dict[str, Callable[[np.ndarray, int], Oracle]] = {
    "gamma 0.4": lambda truth, seed: NoisyOracle(truth, gamma=0.4, seed=seed),
    "flips 0.1": lambda truth, seed: FlippingOracle(truth, share=0.1, seed=seed),
}


class Ran(NamedTuple):
    """Answers that a run took to the target, and milliseconds of the processor for each question."""

    answers: float
    milliseconds: float


def one_run(truth: np.ndarray, oracle: Oracle, size: int | None, seed: int) -> Ran:
    """Ask until the groups are right enough."""
    learner = ActiveClustering(len(truth), belief=PartitionBelief(n_jobs=1), seed=seed)
    begin, asks = process_time(), 0
    while learner.n_answers < MOST * len(truth) and len(pairs := learner.ask(size)):
        asks += 1
        if adjusted_rand_index(learner.labels, truth) >= TARGET:
            return Ran(learner.n_answers, 1000 * (process_time() - begin) / asks)
        learner.tell(pairs, oracle(pairs))
    return Ran(float("nan"), 1000 * (process_time() - begin) / max(asks, 1))


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    print(f"| dataset | answers | {' | '.join(SIZES)} | ms a question, one at a time |")
    print(f"| --- | --- |{' --: |' * (len(SIZES) + 1)}")
    for name in names or DATASETS:
        truth = np.asarray(load(name).labels)
        for kind, made in ORACLES.items():
            found = {}
            for what, size in SIZES.items():
                runs = []
                for seed in SEEDS:
                    order = np.random.default_rng(100 + seed).permutation(len(truth))
                    runs.append(one_run(truth[order], made(truth[order], seed), size(len(truth)), seed))
                found[what] = Ran(*np.mean(runs, axis=0))
            cells = " | ".join(f"{ran.answers:,.0f}" for ran in found.values())
            print(f"| {name} | {kind} | {cells} | {found['1'].milliseconds:.0f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
