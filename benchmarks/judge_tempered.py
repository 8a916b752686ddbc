"""A tempered reading of a judge against ours: would it be worth having as a third one under the guard?

python -m benchmarks.judge_tempered digits newsgroups5 mnist      needs OFAKIND_DATA; two minutes each

300 objects, a person with 2 % errors, seed 0. Tempered, a score s counts tau 3 s nats as an answer, and one
of a person 3: tau = 1 pools them, 0 leaves the judge out. A guard between readings can at best find the
better one, so the best tau in hindsight is the most that a tempered reading could give. Printed: answers to
ARI 0.95, the last ARI, and in which share of the rounds the upper limit of wrong pairs held.
"""

import sys
import warnings

import numpy as np

from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run
from ofakind.pairs import Pairs
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.study.judges import Judge, judge_of, let_judge_look, pool_answers
from ofakind.study.problem import StudyProblem, prepare
from ofakind.study.setting import Answerer, Data

JUDGES, TAUS = ("good", "poor", "flipped", "third", "shuffled"), (0.03, 0.1, 0.3, 1.0)
TARGET, BUDGET, SEED = 0.95, 1500, 0


def tempered(judge: Judge, tau: float) -> Judge:
    """Return a judge whose scores count for less."""
    return lambda pairs: tau * judge(pairs)


def wrong_pairs(labels: np.ndarray, truth: np.ndarray) -> int:
    """Count the pairs that are together in one partition only."""
    every = Pairs.all(len(truth))
    together = labels[every.u] == labels[every.v]
    return int((together != (truth[every.u] == truth[every.v])).sum())


def follow(learner: ActiveClustering, problem: StudyProblem, pooled: int) -> str:
    """Let a person answer until the target is reached; say after how many answers, and how it went."""
    held, ari, needed = [], 0.0, f"more than {BUDGET}"
    for step in run(learner, problem.oracle, BUDGET + pooled):
        ari = step.ari(problem.truth)
        high = learner.accuracy.wrong_pairs_interval[1]
        held.append(wrong_pairs(learner.labels, problem.truth) <= high)
        if ari >= TARGET:
            needed = str(step.n_answers - pooled)
            break
    return f"{needed} answers, ARI {ari:.3f}, limit held in {100 * np.mean(held):.0f} % of {len(held)} rounds"


def compare(name: str, kind: str) -> None:
    """Print what a person needs beside a judge, by our reading and by tempered ones."""
    data = Data(name, budget=BUDGET, objects=300, shuffle=True, prior="vectors")
    judge = judge_of(data, SEED, kind)

    def learner(belief: PartitionBelief) -> ActiveClustering:
        return ActiveClustering(300, initial=0, batch_size=30, belief=belief, repeats=2, seed=SEED)

    ours = learner(PartitionBelief())
    let_judge_look(ours, judge)
    problem = prepare(data, Answerer("flip", share=0.02), SEED)
    print(f"{name}, {kind}: ours {follow(ours, problem, 0)}", flush=True)
    for tau in TAUS:
        other = learner(PartitionBelief(calibrate=False))
        pooled = pool_answers(other, tempered(judge, tau))
        problem = prepare(data, Answerer("flip", share=0.02), SEED)
        print(f"{name}, {kind}: tau {tau} {follow(other, problem, pooled)}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for each in sys.argv[1:] or ["digits"]:
        for kind in JUDGES:
            compare(each, kind)
