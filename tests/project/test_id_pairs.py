"""Pairs of ids in files and lists: scores, and what must or cannot be of a kind."""

import numpy as np
import pandas as pd
import pytest

from ofakind.errors import InvalidInputError
from ofakind.project.id_pairs import read_id_pairs, read_id_scores
from ofakind.project.tables import read_table

IDS = ["a", "b", 7, "8"]


@pytest.fixture
def table(tmp_path):
    def write(text):
        path = tmp_path / "pairs.csv"
        path.write_text(text, encoding="utf-8")
        return read_table(path)

    return write


def test_what_splink_writes_is_understood(table):
    edges = "match_weight,match_probability,unique_id_l,unique_id_r\n3.2,0.9,a,b\n-1,0.25,8,7\n"
    pairs, scores = read_id_scores(table(edges), IDS)
    assert pairs.tolist() == [[0, 1], [3, 2]]
    assert scores.tolist() == [0.9, 0.25]


def test_a_weight_of_splink_is_a_log_of_odds(table):
    _, scores = read_id_scores(table("unique_id_l,unique_id_r,match_weight\na,b,0\nb,8,3\na,8,-1e9\n"), IDS)
    assert np.allclose(scores, [0.5, 8 / 9, 0])


def test_otherwise_the_first_three_columns_are_two_ids_and_a_number(table):
    pairs, scores = read_id_scores(table("x,y,z,other\nb,a,-3.5,hello\n7,8,12,\n"), IDS)
    assert pairs.tolist() == [[1, 0], [2, 3]]
    assert scores.tolist() == [-3.5, 12]


def test_whole_numbers_and_their_text_mean_the_same_id(table):
    assert read_id_pairs(table("x,y\n7,8\n"), IDS, "pairs") == ((2, 3),)
    assert read_id_pairs([(7, 8)], IDS, "pairs") == ((2, 3),)
    assert read_id_pairs(pd.DataFrame({"l": ["7"], "r": ["8"]}), IDS, "pairs") == ((2, 3),)
    with pytest.raises(InvalidInputError, match="'07' is no object"):
        read_id_pairs([("07", "8")], IDS, "pairs")


def test_R11_a_pair_the_other_way_round_is_the_same_pair(table):
    assert read_id_pairs(table("x,y\nb,a\na,b\n8,a\n"), IDS, "pairs") == ((0, 1), (0, 3))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("a,b,NaN", ["column 'p'", "'NaN' is not finite"]),
        ("a,b,inf", ["'inf' is not finite"]),
        ("a,b,1e999", ["'1e999' is not finite"]),
        ('a,b,"0,5"', ["'0,5' has a decimal comma", "0.5"]),
        ("a,b,", ["there is nothing", "expected a number"]),
        ("a,b,high", ["'high' is no number"]),
        ("a,b,1.0000001", ["1.0000001 is no probability", "from 0 to 1"]),
        ("a,a,0.5", ["pairs 'a' with itself"]),
        ("a,z,0.5", ["column 'y'", "'z' is no object"]),
        (",a,0.5", ["column 'x'", "None is no object"]),
    ],
)
def test_R11_a_bad_score_is_refused_with_its_line(table, row, words):
    given = table(f"x,y,p\na,b,0.9\n{row}\n")
    with pytest.raises(InvalidInputError) as refused:
        read_id_scores(given, IDS)
    assert [word for word in [f"{given.path}, line 3", *words] if word not in str(refused.value)] == []


def test_R11_a_probability_of_splink_beyond_one_is_refused(table):
    given = table("unique_id_l,unique_id_r,match_probability\na,b,0.9\na,8,12\n")
    with pytest.raises(
        InvalidInputError, match=r"line 3, column 'match_probability': 12.0 is no probability"
    ):
        read_id_scores(given, IDS)


def test_too_few_columns_are_refused(table):
    with pytest.raises(
        InvalidInputError, match="has 1 columns; expected two ids on each row of the must-link"
    ):
        read_id_pairs(table("x\na\n"), IDS, "must-link")
    with pytest.raises(InvalidInputError, match="has no column beside the ids"):
        read_id_scores(table("unique_id_l,unique_id_r\na,b\n"), IDS)
