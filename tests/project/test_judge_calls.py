"""From pairs to calls."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from ofakind.oracles.judge.base import JudgeRequest
from ofakind.project.judge_calls import CallPlanner, grouped

PAIRS = list(combinations(range(9), 2))


class Screens:
    name = model = "m"
    one_against_several, runs_here, concurrency = True, False, 1

    def __init__(self, per_call):
        self.per_call = per_call

    def request(self, pairs):
        return JudgeRequest("", pairs, None)


@given(st.permutations(PAIRS), st.integers(1, 6), st.booleans())
def test_groups_hold_every_pair_once_and_share_an_object(pairs, size, sharing):
    groups = list(grouped(pairs, size, sharing=sharing))
    assert [pair for group in groups for pair in group] == pairs
    assert all(1 <= len(group) <= size for group in groups)
    if sharing:
        assert all(set(group[0]).intersection(*group) for group in groups)


@given(st.permutations(PAIRS), st.integers(1, 5), st.integers(1, 60), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_calls_keep_to_the_budget_and_a_swapped_one_is_the_other_way_round(pairs, size, most, share):
    calls = list(CallPlanner(Screens(size), lambda number: {"n": number}, 3, share).calls(pairs, most))
    scores = [(pair, call.swapped) for call in calls for pair in call.pairs]
    assert len(scores) == len(set(scores)) <= most
    shown = {
        (pair, call.swapped): tuple(record["n"] for record in records)
        for call in calls
        for pair, records in zip(call.pairs, call.request.pairs, strict=True)
    }
    for (pair, swapped), order in shown.items():
        assert tuple(sorted(order)) == pair
        assert not swapped or shown[pair, False] == order[::-1]


def test_a_share_of_the_calls_is_made_again_evenly():
    calls = list(CallPlanner(Screens(1), lambda number: {"n": number}, 0, 0.25).calls(PAIRS, 10**6))
    swapped = [call.pairs for call in calls if call.swapped]
    assert len(swapped) == len(PAIRS) // 4
    assert all(call.request.pairs != first.request.pairs for first, call in pairwise(calls))
