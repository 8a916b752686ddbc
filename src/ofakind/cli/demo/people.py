"""People who stand in a list several times, each time spelt a little differently: made up, with the truth."""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Ints

FIRST = (
    "Anna Ahmed Bruno Clara Daniel Elena Farid Greta Hanna Igor Julia Kenji Laura Mateo Nadia Oskar Priya "
    "Quentin Rosa Samuel Tara Ulrich Vera William Xenia Yusuf Zoe Miriam Jonathan Katharina"
)
LAST = (
    "Abrams Bauer Castillo Dupont Eriksson Fischer Gonzalez Hoffmann Ivanov Jensen Kowalski Lindqvist Meyer "
    "Nakamura Okafor Petrov Quigley Rossi Schneider Takahashi Ueda Vargas Weber Yamamoto Zimmermann"
)
STREETS = "Church Market Station Park Mill Garden School Bridge High Lake Castle River Hill Forest"
CITIES = "Aberdeen Bristol Cardiff Derby Exeter Leeds Norwich Oxford Plymouth York"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class MadeUpList(NamedTuple):
    """Records, and for each the number of the person that it is about."""

    records: list[dict[str, Any]]
    truth: Ints


def misspelt_people(people: int = 120, records: int = 300, seed: int = 0) -> MadeUpList:
    """Make a list of so many people in so many records; equal seeds give equal lists.

    >>> found = misspelt_people(3, 5)
    >>> len(found.records), sorted(set(found.truth.tolist()))
    (5, [0, 1, 2])
    """
    rng = np.random.default_rng((seed, people, records))
    known = [_person(rng) for _ in range(people)]
    truth = np.concatenate([np.arange(people), rng.integers(people, size=max(records - people, 0))])[:records]
    rng.shuffle(truth)
    rows = [{"id": f"p{row:03}", **_written(known[one], rng)} for row, one in enumerate(truth.tolist())]
    return MadeUpList(rows, truth)


def _person(rng: Generator) -> dict[str, str]:
    name = f"{rng.choice(FIRST.split())} {rng.choice(LAST.split())}"
    street = f"{rng.integers(1, 120)} {rng.choice(STREETS.split())} Street"
    phone = f"0{rng.integers(100, 999)} {rng.integers(100_000, 999_999)}"
    return {"name": name, "street": street, "city": str(rng.choice(CITIES.split())), "phone": phone}


def _written(person: dict[str, str], rng: Generator) -> dict[str, str | None]:
    """Write a person down, as somebody in a hurry does."""
    name, street, phone = person["name"], person["street"], person["phone"]
    if rng.random() < 0.15:
        first, last = name.split(" ", 1)
        name = f"{first[0]}. {last}" if rng.random() < 0.5 else f"{last}, {first}"
    if rng.random() < 0.5:
        name = slip(name, rng)
    if rng.random() < 0.4:
        street = street.replace("Street", "St")
    if rng.random() < 0.25:
        street = slip(street, rng)
    phone = phone.replace(" ", "") if rng.random() < 0.3 else phone
    known = None if rng.random() < 0.3 else phone
    return {"name": name, "street": street, "city": person["city"], "phone": known}


def slip(text: str, rng: Generator) -> str:
    """Leave a letter out, double it, replace it, or swap two."""
    at = int(rng.integers(1, max(len(text) - 1, 2)))
    kind = int(rng.integers(4))
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + text[at] + text[at:]
    if kind == 2:
        return text[:at] + str(rng.choice(list(LETTERS))) + text[at + 1 :]
    return text[:at] + text[at + 1 : at + 2] + text[at] + text[at + 2 :]
