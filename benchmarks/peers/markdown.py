"""What the comparisons with peers print, made of their rows; the pages of docs have the same tables."""

from collections.abc import Iterable, Sequence
from statistics import mean

from benchmarks.common import Row

GAMMAS = (0.0, 0.4)
BUDGETS = {"n / 5": 0.2, "n": 1.0, "4 n": 4.0, "40 n": 40.0}
REASONS = {"time": "t", "InconsistentConstraintsException": "c"}  # else e, some other error


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def solvers(rows: list[Row]) -> str:
    """A line for each state, in each cell means over the seeds."""
    names = list(dict.fromkeys(row["solver"] for row in rows))
    states = dict.fromkeys((row["n"], row["answers"]) for row in rows)
    lines = [
        [f"{n:,}", f"{answers:,}", *(_solved(rows, n, answers, solver) for solver in names)]
        for n, answers in states
    ]
    return f"cost, ARI, CPU seconds\n\n{table(['n', 'answers', *names], lines)}"


def _solved(rows: list[Row], n: int, answers: int, solver: str) -> str:
    same = [row for row in rows if (row["n"], row["answers"], row["solver"]) == (n, answers, solver)]
    if not same:
        return ""
    cost, ari, seconds = (mean(row[name] for row in same) for name in ("cost", "ari", "cpu_s"))
    return f"{cost:.0f} {ari:.2f} {seconds:.2g}"


def strategies(rows: list[Row]) -> str:
    """For each gamma a table of methods and data, in each cell the ARI at every budget; then the failures."""
    names = list(dict.fromkeys(row["table"] for row in rows))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    parts = [f"ARI in percent at {', '.join(BUDGETS)} answers"]
    for gamma in GAMMAS:
        here = [row for row in rows if row["gamma"] == gamma]
        lines = [[method, *(_asked(here, method, name) for name in names)] for method in methods]
        parts.append(table([f"gamma {gamma}", *names], lines))
    notes = {(row["method"], row.get("failed", "")): row["note"] for row in rows if "note" in row}
    said = [f"{method}: {failed} {note}" for (method, failed), note in sorted(notes.items())]
    return "\n\n".join([*parts, "\n".join(said)])


def _asked(rows: list[Row], method: str, name: str) -> str:
    same = [row for row in rows if (row["method"], row["table"]) == (method, name)]
    return " ".join(_entry([row for row in same if row["budget"] == budget]) for budget in BUDGETS)


def _entry(rows: list[Row]) -> str:
    """Mean ARI in percent of the seeds that ran, with a star if not all did; the reason if none did."""
    values = [row["ari"] for row in rows if "ari" in row]
    if values:
        return f"{round(100 * mean(values))}" + "*" * (len(values) < len(rows))
    return REASONS.get(rows[0]["failed"], "e")


def questions(rows: list[Row]) -> str:
    """A line for each set, in each cell the pair F1 after so many questions of dedupe's own."""
    names = list(dict.fromkeys(row["set"] for row in rows))
    budgets = sorted({row["questions"] for row in rows})
    found = {(row["set"], row["questions"]): row for row in rows}
    lines = [[name, *(_learned(found.get((name, budget), {})) for budget in budgets)] for name in names]
    notes = [f"{row['set']}, {row['questions']} questions: {row['note']}" for row in rows if row["note"]]
    return "\n\n".join([table(["set", *map(str, budgets)], lines), "\n".join(notes)])


def _learned(row: Row) -> str:
    return f"{row['pair_f1']:.3f}" if "pair_f1" in row else "e"
