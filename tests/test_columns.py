"""Columns grow for whoever comes first, are copied for the others, and keep their rows in several threads."""

import numpy as np
import pytest

from ofakind.answers import Answers, Names
from ofakind.columns import Columns
from twins.threads import in_threads

THREADS, EACH = 8, 200


def columns(*rows):
    return Columns(np.array(rows, np.int64), np.array(rows, np.float64))


def test_the_first_who_adds_gets_the_room_and_the_others_a_copy():
    one = columns(1, 2)
    first, second = one.adding(2, ([3], [3.0])), one.adding(2, ([4, 5], [4.0, 5.0]))
    assert first is one
    assert second is not one
    for column in (0, 1):
        assert first.rows(column, 0, 3).tolist() == [1, 2, 3]
        assert second.rows(column, 0, 4).tolist() == [1, 2, 4, 5]
        assert one.rows(column, 0, 2).tolist() == [1, 2]


def test_nothing_new_changes_nothing_and_leaves_the_end_free():
    one = columns(1, 2)
    aside = one.adding(1, ([], []))
    assert one.adding(2, ([], [])) is one
    assert aside.adding(1, ([7], [7.0])).rows(0, 0, 2).tolist() == [1, 7]
    assert one.rows(0, 0, 2).tolist() == [1, 2]


def test_a_single_value_stands_for_all_new_rows_but_of_the_first_column():
    assert columns().adding(0, ([1, 2, 3], 0.5)).rows(1, 0, 3).tolist() == [0.5, 0.5, 0.5]


def test_rows_that_do_not_fit_leave_the_columns_as_they_were():
    one = columns(1, 2)
    with pytest.raises(ValueError, match="broadcast"):
        one.adding(2, ([3, 4, 5], [3.0, 4.0]))
    assert one.adding(2, ([6], [6.0])).rows(1, 0, 3).tolist() == [1, 2, 6]


def test_what_is_held_stays_while_the_columns_grow():
    one = columns(*range(10))
    held = one.rows(0, 3, 10)
    for end in range(10, 200):
        one.adding(end, ([-end], [-end]))
    assert held.tolist() == list(range(3, 10))
    assert not held.flags.writeable


def test_threads_that_add_to_the_same_table_do_not_see_one_another():
    shared = Answers.none(9).adding([(0, 1)] * 5, [0.5] * 5, "everybody")

    def grow(number):
        table = shared
        for _ in range(EACH):
            table = table.adding([(0, 1 + number)], [number / 10], f"thread {number}")
        return table

    for number, table in enumerate(in_threads(THREADS, grow)):
        assert table.first(5).annotators == ("everybody",) * 5
        mine = table.since(5)
        assert mine.v.tolist() == [1 + number] * EACH
        assert mine.values.tolist() == [number / 10] * EACH
        assert set(mine.annotators) == {f"thread {number}"}
    assert shared.values.tolist() == [0.5] * 5


def test_threads_that_name_the_same_people_number_them_alike():
    names = Names()
    people = [f"p{one}" for one in range(EACH)]
    found = in_threads(THREADS, lambda number: names.numbers(people[number:] + people[:number]))
    for number, numbers in enumerate(found):
        assert [names.known()[one] for one in numbers] == people[number:] + people[:number]
    assert len(names.known()) == 1 + EACH
