"""Run every benchmark, print its table and write all rows with machine and commit to benchmarks/results/.

python -m benchmarks                  all of them
python -m benchmarks jeig entropy     some of them
"""

import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.common import Row, keep, machine

HERE = Path(__file__).parent
COLUMNS = ("what", "n", "answers", "batch", "ours_s", "twin_s", "ratio", "exponent", "peak_mb", "note")


def main(names: Sequence[str]) -> None:
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    unknown = set(names) - set(known)
    if unknown:
        sys.exit(f"no benchmark named {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if len(names) != 1:  # each in a process of its own, so that one's memory is not counted as another's
        for name in names or known:
            subprocess.run([sys.executable, "-m", "benchmarks", name], check=True)
        return
    print("  ".join(f"{key} {value}" for key, value in machine().items()))
    rows = import_module(f"benchmarks.bench_{names[0]}").run()
    print(f"\n{names[0]}\n{table(rows)}\n", flush=True)
    keep(names[0], rows)


def table(rows: Sequence[Row]) -> str:
    """Rows as aligned text; columns that nobody fills are left out."""
    columns = [column for column in COLUMNS if any(row.get(column) is not None for row in rows)]
    cells = [columns, *([shown(row.get(column)) for column in columns] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in cells
    )


def shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}" if value < 100 else f"{value:.0f}"
    return str(value)


if __name__ == "__main__":
    main(sys.argv[1:])
