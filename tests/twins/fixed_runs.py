"""Runs with fixed seeds, by family of methods, and the file that holds what came out of them.

The same comes out on every processor, to the last bit. After a change that is meant, raise the revision
(src/ofakind/study/revision.py; ours stands in src/ofakind/engine/revision.py) and run

    PYTHONPATH=tests .venv/bin/python -m twins.fixed_runs
"""

import hashlib
import json
import sys
import warnings
from dataclasses import astuple
from functools import partial
from pathlib import Path

import numpy as np

import ofakind as ok
from ofakind.rivals import COBRAS, KCFB, KCFC, NCOBRAS, QECC, TransitiveJoin, UncertaintySampling, restarts
from ofakind.study.cell import run_cell
from ofakind.study.revision import REVISIONS
from ofakind.study.spec import Answerer, Cell, Data, Method, PartSpec
from twins.featured import names, near_vectors
from twins.witness import Witness

RECORDS = Path(__file__).parents[1] / "study" / "revisions.json"
FIVES, THREES, MANY = np.arange(60) % 5, np.arange(45) // 3, np.arange(150) % 10


def digest(*parts):
    """A short hash of arrays, numbers and text."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
    return found.hexdigest()[:16]


def follow(learner, oracle, ask, rounds, people=(None,)):
    """Ask and tell for some rounds: digests of the questions, the labels, the accuracy and the document."""
    labels, accuracies = [], []
    for number in range(rounds):
        pairs = ask(learner)
        learner.tell(pairs, oracle(pairs), people[number % len(people)])
        labels.append(learner.labels)
        if hasattr(learner.solver, "from_samples"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ok.DependentErrorsWarning)  # a judge, before people decide
                accuracies.append(astuple(learner.accuracy))
    document = json.dumps(learner.to_document(), sort_keys=True)
    found = {"questions": (oracle.asked,), "labels": labels, "accuracy": accuracies, "document": (document,)}
    return {name: digest(*parts) for name, parts in found.items()}


def of_learner(truth=FIVES, *, gamma=0.2, rounds=6, size=None, screen=0, judge=None, people=(None,), **parts):
    """A learner of these parts, which asks so many at a time, or screens of so many."""
    n = len(truth)
    learner = ok.ActiveClustering(n, seed=3, initial=n, batch_size=size or n, **parts)
    if judge is not None:
        learner.tell_judge(*judge(truth), "it")

    def ask(learner):
        return learner.ask_screen(screen).pairs if screen else learner.ask()

    return follow(learner, Witness(truth, gamma, seed=3), ask, rounds, people)


def of_featured(truth, prior, **options):
    """A learner with features, which asks ten at a time."""
    return of_learner(truth, gamma=0.1, rounds=8, size=10, prior=prior, **options)


def of_vectors(groups=6, size=10, **options):
    """A learner with vectors as features."""
    return of_featured(*near_vectors(groups, size, spread=0.5), **options)


def of_names(groups=60, size=3):
    """A learner with names as features."""
    truth, texts = names(groups, size, seed=3)
    return of_featured(truth, ok.Neighbours.from_records(texts))


def hashed(truth):
    """Scores of a judge for a third of all pairs: right on the whole, and drawn by hashing."""
    pairs = ok.Pairs.all(len(truth))
    drawn = [hashlib.sha256(f"{u} {v}".encode()).digest() for u, v in pairs]
    looked_at = np.array([one[0] % 3 == 0 for one in drawn])
    doubt = np.array([one[1] / 128 for one in drawn])  # 0 to 2
    scores = np.where(truth[pairs.u] == truth[pairs.v], 0.9 - doubt, doubt - 0.9)
    return pairs.take(looked_at), np.clip(scores[looked_at], -0.9, 0.9)


def of_rival(rival):
    """Questions and labels of a rival with three budgets."""
    oracle = Witness(FIVES, 0.1, seed=3)
    features = np.random.default_rng(3).normal(size=(len(FIVES), 3)) + 3 * FIVES[:, None]
    known = {"features": features, "prior": ok.Neighbours.from_vectors(features)}
    runs = [*restarts(rival, len(FIVES), oracle, budgets=(60, 150, 300), seed=3, **known)]
    return {"questions": digest(oracle.asked), "labels": digest(*(run.labels for run in runs))}


def of_cell(use, *, prior=None, **others):
    """What a study would keep of a run."""
    data = Data("iris", 240, objects=40, first_batch=40, batch=40, prior=prior)
    method = Method("it", PartSpec(use), points=3, **others)
    cell = Cell(data, Answerer(gamma=0.2), method, seed=3, settled=9)
    rows, _, stopped = run_cell(cell)
    return {"rows": digest(json.dumps(rows, sort_keys=True), stopped)}


RUNS = {
    "ours": {
        "default": of_learner,
        "default, clusters of three": partial(of_learner, THREES, gamma=0.05),
        "Entropy of samples": partial(of_learner, acquisition=ok.Entropy(), belief=ok.PartitionBelief()),
        "in a study": partial(of_cell, "ofakind:InformationGain"),
        "features, vectors": of_vectors,
        "features, records": of_names,
        "many objects": partial(of_learner, MANY, rounds=4),
        "three people": partial(of_learner, gamma=0.3, people=("Ada", "Bo", "Cy")),
        "screens": partial(of_learner, rounds=20, screen=8),
        "a judge": partial(of_learner, judge=hashed),
        "features, screens": partial(of_vectors, screen=8),
        "features and a judge": partial(of_vectors, judge=hashed),
    },
    "paper": {
        "Uniform": partial(of_learner, acquisition=ok.Uniform()),
        "MaxMin": partial(of_learner, acquisition=ok.MaxMin()),
        "MaxExp": partial(of_learner, acquisition=ok.MaxExp()),
        "Entropy": partial(of_learner, acquisition=ok.Entropy()),
        "EIG-O": partial(of_learner, acquisition=ok.EIGO()),
        "JEIG": partial(of_learner, acquisition=ok.JEIG()),
        "Entropy by Multilevel": partial(
            of_learner, gamma=0.5, acquisition=ok.Entropy(), solver=ok.Multilevel()
        ),
        "in a study": partial(of_cell, "ofakind:Entropy"),
    },
    "rivals": {
        "QECC": partial(of_rival, QECC()),
        "QECC with positive pairs": partial(of_rival, QECC(positive_pair=True)),
        "KC-FB": partial(of_rival, KCFB()),
        "KC-FC": partial(of_rival, KCFC()),
        "COBRAS": partial(of_rival, COBRAS(n_init=2)),
        "nCOBRAS": partial(of_rival, NCOBRAS(n_init=2, time_limit=None)),
        "in a study": partial(of_cell, "ofakind.rivals:QECC"),
    },
    "graph rivals": {
        "TransitiveJoin": partial(of_rival, TransitiveJoin()),
        "UncertaintySampling": partial(of_rival, UncertaintySampling()),
    },
}


def found_now(family):
    """The revision of a family, and what its runs give."""
    return {"revision": REVISIONS[family], "digests": {name: run() for name, run in RUNS[family].items()}}


def read():
    return json.loads(RECORDS.read_text(encoding="utf-8"))


def updated(record, found):
    """What is to be recorded of a family; refused where the revision should be raised first."""
    known = record["digests"] if record is not None and record["revision"] == found["revision"] else {}
    if any(known.get(name, new) != new for name, new in found["digests"].items()):
        raise ValueError(f"other results with the same revision, {found['revision']}: raise it first")
    return found


def main():
    before = read() if RECORDS.exists() else {}
    try:
        records = {name: updated(before.get(name), found_now(name)) for name in RUNS}
    except ValueError as error:
        sys.exit(f"{RECORDS.name} stays as it is: {error} (see src/ofakind/study/revision.py)")
    RECORDS.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
