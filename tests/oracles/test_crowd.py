"""The oracle that repeats the answers of real people."""

import csv
import gzip
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.engine.learner import ActiveClustering
from ofakind.engine.loop import run
from ofakind.errors import InvalidInputError
from ofakind.oracles.crowd import CrowdOracle
from ofakind.oracles.replay import ReplayOracle
from ofakind.pairs import Pairs, count_pairs

TABLE = [(4, 1), (0, 1), (1, 4), (2, 3), (1, 4), (1, 0)]
VALUES = [0.5, -1, 1, 0, -0.5, 1]
NAMES = ["Ada", "Ada", "Ben", "Ben", "Cyd", "Cyd"]


def crowd(seed=0):
    return CrowdOracle(TABLE, VALUES, seed, annotators=NAMES)


def test_the_known_pairs_are_told():
    assert list(crowd().pairs) == [(0, 1), (1, 4), (2, 3)]


def test_a_pair_with_one_answer_always_gets_it():
    oracle = crowd()
    assert [oracle([(3, 2)])[0] for _ in range(4)] == [0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(4))
def test_no_answer_comes_again_before_all_have_come(seed):
    oracle = crowd(seed)
    for _ in range(5):
        assert sorted(oracle([(1, 4), (4, 1), (1, 4)]).tolist()) == [-0.5, 0.5, 1]


def test_a_new_round_comes_in_a_new_order():
    pairs, values = [(0, 1)] * 8, np.linspace(-1, 1, 8)
    oracle = CrowdOracle(pairs, values)
    orders = {tuple(oracle(pairs).tolist()) for _ in range(6)}
    assert len(orders) == 6  # of 40320: two alike once in 2700 seeds
    assert all(sorted(order) == values.tolist() for order in orders)


def chi_square(counts, expected):
    return float(np.sum((np.asarray(counts) - expected) ** 2) / expected)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("turn", [0, 1, 2, 3, 7])
def test_each_answer_to_a_pair_is_equally_likely_whenever_it_is_asked(turn, seed):
    pairs = np.asarray(Pairs.all(60))
    values = np.array([-1.0, -0.2, 0.4, 1.0])
    oracle = CrowdOracle(np.repeat(pairs, 4, axis=0), np.tile(values, len(pairs)), seed)
    for _ in range(turn):
        oracle(pairs)
    drawn = oracle(pairs)
    counts = [np.count_nonzero(drawn == value) for value in values]
    assert chi_square(counts, len(pairs) / 4) < 36  # three degrees of freedom: once in ten million


def test_the_first_two_answers_take_every_order_equally_often():
    pairs = np.asarray(Pairs.all(60))
    values = np.array([-1.0, 0.0, 1.0])
    oracle = CrowdOracle(np.repeat(pairs, 3, axis=0), np.tile(values, len(pairs)))
    orders = Counter(zip(oracle(pairs).tolist(), oracle(pairs).tolist(), strict=True))
    assert len(orders) == 6
    assert chi_square(list(orders.values()), len(pairs) / 6) < 42  # five degrees: once in ten million


def test_answers_given_by_more_people_come_more_often():
    pairs = np.asarray(Pairs.all(60))
    oracle = CrowdOracle(np.repeat(pairs, 5, axis=0), np.tile([1, 1, 1, 1, -1], len(pairs)))
    same = np.count_nonzero(oracle(pairs) == 1)
    assert abs(same - 0.8 * len(pairs)) <= 6 * np.sqrt(0.16 * len(pairs))


@pytest.mark.parametrize("seed", [0, 7, 2**80])
def test_what_is_drawn_depends_on_pair_and_count_and_not_on_order_or_batches(seed):
    pairs = np.asarray(Pairs.all(20))
    table, values = np.repeat(pairs, 3, axis=0), np.tile([-1, 0.25, 1], len(pairs))
    oracle = CrowdOracle(table, values, seed)
    first, second = oracle(pairs), oracle(pairs)
    rng = np.random.default_rng(1)
    order = rng.permutation(2 * len(pairs))
    other, heard = CrowdOracle(table, values, seed), {tuple(pair): [] for pair in pairs.tolist()}
    for rows in np.array_split(order % len(pairs), 9):
        for pair, value in zip(pairs[rows].tolist(), other(pairs[rows][:, ::-1]), strict=True):
            heard[tuple(pair)].append(value)
    assert [heard[tuple(pair)] for pair in pairs.tolist()] == np.c_[first, second].tolist()


def test_a_question_that_is_interrupted_has_not_been_asked(monkeypatch):
    def interrupt(self, position, times):
        if position == 2:
            raise KeyboardInterrupt
        return 0

    oracle, pairs = crowd(), [(0, 1), (1, 4), (1, 4), (2, 3)]
    with monkeypatch.context() as patch:
        patch.setattr(CrowdOracle, "_row", interrupt)
        with pytest.raises(KeyboardInterrupt):
            oracle(pairs)
    assert oracle(pairs).tolist() == crowd()(pairs).tolist()


def test_seeds_differ():
    pairs = np.asarray(Pairs.all(20))
    table, values = np.repeat(pairs, 3, axis=0), np.tile([-1, 0, 1], len(pairs))
    assert not np.array_equal(CrowdOracle(table, values, 0)(pairs), CrowdOracle(table, values, 1)(pairs))


def test_the_order_of_the_table_does_not_matter():
    order = np.random.default_rng(2).permutation(len(TABLE))
    shuffled = CrowdOracle(
        np.array(TABLE)[order][:, ::-1], np.array(VALUES)[order], annotators=np.array(NAMES)[order]
    )
    questions = [(1, 4), (0, 1), (1, 4), (2, 3), (0, 1), (1, 4), (1, 4)]
    values, names = crowd().answers_with_names(questions)
    again, same = shuffled.answers_with_names(questions)
    assert np.array_equal(values, again)
    assert names == same


def test_who_answered_is_told_with_the_answer():
    given_by = {
        (pair, value): name for pair, value, name in zip(map(frozenset, TABLE), VALUES, NAMES, strict=True)
    }
    oracle = crowd()
    values, names = oracle.answers_with_names(TABLE)
    told = [(frozenset(pair), value) for pair, value in zip(TABLE, values.tolist(), strict=True)]
    assert [given_by[one] for one in told] == list(names)
    assert Counter(names) == Counter(NAMES)


def test_asking_with_and_without_names_draws_the_same():
    plain, named = crowd(3), crowd(3)
    assert plain(TABLE).tolist() == named.answers_with_names(TABLE)[0].tolist()
    assert plain(TABLE).tolist() == named(TABLE).tolist()


def test_without_annotators_the_names_are_empty_and_numbers_become_text():
    assert CrowdOracle([(0, 1)], [1]).answers_with_names([(0, 1)])[1] == ("",)
    assert CrowdOracle([(0, 1)], [1], annotators=[17]).answers_with_names([(0, 1)])[1] == ("17",)


@pytest.mark.parametrize("pair", [(0, 2), (0, 5), (5, 9), (-1, 1), (1, 1)])
def test_an_unknown_pair_is_named_with_the_remedy_and_nothing_is_drawn(pair):
    oracle = crowd()
    with pytest.raises(InvalidInputError, match=rf"\({pair[0]}, {pair[1]}\).*candidates=oracle.pairs"):
        oracle([(1, 4), pair])
    assert np.array_equal(oracle(TABLE), crowd()(TABLE))


def test_an_empty_table_answers_no_question():
    empty = CrowdOracle([], [])
    assert len(empty.pairs) == 0
    assert empty([]).shape == (0,)
    assert empty([]).dtype == np.float64
    assert empty.answers_with_names([])[1] == ()
    with pytest.raises(InvalidInputError, match="no known answer"):
        empty([(0, 1)])


def test_tables_that_cannot_be_are_refused():
    with pytest.raises(InvalidInputError, match="row 1"):
        CrowdOracle([(0, 1), (1, 2)], [1, 2])
    with pytest.raises(InvalidInputError, match="got 1 answers for 2 pairs"):
        CrowdOracle([(0, 1), (1, 2)], [1])
    with pytest.raises(InvalidInputError, match="got 1 annotators for 2 answers"):
        CrowdOracle([(0, 1), (1, 2)], [1, -1], annotators=["Ada"])
    for annotators in (7, [["Ada"]], [None], [0.5]):
        with pytest.raises(InvalidInputError, match="annotators"):
            CrowdOracle([(0, 1)], [1], annotators=annotators)
    for values in (None, ["1"], [None], [True], 1):
        with pytest.raises(InvalidInputError, match="answer"):
            CrowdOracle([(0, 1)], values)
    for seed in (-1, 0.5, "0", None, True):
        with pytest.raises(InvalidInputError, match="seed"):
            CrowdOracle([(0, 1)], [1], seed)


def test_it_goes_on_where_it_was_after_being_sent_elsewhere():
    oracle = crowd()
    oracle(TABLE[:2])
    copy = pickle.loads(pickle.dumps(oracle))  # noqa: S301
    assert np.array_equal(copy(TABLE), oracle(TABLE))


@given(st.integers(2, 8), st.integers(0, 5), st.data())
def test_a_round_over_every_table_gives_back_the_table(n, seed, data):
    ranks = data.draw(st.lists(st.integers(0, count_pairs(n) - 1), max_size=30))
    u, v = Pairs.from_ranks(np.arange(count_pairs(n)), n).u[ranks], Pairs.all(n).v[ranks]
    table, values = np.c_[u, v], np.linspace(-1, 1, len(ranks))
    oracle = CrowdOracle(table, values, seed)
    heard = oracle(table)
    for pair in oracle.pairs:
        where = np.all(table == pair, axis=1)
        assert sorted(heard[where]) == sorted(values[where])


# -- real people -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def restaurants(data_folder):
    """Rows of the table of answers about pairs of restaurants."""
    path = data_folder / "crowd_restaurants" / "crowd_answers.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read(rows):
    table = np.array([(int(row["id1"]), int(row["id2"])) for row in rows])
    values = np.array([2.0 * int(row["answer"]) - 1 for row in rows])
    return table, values, [f"{row['condition']} {row['worker']}" for row in rows]


@pytest.mark.parametrize(
    ("condition", "workers", "error"), [("no_qualification", 37, 0.024), ("qualification_test", 10, 0.014)]
)
def test_real_workers_are_replayed_with_their_errors(restaurants, condition, workers, error):
    table, values, names = read([row for row in restaurants if row["condition"] == condition])
    oracle = CrowdOracle(table, values, annotators=names)
    heard, said_by = oracle.answers_with_names(table)
    assert len(set(said_by)) == workers
    assert Counter(zip(heard, said_by, strict=True)) == Counter(zip(values, names, strict=True))
    truth = {(int(r["id1"]), int(r["id2"])): 2.0 * int(r["truth"]) - 1 for r in restaurants}
    wrong = np.mean([value != truth[tuple(pair)] for pair, value in zip(table.tolist(), heard, strict=True)])
    assert wrong == pytest.approx(error, abs=0.0006)


@pytest.mark.slow
def test_the_mean_of_a_whole_round_is_what_a_replay_says(restaurants):
    table, values, _ = read(restaurants)
    oracle, replay = CrowdOracle(table, values, seed=4), ReplayOracle(table, values)
    assert len(oracle.pairs) == 2004
    heard = ReplayOracle(table, oracle(table))
    assert np.allclose(heard(oracle.pairs), replay(oracle.pairs), rtol=0, atol=1e-12)


@pytest.mark.slow
def test_a_learner_can_be_run_on_real_answers_and_asks_known_pairs_only(restaurants):
    table, values, _ = read(restaurants)
    oracle = CrowdOracle(table, values)
    learner = ActiveClustering(int(table.max()) + 1, candidates=oracle.pairs, batch_size=300, seed=0)
    *_, last = run(learner, oracle, budget=900)
    assert last.n_answers == 900
    assert np.array_equal(
        learner.answers.values, CrowdOracle(table, values)(np.c_[learner.answers.u, learner.answers.v])
    )
