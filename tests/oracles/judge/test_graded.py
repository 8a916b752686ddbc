"""Reading what a model wrote."""

import pytest

from ofakind.errors import JudgeFailedError
from ofakind.oracles.judge.graded import read_scores


@pytest.mark.parametrize(
    "text",
    [
        '{"1": 100, "2": 25}',
        '  {"2": 25.0, "1": 100}\n',
        '```json\n{"1": 100, "2": 25}\n```',
        '<think>is it {"1": 0}?</think>\n{"1": 100, "2": 25}',
    ],
)
def test_the_numbers_that_were_asked_for_are_scores(text):
    assert read_scores(text, 2) == (1.0, -0.5)


@pytest.mark.parametrize(
    "text",
    [
        None,
        ["1"],
        "",
        "yes",
        "100",
        "[100, 25]",
        '{"1": 100}',
        '{"1": 100, "2": 25, "3": 1}',
        '{"1": 100, "1": 0, "2": 25}',
        '{"1": 101, "2": 25}',
        '{"1": 0.82, "2": 0.1}',
        '{"1": 99.5, "2": 25}',
        '{"1": -1, "2": 25}',
        '{"1": true, "2": 25}',
        '{"1": "100", "2": 25}',
        '{"1": NaN, "2": 25}',
        '{"1": 1e999, "2": 25}',
        '{"1": 100, "2": 25} and so on',
        'Sure: {"1": 100, "2": 25}',
        "[" * 100_000,
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(JudgeFailedError):
        read_scores(text, 2)
