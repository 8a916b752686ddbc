"""Answers, and screens, to ARI 0.95 (or to pair F1 0.95 with features): screens against single pairs.

python -m benchmarks.screens ecoli restaurants     needs OFAKIND_DATA; --seeds N, --noise NAME, --json FILE
python -m benchmarks.screens --table FILE          prints the tables of docs/results/screens.md from it

Each row is a dataset with a kind of errors. The ways to ask:

| name | asks |
| --- | --- |
| pairs | single pairs, as many at a time as a learner asks by itself |
| pairs 8 | eight single pairs at a time, as many as a screen has |
| cut 4, cut 8 | the crude screen: the best object and its best partners of a list of 50 pairs for each |
| screen 4, screen 8 | `ask_screen` |

Errors by pair are "gamma 0.4" (Oracle 1) and "flips 0.1"; by screen, "misread 0.1": with probability 0.1 all
answers of a screen are turned round; and "overlooked 0.2": a match is not seen with probability 0.2, and
nothing else is wrong. The groups are looked at after every screen, or every batch of pairs.
"""

import argparse
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from ofakind.acquire.base import Scores
from ofakind.acquire.screens import cut_screen
from ofakind.arrays import Floats, Ints
from ofakind.clustering import adjusted_rand_index
from ofakind.datasets import load
from ofakind.engine.learner import ActiveClustering
from ofakind.files import write_whole
from ofakind.oracles.noisy import FlippingOracle, NoisyOracle
from ofakind.pairs import Pairs
from ofakind.posterior.forest.belief import FeatureBelief
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.priors.neighbours import Neighbours
from ofakind.study.measures import pair_f1

TARGET, LISTED = 0.95, 50
MOST = 30  # answers for each object after which a run without a prior is given up
BUDGET, IN_A_ROW = 400, 3  # answers of a run with a prior, whose F1 goes up and down: the target counts
# from the first of so many looks in a row
RECORDS = ("restaurants", "splink_fake_1000", "cora")
PICTURES = ("orl_faces",)
Ask = Callable[[ActiveClustering], Pairs]


def cut(size: int) -> Ask:
    """Cut a long list into one object and its best partners."""

    def ask(learner: ActiveClustering) -> Pairs:
        pairs = learner.ask(LISTED * size)
        if not len(pairs) or learner.last_batch is None:
            return pairs
        found = cut_screen(Scores(pairs, learner.last_batch.scores), size)
        learner.release()
        return found.pairs

    return ask


def screen(size: int) -> Ask:
    """Ask by screens."""
    return lambda learner: learner.ask_screen(size).pairs


WAYS: dict[str, Ask] = {
    "pairs": lambda learner: learner.ask(),
    "pairs 8": lambda learner: learner.ask(8),
    "cut 4": cut(4),
    "screen 4": screen(4),
    "cut 8": cut(8),
    "screen 8": screen(8),
}


@dataclass(frozen=True)
class Answering:
    """Somebody who answers a screen, or some pairs, with errors of one kind."""

    noise: str
    truth: Ints
    seed: int

    def people(self) -> Callable[[Pairs], Floats]:
        """Return a function from the pairs of a screen to answers."""
        kind, _, number = self.noise.partition(" ")
        share, truth, rng = float(number), self.truth, np.random.default_rng((self.seed, 77))
        if kind == "gamma":
            return NoisyOracle(truth, gamma=share, seed=self.seed)
        if kind == "flips":
            return FlippingOracle(truth, share=share, seed=self.seed)

        def right(pairs: Pairs) -> Floats:
            return np.where(truth[pairs.u] == truth[pairs.v], 1.0, -1.0)

        if kind == "misread":
            return lambda pairs: right(pairs) * (-1.0 if rng.random() < share else 1.0)
        if kind == "overlooked":
            return lambda pairs: np.where(rng.random(len(pairs)) < share, -1.0, right(pairs))
        raise ValueError(f"the errors are {self.noise!r}; expected gamma, flips, misread or overlooked")


@dataclass(frozen=True)
class Objects:
    """What is sorted: true groups, and what features say beforehand, if anything."""

    truth: Ints
    prior: Neighbours | None

    def learner(self, seed: int) -> ActiveClustering:
        """Return a learner of these objects."""
        n = len(self.truth)
        if self.prior is None:
            return ActiveClustering(n, belief=PartitionBelief(n_jobs=1), seed=seed)
        return ActiveClustering(n, prior=self.prior, belief=FeatureBelief(), seed=seed)

    def score(self, labels: Ints) -> float:
        """How right the groups are: ARI or, with a prior, F1 over pairs."""
        measured = adjusted_rand_index if self.prior is None else pair_f1
        return measured(labels, self.truth)


def objects_of(name: str, seed: int) -> Objects:
    """Load a dataset, its objects shuffled; "blobs K M" is K groups of M without features."""
    if name.startswith("blobs"):
        k, m = (int(part) for part in name.split("_")[1:])
        truth = np.random.default_rng(100 + seed).permutation(np.arange(k * m) % k)
        return Objects(truth, None)
    data = load(name)
    order = np.random.default_rng(100 + seed).permutation(data.n)
    prior = None
    if name in RECORDS:
        records = data.records or ()
        prior = Neighbours.from_records([dict(records[int(one)]) for one in order])
    if name in PICTURES:
        prior = Neighbours.from_vectors(np.asarray(data.features)[order])
    return Objects(np.asarray(data.labels)[order], prior)


def one_run(objects: Objects, ask: Ask, noise: str, seed: int) -> dict[str, float | None]:
    """Ask until the groups are right enough: answers, times that somebody was asked, and CPU seconds.

    With a prior, until the budget is spent: ``mean_f1`` is over all looks, ``f1`` that of the last one, and
    ``all_asks`` are the times that somebody was asked in all.
    """
    learner, people = objects.learner(seed), Answering(noise, objects.truth, seed).people()
    begin, seen, wanted = process_time(), list[tuple[int, float]](), IN_A_ROW if objects.prior else 1
    most = BUDGET if objects.prior else MOST * learner.n
    while len(pairs := ask(learner)):
        seen.append((learner.n_answers, objects.score(learner.labels)))
        if learner.n_answers >= most or (seen[-1][1] >= TARGET and not objects.prior):
            break
        learner.tell(pairs, people(pairs))
    good = [score >= TARGET for _, score in seen]
    row = next((row for row in range(len(seen)) if all(good[row : row + wanted])), None)
    enough = row is not None and row + wanted <= len(seen)
    found: dict[str, float | None] = {"answers": seen[row][0] if enough and row is not None else None}
    found |= {"asks": row if enough else None, "all_asks": len(seen) - 1}
    if objects.prior:
        found |= {"f1": round(seen[-1][1], 4), "mean_f1": round(float(np.mean([f for _, f in seen])), 4)}
    return found | {"seconds": round(process_time() - begin, 1)}


def rows(names: list[str], noises: list[str], ways: list[str], seeds: range) -> Iterator[dict[str, object]]:
    """Run everything, one row at a time."""
    for name in names:
        for noise in noises:
            for seed in seeds:
                objects = objects_of(name, seed)
                for way in ways:
                    row = {"dataset": name, "noise": noise, "seed": seed, "way": way}
                    yield row | one_run(objects, WAYS[way], noise, seed)


def tables(found: list[dict[str, Any]]) -> str:
    """Return two tables in Markdown: answers to the target without a prior; F1 in the end with one."""
    cells: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = {}
    for row in found:
        cells.setdefault((row["dataset"], row["noise"]), {}).setdefault(row["way"], []).append(row)
    head = f"| dataset | errors | seeds | {' | '.join(WAYS)} |\n| --- | --- | --: |{' --: |' * len(WAYS)}\n"
    parts = {False: head, True: head}
    for (name, noise), ways in cells.items():
        featured = any("f1" in row for rows in ways.values() for row in rows)
        begin = f"| {name.replace('_', ' ')} | {noise} | {max(len(rows) for rows in ways.values())} | "
        cell = _f1_cell if featured else _cell
        parts[featured] += f"{begin}{' | '.join(cell(way, ways.get(way, [])) for way in WAYS)} |\n"
    return "\n".join(parts.values())


def _cell(way: str, runs: list[dict[str, Any]]) -> str:
    """Mean answers, and in how many screens; empty where nothing was run, a dash where one failed."""
    if not runs or any(run["answers"] is None for run in runs):
        return "—" if runs else ""
    answers, asks = (np.mean([run[name] for run in runs]) for name in ("answers", "asks"))
    return f"{answers:,.0f}" if way.startswith("pairs") else f"{answers:,.0f} in {asks:,.0f}"


def _f1_cell(way: str, runs: list[dict[str, Any]]) -> str:
    """F1 in the end, and in how many screens."""
    if not runs:
        return ""
    f1, asks = (np.mean([run[name] for run in runs]) for name in ("f1", "all_asks"))
    return f"{f1:.3f}" if way.startswith("pairs") else f"{f1:.3f} in {asks:,.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("datasets", nargs="+", help="datasets; or files, with --table")
    parser.add_argument("--table", action="store_true", help="print tables from files, and run nothing")
    parser.add_argument("--noise", action="append", help='such as "gamma 0.4"; may stand there several times')
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.table:
        files = [json.loads(Path(name).read_text(encoding="utf-8")) for name in given.datasets]
        print(tables([row for file in files for row in file["rows"]]))
        return
    warnings.simplefilter("ignore")
    found = []
    for row in rows(given.datasets, given.noise or ["gamma 0.4"], given.ways.split(","), range(given.seeds)):
        print(json.dumps(row), flush=True)
        found.append(row)
        if given.json is not None:
            write_whole(given.json, json.dumps({"rows": found}, indent=1).encode())


if __name__ == "__main__":
    main()
