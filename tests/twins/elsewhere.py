"""What comes out on this processor: fixed runs and replayed projects, printed as JSON.

Tests start it as a process of its own, for another processor's arithmetic is chosen when a process starts:

    python -m twins.elsewhere make FOLDER      makes projects in a folder
    python -m twins.elsewhere replay FOLDER    opens copies of them, makes all calls again, and asks on
"""

import ctypes
import hashlib
import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numba
import numpy as np
import scipy.linalg  # noqa: F401  # its BLAS is to be seen, too
import threadpoolctl
from PIL import Image

import ofakind as ok
from twins.featured import names, vectors
from twins.fixed_runs import RUNS, digest

SHORT = {  # one of each sort, of those with few objects
    "ours": [name for name in RUNS["ours"] if name not in ("default, clusters of three", "in a study")],
    "paper": ("Entropy", "EIG-O", "JEIG"),
    "graph rivals": ("TransitiveJoin", "UncertaintySampling"),
}


def runs(wanted):
    """Digests of fixed runs, by family and name."""
    return {f"{family}: {name}": RUNS[family][name]() for family in wanted for name in wanted[family]}


def arithmetic():
    """Which code BLAS, NumPy, the C library (by the last bits of its exp) and numba have chosen."""
    found = [one["architecture"] for one in threadpoolctl.threadpool_info() if "architecture" in one]
    simd = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    exp = ctypes.CDLL("libm.so.6").exp
    exp.restype, exp.argtypes = ctypes.c_double, [ctypes.c_double]
    values = np.array([exp(value) for value in np.linspace(-40, 5, 100_000).tolist()])
    cpu = numba.config.CPU_NAME or "this processor"
    return {"blas": sorted(set(found)), "simd": simd, "exp": digest(values), "compiled for": cpu}


# -- projects ----------------------------------------------------------------------------------------------


def draw_pictures(folder, kinds, each):
    """Draw bars in a direction by kind, with noise; returns the kind of each file."""
    rng, truth = np.random.default_rng(5), {}
    folder.mkdir()
    x, y = np.meshgrid(np.arange(48), np.arange(48))
    for number in rng.permutation(kinds * each).tolist():
        turned = np.cos(number % kinds) * x + np.sin(number % kinds) * y
        grey = 128 + 90 * np.sin(turned / 3) + 20 * rng.normal(size=turned.shape)
        name = f"{number:02}.png"
        Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8)).save(folder / name)
        truth[name] = number % kinds
    return truth


def plain(path):
    return ok.new_project([f"o{number}" for number in range(40)], path=path), {
        f"o{number}": number % 5 for number in range(40)
    }


def records(path):
    truth, texts = names(14, 3, seed=2)
    rows = [{"id": f"r{number}", "name": text} for number, text in enumerate(texts)]
    known = {row["id"]: kind for row, kind in zip(rows, truth, strict=True)}
    return ok.new_project(rows, "id", path=path), known


def points(path):
    truth, table = vectors(6, 8, spread=0.5, dimensions=12)
    ids = [f"v{number}" for number in range(len(table))]
    return ok.new_project(ids, path=path, vectors=table), dict(zip(ids, truth, strict=True))


def pictures(path):
    truth = draw_pictures(path.with_suffix(""), 3, 6)
    return ok.new_project(path.with_suffix(""), path=path), truth


def judged(path):
    project, truth = plain(path)

    def judge(left, right):
        same = truth[left["id"]] == truth[right["id"]]
        drawn = hashlib.sha256(f"{left['id']} {right['id']}".encode()).digest()[0] / 256
        return (0.9 if same else -0.9) * (0.1 + 0.9 * drawn)

    project.judge(judge, budget=300)
    return project, truth


PROJECTS = {"plain": plain, "records": records, "points": points, "pictures": pictures, "judged": judged}


def make(folder):
    """Make each project: two annotators answer, one of them now and then a screen, and one answer goes."""
    for name, new in PROJECTS.items():
        project, truth = new(folder / f"{name}.ofk")
        with project:
            for number in range(30):
                who = ("Ada", "Bo")[number % 2]
                for question in project.ask(1, who):
                    same = truth[question.left_id] == truth[question.right_id]
                    project.tell(question, 1.0 if same != (number % 11 == 7) else -1.0, who)
                if number == 20:
                    project.undo(annotator=who)


def replayed(folder):
    """What a check that makes all calls again says of each project, and what there is to see and to ask."""
    found = {}
    for name in PROJECTS:
        with TemporaryDirectory() as elsewhere:
            path = Path(shutil.copy(folder / f"{name}.ofk", elsewhere))
            with ok.open_project(path) as project:
                checked, status = project.check(replay=True), project.status()
                ids = [(question.left_id, question.right_id) for question in project.ask(3, "Cy")]
                seen = status.n_answers, status.n_clusters, status.expected_wrong_pairs, status.interval
                found[name] = {
                    "replay": str(checked.problem),
                    "doubt": str(checked.doubt),
                    "questions": str(ids),
                    "groups": str(sorted(map(sorted, project.groups().values()))),
                    "status": str(seen),
                }
    return found


def main(what, folder):
    if what == "make":
        make(Path(folder))
    else:
        print(json.dumps({"arithmetic": arithmetic(), **runs(SHORT), **replayed(Path(folder))}))


if __name__ == "__main__":
    main(*sys.argv[1:])
