"""Sets of records of which some describe the same thing, and answers of real people about them."""

from dataclasses import replace

import numpy as np

from ofakind.answers import Answers
from ofakind.datasets.base import Dataset, numbered
from ofakind.datasets.files import read_rows
from ofakind.datasets.sources import SOURCES

CONDITIONS = ("no_qualification", "qualification_test")


def read_records(name: str, folder: str) -> Dataset:
    """Read the records of a set; the classes are the true clusters, in order of appearance."""
    plain, packed = f"{folder}/records.csv", f"{folder}/records.csv.gz"
    rows = read_rows(packed, plain) if plain in SOURCES else read_rows(packed)
    labels, classes = numbered([row.pop("cluster") for row in rows])
    return Dataset(name=name, rows=np.arange(len(rows)), truth=labels, classes=classes, records=tuple(rows))


def crowd_restaurants() -> Dataset:
    """Restaurants, and everything that workers said of pairs of them."""
    return _with_answers(read_records("crowd_restaurants", "crowd_restaurants"), *CONDITIONS)


def unqualified(whole: Dataset, _seed: int) -> Dataset:
    """Only the answers of workers who had passed no test."""
    return _with_answers(whole, CONDITIONS[0])


def qualified(whole: Dataset, _seed: int) -> Dataset:
    """Only the answers of workers who had passed a test."""
    return _with_answers(whole, CONDITIONS[1])


def _with_answers(restaurants: Dataset, *conditions: str) -> Dataset:
    """Answers in the order of the file: 1 for "the same", -1 for "different", each with its worker."""
    given = read_rows("crowd_restaurants/crowd_answers.csv.gz")
    rows = [row for row in given if row["condition"] in conditions]
    position = {row["id"]: number for number, row in enumerate(restaurants.records or ())}
    pairs = [(position[row["id1"]], position[row["id2"]]) for row in rows]
    values = [1.0 if row["answer"] == "1" else -1.0 for row in rows]
    answers = Answers.none(restaurants.n).adding(pairs, values, [row["worker"] for row in rows])
    return replace(restaurants, answers=answers)
