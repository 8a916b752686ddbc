"""What judges cost or save beside features: pairs of runs with a judge and without.

python -m benchmarks.judge_cost newsgroups5 random shuffled good      needs OFAKIND_DATA; three minutes each

300 objects, a person with 2 % errors, batches of at most 30. Answers to an index of 0.9 and 0.95 for six
orders of the objects and three seeds of the learner each: so few answers are needed there that one run says
little.
"""

import sys
import warnings

import numpy as np

from ofakind.arrays import Ints
from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run
from ofakind.study.features import graph_of
from ofakind.study.judges import judge_of, let_judge_look
from ofakind.study.problem import prepare
from ofakind.study.setting import Answerer, Data

ORDERS, SEEDS = range(6), range(100, 103)
TARGETS, BUDGET = (0.9, 0.95), 400


def answers_needed(data: Data, order: int, seed: int, judge: str | None) -> Ints:
    """Return after how many answers each target is first reached, the budget if it is not; at least 1."""
    problem = prepare(data, Answerer("flip", share=0.02), order)
    learner = ActiveClustering(
        len(problem.truth), initial=0, batch_size=30, prior=graph_of(data, order, "own"), seed=seed
    )
    if judge is not None:
        let_judge_look(learner, judge_of(data, order, judge))
    found = np.full(len(TARGETS), BUDGET)
    for step in run(learner, problem.oracle, BUDGET):
        reached = step.ari(problem.truth) >= np.array(TARGETS)
        found = np.where(reached, np.minimum(found, step.n_answers), found)
        if reached.all():
            break
    return np.asarray(np.maximum(found, 1))


def compare(name: str, judge: str) -> None:
    """Print the ratios of all pairs, and their geometric mean with its standard error."""
    data, logs = Data(name, budget=BUDGET, objects=300, shuffle=True, prior="vectors"), []
    for order in ORDERS:
        for seed in SEEDS:
            without, judged = (answers_needed(data, order, seed, each) for each in (None, judge))
            logs.append(np.log(judged / without))
            print(f"order {order}, seed {seed}: {without} without, {judged} with {judge}", flush=True)
    means, errors = np.mean(logs, axis=0), np.std(logs, axis=0, ddof=1) / np.sqrt(len(logs))
    for target, mean, error in zip(TARGETS, means, errors, strict=True):
        times, low, high = np.exp([mean, mean - error, mean + error])
        print(f"{name}, {judge}, to {target}: {times:.2f} times as many with it ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for each in sys.argv[2:] or ["random"]:
        compare(sys.argv[1], each)
