"""Runs with fixed seeds, by family of methods, and the file that holds what came out of them.

After a change that is meant, raise the revision in src/ofakind/study/revision.py and run

    PYTHONPATH=tests .venv/bin/python -m twins.fixed_runs
"""

import hashlib
import json
import sys
from dataclasses import astuple
from functools import partial
from pathlib import Path

import numpy as np

import ofakind as ok
from ofakind.rivals import COBRAS, KCFB, KCFC, NCOBRAS, QECC, TransitiveJoin, UncertaintySampling, restarts
from ofakind.study.cell import run_cell
from ofakind.study.manifest import manifest
from ofakind.study.revision import REVISIONS
from ofakind.study.spec import Answerer, Cell, Data, Method, PartSpec
from twins.featured import names, near_vectors
from twins.machines import rounding
from twins.witness import Witness

RECORDS = Path(__file__).parents[1] / "study" / "revisions.json"
FIVES, THREES = np.arange(60) % 5, np.arange(45) // 3


def digest(*parts):
    """A short hash of arrays, numbers and text."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
    return found.hexdigest()[:16]


def of_learner(truth=FIVES, *, gamma=0.2, **parts):
    """Questions, labels and reported accuracy of a learner; the ARI of each round."""
    n, oracle = len(truth), Witness(truth, gamma, seed=3)
    learner = ok.ActiveClustering(n, seed=3, initial=n, batch_size=n, **parts)
    seen, aris = [], []
    for step in ok.run(learner, oracle, budget=6 * n):
        aris.append(step.ari(truth))
        seen.append(step.labels)
        if hasattr(learner.solver, "from_samples"):
            *said, never_compared = astuple(learner.accuracy)
            assert never_compared == 0  # without features; it came later than the records
            seen.append(tuple(said))
    return digest(oracle.asked, *seen), aris


def of_featured(truth, prior):
    """Questions, labels and reported accuracy of a learner with features; the ARI of each round."""
    oracle = Witness(truth, 0.1, seed=3)
    learner = ok.ActiveClustering(len(truth), prior=prior, seed=3, batch_size=10)
    seen, aris = [], []
    for step in ok.run(learner, oracle, budget=80):
        aris.append(step.ari(truth))
        seen += [step.labels, astuple(learner.accuracy)]
    return digest(oracle.asked, *seen), aris


def of_vectors():
    """A learner with vectors as features."""
    return of_featured(*near_vectors(6, 10, spread=0.5))


def of_names():
    """A learner with names as features."""
    truth, texts = names(60, 3, seed=3)
    return of_featured(truth, ok.Neighbours.from_records(texts))


def of_rival(rival):
    """Questions and labels of a rival with three budgets; the ARI with each."""
    oracle = Witness(FIVES, 0.1, seed=3)
    features = np.random.default_rng(3).normal(size=(len(FIVES), 3)) + 3 * FIVES[:, None]
    known = {"features": features, "prior": ok.Neighbours.from_vectors(features)}
    runs = [*restarts(rival, len(FIVES), oracle, budgets=(60, 150, 300), seed=3, **known)]
    aris = [ok.adjusted_rand_index(run.labels, FIVES) for run in runs]
    return digest(oracle.asked, *(run.labels for run in runs)), aris


def of_cell(use, *, prior=None, **others):
    """What a study would keep of a run."""
    data = Data("iris", 240, objects=40, first_batch=40, batch=40, prior=prior)
    method = Method("it", PartSpec(use), points=3, **others)
    cell = Cell(data, Answerer(gamma=0.2), method, seed=3, settled=9)
    rows, _, stopped = run_cell(cell)
    return digest(json.dumps(rows, sort_keys=True), stopped), [row["ari"] for row in rows]


RUNS = {
    "ours": {
        "default": of_learner,
        "default, clusters of three": partial(of_learner, THREES, gamma=0.05),
        "Entropy of samples": partial(of_learner, acquisition=ok.Entropy(), belief=ok.PartitionBelief()),
        "in a study": partial(of_cell, "ofakind:InformationGain"),
        "features, vectors": of_vectors,
        "features, records": of_names,
        "judges": partial(of_cell, "ofakind:InformationGain", judge="good+random"),
        "features and a judge": partial(
            of_cell, "ofakind:InformationGain", prior="vectors", features="own", judge="poor"
        ),
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
    """The revision of a family, and what its runs give on this machine: the mean ARI over a run, a digest."""
    outcomes = {name: run() for name, run in RUNS[family].items()}
    return {
        "revision": REVISIONS[family],
        "ari": {name: round(float(np.mean(aris)), 4) for name, (_, aris) in outcomes.items()},
        "digests": {name: found for name, (found, _) in outcomes.items()},
    }


def read():
    return json.loads(RECORDS.read_text(encoding="utf-8"))


def digests_here(record, machine):
    """What was recorded on a machine that rounds as this one, or None."""
    known = (entry["digests"] for entry in record["machines"] if entry["rounding"] == rounding(machine))
    return next(known, None)


def updated(record, found, machine):
    """The record of a family with what was found on this machine; refused where a revision should be raised.

    With another revision, or other runs, what other machines had recorded goes.
    """
    machines = [] if record is None or record["revision"] != found["revision"] else record["machines"]
    known = digests_here({"machines": machines}, machine) or {}
    if any(known.get(name, new) != new for name, new in found["digests"].items()):
        raise ValueError(f"other results with the same revision, {found['revision']}: raise it first")
    here = {"rounding": rounding(machine), "digests": found["digests"]}
    others = [
        entry
        for entry in machines
        if entry["rounding"] != here["rounding"] and entry["digests"].keys() == found["digests"].keys()
    ]
    return {"revision": found["revision"], "ari": found["ari"], "machines": [*others, here]}


def main():
    before = read() if RECORDS.exists() else {}
    try:
        records = {name: updated(before.get(name), found_now(name), manifest()) for name in RUNS}
    except ValueError as error:
        sys.exit(f"{RECORDS.name} stays as it is: {error} (src/ofakind/study/revision.py)")
    RECORDS.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
