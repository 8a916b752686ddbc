"""Files to projects: a CSV becomes a project with its candidate graph, on one core; growth with n."""

import csv
import gzip
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.bench_neighbours import made_up_records
from benchmarks.common import Row, cpu_seconds, exponent, peak_memory_mb
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.text import TEXTS, letter_counts, nearest_texts
from ofakind.project.bringing import SourceOptions
from ofakind.project.from_files import NewProject
from ofakind.project.making import ProjectOptions
from ofakind.project.tables import read_table

REAL = "historical_50k"


def run() -> list[Row]:
    with TemporaryDirectory() as folder:
        file = Path(folder, "few.csv")
        write(file, 50)
        project(file, "few")  # compiles
    growth = [in_a_process(str(n)) for n in (12_500, 25_000, 50_000)]
    growth[-1]["exponent"] = exponent([row["n"] for row in growth], [row["ours_s"] for row in growth])
    return [*growth, *([in_a_process(REAL)] if "OFAKIND_DATA" in os.environ else [])]


def in_a_process(name: str) -> Row:
    """Measure in a process of its own, so that its memory is its own, too."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_new", name], stdout=subprocess.PIPE, text=True, check=True
    )
    n, seconds, graph, letters, memory = map(float, done.stdout.split())
    what = f"ofakind new, {'made-up records' if name.isdigit() else name}"
    note = f"the graph alone {graph:.3g} s, of which neighbours by letters {letters:.3g} s"
    return {"what": what, "n": int(n), "ours_s": seconds, "peak_mb": memory, "note": note}


def measured(name: str) -> tuple[int, float, float, float, float]:
    """Records, seconds of CPU for the whole, its graph and the search by letters, and peak memory."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "records.csv")
        if name.isdigit():
            write(file, int(name))
        else:
            with gzip.open(Path(os.environ["OFAKIND_DATA"], name, "records.csv.gz")) as packed:
                file.write_bytes(packed.read())
        seconds, n = cpu_seconds(lambda: project(file, name))
        memory = peak_memory_mb()
        columns = read_table(file).columns
        kept = [column for column in columns if column not in ("id", "cluster")]
        rows = [{column: columns[column][row] for column in kept} for row in range(n)]
        graph, _ = cpu_seconds(lambda: Neighbours.from_records(rows))
        letters, _ = cpu_seconds(lambda: by_letters(rows))
    return n, seconds, graph, letters, memory


def by_letters(rows: list[dict[str, Any]]) -> None:
    """Count the letters of each distinct record, and find its neighbours by them: a part of the graph."""
    texts = sorted({" ".join(filter(None, row.values())) for row in rows})
    nearest_texts(letter_counts(texts), TEXTS.k)


def write(file: Path, n: int) -> None:
    with file.open("w", encoding="utf-8", newline="") as text:
        rows = [{"id": f"r{row}", **record, "cluster": ""} for row, record in enumerate(made_up_records(n))]
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def project(file: Path, name: str) -> int:
    wanted = NewProject(file, file.with_name(f"{name}.ofk"), SourceOptions("id"), {"ignore": ["cluster"]})
    brought, _ = wanted.make(ProjectOptions())
    return len(brought.ids)


if __name__ == "__main__":
    print(*measured(sys.argv[1]))
