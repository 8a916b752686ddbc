"""nCOBRAS: time per question against the budget, and beside a plain list of all worlds at once."""

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from benchmarks.common import Row, cpu_seconds, peak_memory_mb, twin
from ofakind.clustering import adjusted_rand_index
from ofakind.oracles.noisy import NoisyOracle
from ofakind.rivals.base import Outcome
from ofakind.rivals.corroboration import Corroboration, relevant_answers
from ofakind.rivals.ncobras import NCOBRAS
from ofakind.rivals.worlds import Worlds

N, CLASSES = 1000, 10
BUDGETS, GAMMAS = (50, 100, 200, 500, 1000, 2000), (0.0, 0.2, 0.4)


def run() -> list[Row]:
    solved(100, 0.4)  # compiles
    rows = [per_question(budget, gamma) for gamma in GAMMAS for budget in BUDGETS]
    return [*rows, *(against_plain_list(answers) for answers in (50, 100, 200, 400))]


def per_question(budget: int, gamma: float) -> Row:
    """A whole run, k-means included, divided by the answers it used."""
    truth = data()[1]
    seconds, found = cpu_seconds(lambda: solved(budget, gamma))
    note = f"gamma {gamma}, ARI {adjusted_rand_index(found.labels, truth):.2f}"
    row = {"what": "nCOBRAS, per question", "n": N, "answers": found.n_answers, "note": note}
    return row | {"ours_s": seconds / found.n_answers, "peak_mb": peak_memory_mb()}


def against_plain_list(count: int) -> Row:
    """One more answer and the best question after it: by blocks, and by a list of all worlds to order 2."""
    asked, answers = questions_of_a_run(count)
    ours_s, (u, v), relevant = best_by_blocks(asked, answers)
    plain, n = twin("worlds"), 1 + max(map(max, asked))

    def theirs() -> dict[tuple[int, int], int]:
        found = plain.near(n, asked, answers, answers, 2)
        return plain.scores(n, asked, found, answers, relevant)  # type: ignore[no-any-return]

    twin_s, scores = cpu_seconds(theirs)
    assert scores[min(u, v), max(u, v)] == max(scores.values()), "ours is not one of the best questions"
    row = {"what": "one question of equal score", "n": N, "answers": count, "note": "gamma 0"}
    return row | {"ours_s": ours_s, "twin_s": twin_s, "ratio": twin_s / ours_s}


def questions_of_a_run(count: int) -> tuple[list[tuple[int, int]], list[int]]:
    """Pairs that a run without noise asks, objects numbered as they occur, and the answers."""
    oracle, asked, answers = NoisyOracle(data()[1], gamma=0), [], []
    number: dict[int, int] = {}

    def remembering(pairs: Any) -> Any:
        given = oracle(pairs)
        for (u, v), answer in zip(pairs, given, strict=True):
            asked.append((number.setdefault(u, len(number)), number.setdefault(v, len(number))))
            answers.append(int(answer))
        return given

    solved(count, 0.0, remembering)
    return asked, answers


def best_by_blocks(
    asked: list[tuple[int, int]], answers: list[int]
) -> tuple[float, tuple[int, int], list[int]]:
    worlds = Worlds()
    evidence, objects = Corroboration(worlds, 0.05), range(1 + max(map(max, asked)))
    for (u, v), answer in zip(asked, answers, strict=True):
        begin = process_time()
        worlds.tell(u, v, answer)
        relevant = relevant_answers(worlds, objects)
        question = evidence.question(evidence.doubts(relevant))
        seconds = process_time() - begin
    assert question is not None, "there must be doubts"
    return seconds, question, np.flatnonzero(relevant).tolist()


def solved(budget: int, gamma: float, oracle: Callable[[Any], Any] | None = None) -> Outcome:
    features, truth = data()
    answering = oracle or NoisyOracle(truth, gamma=gamma)
    rival = NCOBRAS(noise=max(gamma / 2, 0.05), time_limit=None)
    return rival(N, answering, budget=budget, rng=np.random.default_rng(0), features=features)


def data() -> tuple[Any, Any]:
    return make_classification(  # type: ignore[no-any-return]
        n_samples=N,
        n_features=10,
        n_informative=10,
        n_redundant=0,
        n_classes=CLASSES,
        n_clusters_per_class=1,
        class_sep=1.5,
        random_state=14,
    )
