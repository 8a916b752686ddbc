"""What a judge is said to have saved, beside what it did save: digits, 300 objects, simulated judges.

python -m benchmarks.judge_savings good random      needs OFAKIND_DATA; two minutes

A person with 2 % errors answers 300 questions in batches of 30 beside each judge, and 2,400 alone. What is
said of groups without the judge is compared with the person alone: wrong pairs after as many answers, and
answers until the ARI is what it is with the judge, twice in a row.
"""

import sys
import warnings
from typing import NamedTuple

import numpy as np

from ofakind.arrays import Ints
from ofakind.clustering import adjusted_rand_index
from ofakind.engine.learner import ActiveClustering
from ofakind.oracles.noisy import FlippingOracle
from ofakind.project.judge_savings import JudgeSavings, savings_of
from ofakind.solve.consensus import wrong_pairs
from ofakind.study.judges import judge_of, let_judge_look
from ofakind.study.problem import objects_of, order_of
from ofakind.study.setting import Data

OBJECTS, BATCH, ERRORS, SEED = 300, 30, 0.02, 1
BESIDE, ALONE = 300, 2_400  # answers of a person


class Point(NamedTuple):
    """After so many answers: the true index, truly wrong pairs, and what is said of the savings."""

    answers: int
    ari: float
    wrong: int
    said: JudgeSavings


def course(truth: Ints, learner: ActiveClustering, budget: int) -> list[Point]:
    """Let a person answer, and look after every batch."""
    person, found = FlippingOracle(truth, share=ERRORS, seed=SEED), []
    while learner.n_answers < budget and len(pairs := learner.ask(BATCH)):
        learner.tell(pairs, person(pairs))
        labels, said = learner.labels, savings_of(learner, learner.accuracy, lacking=0)
        wrong = int(wrong_pairs(truth[None].astype(np.int32), labels)[0])
        found.append(Point(learner.n_answers, adjusted_rand_index(labels, truth), wrong, said))
    return found


def reached(alone: list[Point], ari: float) -> int | None:
    """Return after how many answers a person alone has this index, and still has it a batch later."""
    good = [point.ari >= ari for point in alone]
    stays = [one and (place + 1 == len(good) or good[place + 1]) for place, one in enumerate(good)]
    return next((point.answers for point, one in zip(alone, stays, strict=True) if one), None)


def main(kinds: list[str]) -> None:
    """Print a table for each judge."""
    warnings.simplefilter("ignore")
    data = Data("digits", budget=ALONE, objects=OBJECTS)
    truth = objects_of(data).labels[order_of(data, SEED, OBJECTS)]
    alone = course(truth, ActiveClustering(OBJECTS, seed=SEED), ALONE)
    for kind in kinds:
        learner = ActiveClustering(OBJECTS, seed=SEED)
        let_judge_look(learner, judge_of(data, SEED, kind))
        print(f"\n{kind} judge\n| answers | ARI | alone | wrong pairs | alone | more answers, alone | said |")
        print("| --: | --: | --: | --: | --: | --: | --- |")
        for point, other in zip(course(truth, learner, BESIDE), alone, strict=False):
            total = reached(alone, point.ari)
            more = "more than all" if total is None else f"{max(total - point.answers, 0):,}"
            numbers = f"{point.ari:.3f} | {other.ari:.3f} | {point.wrong:,} | {other.wrong:,}"
            print(f"| {point.answers} | {numbers} | {more} | {point.said} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["good", "random"])
