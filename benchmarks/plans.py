"""Plans before the first answer, against the questions that it then took.

python -m benchmarks.plans restaurants febrl1      needs OFAKIND_DATA; without names, all sets of records

The plan is what `ofakind new` prints. Then a learner with the same features is asked ten questions at a time
and told the truth, until the wrong pairs are 1 % of those by chance (an ARI of 0.99), or `MOST` were asked.
"""

import sys
import warnings

import numpy as np

from ofakind.clustering import adjusted_rand_index
from ofakind.datasets import load
from ofakind.engine.learner import ActiveClustering
from ofakind.priors.neighbours import Neighbours
from ofakind.project.plan import planned

SETS = ("restaurants", "febrl1", "febrl3", "splink_fake_1000", "cora", "affiliations")
MOST, BATCH, TARGET = 800, 10, 0.01


def needed(near: Neighbours, truth: np.ndarray) -> int | None:
    """Ask until the groups are right enough; None if that takes too long."""
    learner, asked = ActiveClustering(near.n, prior=near), 0
    while adjusted_rand_index(truth, learner.labels) < 1 - TARGET:
        pairs = learner.ask(BATCH)
        if asked >= MOST or not len(pairs):
            return None
        learner.tell(pairs, np.where(truth[pairs.u] == truth[pairs.v], 1.0, -1.0))
        asked += len(pairs)
    return asked


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    print("| set | plan | it took |")
    print("| --- | --- | --: |")
    for name in names or SETS:
        data = load(name)
        near = Neighbours.from_records(list(data.records or ()))
        found = needed(near, np.asarray(data.labels))
        took = f"more than {MOST}" if found is None else f"{found:,}"
        print(f"| {name} | {planned(near, TARGET)} | {took} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
