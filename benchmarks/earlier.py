"""How long a round takes by an earlier revision of the code, and by the present one.

python -m benchmarks.earlier c1af4ec           a quarter of an hour on an idle machine
python -m benchmarks.earlier c1af4ec --runs 1 --objects 1000

A round is what `ask` and a look at the groups take after 0.6 n answers, from 3 n answers on: 1,000, 5,000 and
10,000 objects in 10, 20 and 50 clusters, 40 % of the answers random, on one core and on two. The earlier
revision is checked out into a temporary folder. Both run in processes of their own, in turn, and elapsed
seconds are compared, so nothing else should run on the machine.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.common import ROOT, machine

CLUSTERS = {1_000: 10, 5_000: 20, 10_000: 50}  # of so many objects
ONE_SIZE = """
import json, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
from ofakind.acquire.information.score import InformationGain
from ofakind.engine.learner import ActiveClustering
from ofakind.oracles.noisy import NoisyOracle
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.solve.consensus import Consensus

def rounds(n, clusters, jobs, count):
    oracle = NoisyOracle(np.arange(n) % clusters, gamma=0.4, seed=1)
    parts = {"acquisition": InformationGain(), "solver": Consensus(), "belief": PartitionBelief(n_jobs=jobs)}
    learner, size, found = ActiveClustering(n, **parts, seed=0), round(0.6 * n), []
    pairs = learner.ask()
    learner.tell(pairs, oracle(pairs))
    while learner.n_answers < 3 * n:
        pairs = learner.ask(size)
        learner.tell(pairs, oracle(pairs))
    for _ in range(count):
        begin = time.perf_counter()
        pairs = learner.ask(size)
        learner.labels
        found.append(time.perf_counter() - begin)
        learner.tell(pairs, oracle(pairs))
    return float(np.mean(found))

n, clusters, jobs = map(int, sys.argv[1:])
rounds(200, 6, jobs, 2)  # whatever is compiled, is
print(json.dumps(rounds(n, clusters, jobs, 4)))
"""


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description="Seconds a round, by an earlier revision and by this one.")
    parser.add_argument("revision", help="the earlier revision, as git names it")
    parser.add_argument("--runs", type=int, default=2, help="runs of each, in turn (2)")
    parser.add_argument("--objects", type=int, nargs="+", default=list(CLUSTERS), choices=list(CLUSTERS))
    given = parser.parse_args(arguments)
    print("  ".join(f"{key} {value}" for key, value in machine().items()))
    with tempfile.TemporaryDirectory() as folder:
        earlier = Path(folder) / "earlier"
        git("worktree", "add", "--detach", "--quiet", str(earlier), given.revision)
        try:
            for n in given.objects:
                for jobs in (1, 2):
                    print(compared(earlier, n, jobs, given.runs), flush=True)
        finally:
            git("worktree", "remove", "--force", str(earlier))


def compared(earlier: Path, n: int, jobs: int, runs: int) -> str:
    """Seconds of a round of either revision in every run, and the ratio of their means."""
    found = [[seconds(folder, n, jobs) for folder in (earlier, ROOT)] for _ in range(runs)]
    before, now = np.array(found).T
    lists = [" and ".join(f"{one:.2f}" for one in each) for each in (before, now)]
    ratio = before.mean() / now.mean()
    return f"{n:>6,} objects, {jobs} jobs: earlier {lists[0]}, now {lists[1]}: {ratio:.1f} times as fast"


def seconds(folder: Path, n: int, jobs: int) -> float:
    """Mean elapsed seconds of a round, by the code in this folder, in a process of its own."""
    command = [sys.executable, "-c", ONE_SIZE, str(n), str(CLUSTERS[n]), str(jobs)]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"the code in {folder} failed:\n{done.stderr[-2000:]}")
    return float(json.loads(done.stdout.splitlines()[-1]))


def git(*arguments: str) -> None:
    """Run git in this repository, or stop with what it says."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"git {' '.join(arguments)}: {done.stderr.strip()}")


if __name__ == "__main__":
    main(sys.argv[1:])
