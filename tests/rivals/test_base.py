"""The counter through which a rival asks, and how a run ends."""

import numpy as np
import pytest

from ofakind.clustering import Clustering, cost
from ofakind.errors import BudgetSpentError, GaveUpError, InvalidAnswerError, InvalidInputError
from ofakind.rivals.base import Outcome, Questions, play
from twins.witness import Witness

TRUTH = [0, 0, 1, 1]


def questions(budget, oracle=None):
    return Questions(4, oracle or Witness(TRUTH), budget)


class TestQuestions:
    def test_answers_come_in_the_order_of_the_questions_whichever_end_is_first(self):
        assert questions(9).ask([2, 1, 3, 0], [1, 0, 2, 3]).tolist() == [-1, 1, 1, -1]

    def test_every_answer_is_counted(self):
        asked = questions(6)
        counts = [(asked.used, asked.left)]
        for u, v in [([0], [1]), ([0, 1, 2], [2, 2, 3]), ([], []), ([0, 0], [1, 2])]:
            asked.ask(u, v)
            counts.append((asked.used, asked.left))
        assert counts == [(0, 6), (1, 5), (4, 2), (4, 2), (6, 0)]

    @pytest.mark.parametrize("budget", [0, 1, 2])
    def test_a_question_beyond_the_budget_asks_nothing_at_all(self, budget):
        oracle = Witness(TRUTH)
        asked = questions(budget, oracle)
        with pytest.raises(
            BudgetSpentError, match=f"3 more answers were wanted, and {budget} of .* {budget}"
        ):
            asked.ask([0, 0, 0], [1, 2, 3])
        assert oracle.calls == []
        assert (asked.used, asked.left) == (0, budget)
        assert len(asked.ask([0] * budget, [1, 2, 3][:budget])) == budget

    def test_no_questions_are_free_even_without_a_budget(self):
        oracle = Witness(TRUTH)
        assert questions(0, oracle).ask([], []).shape == (0,)
        assert oracle.calls == []

    @pytest.mark.parametrize(
        ("u", "v"),
        [([1], [1]), ([0, 1], [1, 0]), ([-1], [2]), ([0], [4]), ([0], [1, 2]), ([0.5], [1])],
        ids=["itself", "twice", "negative", "unknown", "lengths", "fraction"],
    )
    def test_impossible_pairs_are_refused_and_not_counted(self, u, v):
        asked = questions(9, lambda pairs: np.ones(len(pairs)))
        with pytest.raises(InvalidInputError):
            asked.ask(u, v)
        assert asked.used == 0

    @pytest.mark.parametrize("answer", [[np.nan], [2.0], [1.0, 1.0], [], None, ["yes"], 1.0])
    def test_impossible_answers_are_refused_and_not_counted(self, answer):
        asked = questions(9, lambda _: answer)
        with pytest.raises(InvalidAnswerError):
            asked.ask([0], [1])
        assert asked.used == 0

    def test_the_answers_so_far_fold_into_similarities(self):
        asked = questions(9, Witness(TRUTH, gamma=1, seed=3))
        first, second = asked.ask([0, 2], [1, 3]), asked.ask([1], [0])
        similarity = asked.similarity()
        assert similarity.count([0, 2, 0], [1, 3, 2]).tolist() == [2, 1, 0]
        assert similarity.value([0, 2], [1, 3]) == pytest.approx([(first[0] + second[0]) / 2, first[1]])

    def test_without_answers_nothing_is_known(self):
        assert questions(9).similarity().n_pairs == 0

    @pytest.mark.parametrize("budget", [-1, 2.5, True, "10", None])
    def test_a_budget_that_cannot_be_is_refused(self, budget):
        with pytest.raises(InvalidInputError, match="budget is"):
            questions(budget)

    @pytest.mark.parametrize("n", [-1, 2.5, None])
    def test_a_number_of_objects_that_cannot_be_is_refused(self, n):
        with pytest.raises(InvalidInputError, match="n is"):
            Questions(n, Witness(TRUTH), 3)

    def test_an_oracle_that_cannot_be_called_is_refused(self):
        with pytest.raises(InvalidInputError, match="expected a function"):
            questions(3, TRUTH)


class TestPlay:
    def test_the_last_labelling_counts(self):
        found = play(questions(0), iter([np.array([0, 0, 0, 0]), np.array([5, 5, 2, 5])]))
        assert (found.labels.tolist(), found.k, found.n_answers, found.stopped) == ([0, 0, 1, 0], 2, 0, "")

    def test_without_a_labelling_every_object_is_alone(self):
        assert play(questions(0), iter([])).labels.tolist() == [0, 1, 2, 3]

    def test_asking_beyond_the_budget_ends_the_run_and_keeps_what_was_found(self):
        asked = questions(3)

        def algorithm():
            labels = np.zeros(4, np.int64)
            for other in (1, 2, 3):
                asked.ask([0], [other])
                labels[other] = other
                yield labels
            labels[:] = 7  # the array is the algorithm's own: what was yielded is kept as it was
            asked.ask([1], [2])
            yield labels

        found = play(asked, algorithm())
        assert found.labels.tolist() == [0, 1, 2, 3]
        assert found.n_answers == 3
        assert found.stopped == "1 more answer was wanted, and 0 of the budget of 3 are left"

    def test_giving_up_ends_the_run_and_keeps_what_was_found(self):
        def algorithm():
            yield np.zeros(4, np.int64)
            raise GaveUpError("too hard")

        found = play(questions(3), algorithm())
        assert (found.k, found.stopped) == (1, "too hard")

    def test_other_errors_pass(self):
        def algorithm():
            yield np.zeros(4, np.int64)
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            play(questions(3), algorithm())

    def test_the_cost_is_over_the_answers_that_came(self):
        oracle = Witness(TRUTH, gamma=0.8, seed=1)
        asked = questions(9, oracle)

        def algorithm():
            asked.ask([0, 0, 1], [1, 2, 3])
            asked.ask([1], [0])
            yield np.array([0, 1, 1, 0])

        found = play(asked, algorithm())
        assert found.cost == cost(oracle.similarity(), found.labels) > 0

    def test_the_outcome_is_a_clustering_that_says_what_it_took(self):
        found = play(questions(0), iter([]))
        assert isinstance(found, Outcome)
        assert isinstance(found, Clustering)
        assert repr(found) == "Outcome(4 objects in 4 clusters, cost 0, 0 answers)"
