"""What a learner says of its own clusters, and which side of its intervals it offers."""

import numpy as np
import pytest

import ofakind as ok
from ofakind.report.accuracy import Accuracy
from ofakind.report.assessment import assess

FOUND = Accuracy(0.9, 20.0, (5.0, 40.0), 0.8, (0.6, 0.95), 3.0, (2.0, 4.0))


def test_without_its_worst_case_an_accuracy_keeps_the_better_side():
    found = FOUND.without_worst_case(10)
    assert (found.wrong_pairs_interval, found.ari_interval, found.open_ended) == ((5, 45), (-1, 0.95), True)
    assert (found.expected_wrong_pairs, found.clusters_interval) == (20, (2, 4))


def test_without_its_best_case_an_accuracy_keeps_the_worse_side():
    found = FOUND.without_best_case()
    assert (found.wrong_pairs_interval, found.ari_interval, found.open_ended) == ((0, 40), (0.6, 1), False)


@pytest.mark.slow
@pytest.mark.parametrize("blocked", [False, True])
def test_where_pairs_are_blocked_only_the_upper_side_is_offered(blocked):
    truth = np.arange(60) // 3
    near = [(u, v) for v in range(60) for u in range(max(0, v - 6), v)]
    learner = ok.ActiveClustering(60, belief=ok.PartitionBelief(blocked=blocked), candidates=near)
    for _ in ok.run(learner, ok.FlippingOracle(truth, 0.2, 0), 120):
        pass
    plain = ok.accuracy(learner.posterior.labels, learner.posterior.chain, learner.labels)
    found = assess(learner.posterior, learner.labels, learner.answers)
    assert plain.wrong_pairs_interval[0] > 0
    assert plain.ari_interval[1] < 1
    assert found == (plain.without_best_case() if blocked else plain)


def test_what_holds_no_samples_is_refused():
    with pytest.raises(ok.InvalidInputError, match="a str holds no samples of partitions"):
        assess("samples", [0], ok.Answers.none(1))
