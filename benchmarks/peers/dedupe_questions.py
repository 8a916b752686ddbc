"""Questions that dedupe asks: pair F1 of its clusters after so many of its own questions, answered rightly.

python -m benchmarks.peers.dedupe_questions              in the environment that `make bench-peers` makes
python -m benchmarks.peers.dedupe_questions restaurants  only this set; the rows of others stay

Needs OFAKIND_DATA. Dedupe gets the fields that a candidate graph of ofakind is made from: `String`, or `Text`
where values are long. It chooses each question by itself (`uncertain_pairs`, `mark_pairs`). At each budget a
fresh Dedupe is trained on all answers so far, and clusters with its own threshold of 0.5. It draws from
generators that cannot be seeded, so a second run gives other numbers. Rows go to
benchmarks/results/dedupe_questions.json.
"""

import io
import json
import random
import sys
import warnings
from itertools import pairwise
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import RESULTS, Row, keep
from benchmarks.peers import markdown
from ofakind.arrays import Ints
from ofakind.datasets import load
from ofakind.priors.records import read_columns
from ofakind.study.measures import measure

SETS = (
    *("restaurants", "febrl1", "splink_fake_1000", "cora"),
    *("affiliations", "amazon_google", "febrl3"),
)
BUDGETS = (20, 40, 60, 100, 200)
LONG = 60  # characters of a value on average from which on a field is a text
NUMBER = "number"  # the field that tells records apart; dedupe does not compare it

Records = dict[int, dict[str, Any]]


def one_set(name: str) -> list[Row]:
    """Ask until the last budget, and look at each."""
    warnings.simplefilter("ignore")
    random.seed(0)
    data = load(name)
    table = tabled(name)
    begin = process_time()
    deduper = made(table)
    deduper.prepare_training(table.records)
    rows: list[Row] = []
    notes: list[str] = []
    for before, budget in pairwise((0, *BUDGETS)):
        asked = before
        while asked < budget and ask(deduper, data.labels, asked, notes):
            asked += 1
        row = {"set": name, "questions": budget, "asked": asked}
        row |= looked_at(deduper, table, data.labels)
        rows.append(row | {"cpu_s": process_time() - begin, "note": "; ".join(notes)})
        print(" ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
        if asked < budget:
            break
    return rows


class Table(NamedTuple):
    """Records by number, None where a value is missing; of each field its name, kind and if values miss."""

    records: Records
    fields: list[tuple[str, str, bool]]


def tabled(name: str) -> Table:
    found = read_columns([dict(record) for record in load(name).records or ()])
    fields = []
    for field, column in zip(found.names, found.texts, strict=True):
        length = np.mean([len(value) for value in column if value])
        fields.append((field, "Text" if length > LONG else "String", not all(column)))
    records: Records = {}
    for number, row in enumerate(zip(*found.texts, strict=True)):
        values = (value or None for value in row)
        records[number] = {NUMBER: number} | dict(zip(found.names, values, strict=True))
    return Table(records, fields)


def made(table: Table) -> Any:
    """Make a Dedupe that uses one process, with variables of its own: training it changes their indexes."""
    from dedupe import Dedupe, variables

    own = [getattr(variables, kind)(field, has_missing=missing) for field, kind, missing in table.fields]
    deduper = Dedupe(own, num_cores=0, in_memory=True)
    deduper.classifier.n_jobs = 1
    return deduper


def ask(deduper: Any, truth: Ints, asked: int, notes: list[str]) -> bool:
    """Answer dedupe's next question; whether it had one.

    It may know no index for a record that it asks about itself, and fail to learn the answer's part in its
    blocking: that answer is kept for the training, and the next question asked.
    """
    from dedupe.predicates import NoIndexError

    try:
        ((one, other),) = deduper.uncertain_pairs()
    except NoIndexError as error:
        notes.append(f"uncertain_pairs at question {asked + 1}: {error!s:.60}")
        return False
    except IndexError:
        notes.append(f"no candidates left after {asked} questions")
        return False
    kind = "match" if truth[one[NUMBER]] == truth[other[NUMBER]] else "distinct"
    try:
        deduper.mark_pairs({"match": [], "distinct": []} | {kind: [(one, other)]})
    except UserWarning as error:  # which is what mark_pairs makes of it
        if not isinstance(error.__context__, NoIndexError):
            raise
        notes.append(f"mark_pairs at question {asked + 1}: NoIndexError")
    return True


def looked_at(deduper: Any, table: Table, truth: Ints) -> Row:
    """Train a fresh Dedupe on the answers so far, cluster, and measure."""
    from dedupe.predicates import NoIndexError

    pairs = deduper.training_pairs
    counts = {"matches": len(pairs["match"]), "distinct": len(pairs["distinct"])}
    if not pairs["match"] or not pairs["distinct"]:
        return counts | {"failed": "all answers are the same, which dedupe cannot train on"}
    training = io.StringIO()
    deduper.write_training(training)
    training.seek(0)
    fresh = made(table)
    try:
        fresh.prepare_training(table.records, training_file=training)
        fresh.train()
        labels = np.arange(len(truth))
        for members, _ in fresh.partition(table.records, threshold=0.5):
            labels[list(members)] = members[0]
    except NoIndexError as error:
        return counts | {"failed": f"training: {error!s:.60}"}
    found = measure(labels, truth)
    return counts | {"pair_f1": found["pair_f1"], "ari": found["ari"]}


def kept(rows: list[Row]) -> list[Row]:
    """Write the rows of some sets, beside those of others that are there already."""
    file = RESULTS / "dedupe_questions.json"
    before = json.loads(file.read_text("utf-8"))["rows"] if file.exists() else []
    new = {row["set"] for row in rows}
    every = [*(row for row in before if row["set"] not in new), *rows]
    keep("dedupe_questions", every)
    return every


def main() -> None:
    rows: list[Row] = []
    for name in sys.argv[1:] or SETS:
        rows = kept(one_set(name))  # after each set: all of them take an hour
    print(markdown.questions(rows))


if __name__ == "__main__":
    main()
