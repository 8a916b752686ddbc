"""Which pairs to ask: peers that know features and the number of clusters; JEIG, which knows neither.

All get the same answers, yes or no: the signs of Oracle 1's, so that at gamma 0.4 a fifth of them is wrong.
"""

import signal
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import product
from multiprocessing import get_context
from time import process_time
from types import FrameType

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Row
from benchmarks.peers.markdown import BUDGETS, GAMMAS
from benchmarks.peers.strategies import STRATEGIES, Features, Strategy, YesNo, cluster
from ofakind.clustering import adjusted_rand_index
from ofakind.datasets import Dataset, load
from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run as ask_and_tell
from ofakind.errors import OfakindError
from ofakind.oracles.base import Oracle
from ofakind.oracles.noisy import NoisyOracle
from ofakind.pairs import Pairs

OBJECTS = 200  # at most, of each table: more only takes the peers longer
SEEDS = 2
LIMIT_S = 8
OURS = "ofakind JEIG"


def run() -> list[Row]:
    rows: list[Row] = []
    known = list(tables())
    for data in known:
        print(f"strategies: {OURS}, {data}", flush=True)
        rows += ours(data)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for name, found in zip(STRATEGIES, pool.map(partial(theirs, known), STRATEGIES), strict=True):
            print(f"strategies: {name}, {sum(row.get('cpu_s', 0) for row in found):.0f} s", flush=True)
            rows += found
    return rows


def tables() -> Iterator[Dataset]:
    for name in ("iris", "digits", "ecoli", "user_knowledge"):
        try:
            data = load(name, variant="all")
        except OfakindError as error:
            print(f"strategies: {name} is left out: {error}")
            continue
        chosen = np.random.default_rng(0).permutation(data.n)[:OBJECTS]
        yield data.take(np.sort(chosen))


def yes_or_no(data: Dataset, gamma: float, seed: int) -> Oracle:
    oracle = NoisyOracle(data.labels, gamma=gamma, seed=seed)

    def answer(pairs: Pairs) -> NDArray[np.float64]:
        return np.where(oracle(pairs) > 0, 1.0, -1.0)

    return answer


def ours(data: Dataset) -> Iterator[Row]:
    """One run through all budgets for each gamma and seed."""
    for gamma, seed in product(GAMMAS, range(SEEDS)):
        learner, oracle = ActiveClustering(data.n, seed=seed), yes_or_no(data, gamma, seed)
        begin = process_time()
        for budget, share in BUDGETS.items():
            for _ in ask_and_tell(learner, oracle, budget=round(share * data.n)):
                pass
            ari = adjusted_rand_index(learner.labels, data.labels)
            row = {"table": data.name, "gamma": gamma, "method": OURS, "budget": budget, "seed": seed}
            yield row | {"asked": learner.n_answers, "ari": ari, "cpu_s": process_time() - begin}


def theirs(known: list[Dataset], name: str) -> list[Row]:
    """Run a strategy for each table, gamma, seed and budget, but never with more than was too slow before.

    The tables come smallest first. A run that has questions left stands for those with more.
    """
    rows: list[Row] = []
    too_slow = float("inf")
    for data, gamma, seed in product(known, GAMMAS, range(SEEDS)):
        found: Row = {}
        for budget, share in BUDGETS.items():
            if share >= too_slow:
                found = {"failed": "time", "note": "asking: as many or fewer were over the limit before"}
            elif not found.get("left"):
                found = attempt(data, STRATEGIES[name], gamma, seed, round(share * data.n))
                too_slow = share if found.get("slow") == "asking" else too_slow
            row = {"table": data.name, "gamma": gamma, "method": name, "budget": budget, "seed": seed}
            rows.append(row | found)
    return rows


def attempt(data: Dataset, strategy: Strategy, gamma: float, seed: int, size: int) -> Row:
    """Ask and cluster within the limit: the ARI, or what went wrong."""
    features, questions = standardised(data), YesNo(yes_or_no(data, gamma, seed), size)
    np.random.seed(seed)  # noqa: NPY002  (the peers draw from the global state)
    begin, stage, found = process_time(), "asking", Row()
    try:
        with warnings.catch_warnings(action="ignore"), cpu_limit(LIMIT_S):
            links = strategy(features, data.k, questions)
            stage = "clustering"
            labels = cluster(features, data.k, links)
        found["ari"] = adjusted_rand_index(labels, data.labels)
    except TimeoutError as error:
        found |= {"failed": "time", "slow": stage, "note": f"{stage}: {error}"}
    except Exception as error:
        if stage == "asking" and 0 < questions.queries < size:
            # Some stumble when no object is left to ask about; with one question less they end before.
            found = attempt(data, strategy, gamma, seed, questions.queries - 1)
            return found | {"left": size - found["asked"], "note": f"with more questions: {error!r}"}
        found |= {"failed": type(error).__name__, "note": f"{stage}: {error}"}
    asked = questions.queries
    return found | {"asked": asked, "left": size - asked, "cpu_s": process_time() - begin}


def standardised(data: Dataset) -> Features:
    from sklearn.preprocessing import StandardScaler

    return np.asarray(StandardScaler().fit_transform(data.features))


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """TimeoutError once this process has computed for so long, again each second in case it is swallowed."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"over {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
