"""Made-up lists of people."""

import numpy as np

from ofakind.cli.demo.people import misspelt_people, slip


def test_equal_seeds_give_equal_lists_and_others_do_not():
    one, same, other = (misspelt_people(seed=seed) for seed in (3, 3, 4))
    assert one.records == same.records
    assert (one.truth == same.truth).all()
    assert one.records != other.records


def test_there_are_as_many_people_and_records_as_wanted_with_ids_of_their_own():
    found = misspelt_people(120, 300)
    assert (len(found.records), len(set(found.truth.tolist()))) == (300, 120)
    assert len({one["id"] for one in found.records}) == 300


def test_records_of_a_person_differ_and_are_mostly_alike():
    found = misspelt_people(50, 400)
    names = {
        who: {one["name"] for one, w in zip(found.records, found.truth, strict=True) if w == who}
        for who in range(50)
    }
    assert sum(len(spelt) > 1 for spelt in names.values()) > 40
    cities = {
        who: {one["city"] for one, w in zip(found.records, found.truth, strict=True) if w == who}
        for who in range(50)
    }
    assert all(len(one) == 1 for one in cities.values())


def test_a_slip_changes_one_or_two_letters():
    rng = np.random.default_rng(0)
    for _ in range(100):
        assert abs(len(slip("Katharina", rng)) - 9) <= 1
