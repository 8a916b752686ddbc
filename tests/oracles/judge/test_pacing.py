"""When a call is tried again."""

from datetime import UTC, datetime

import pytest

from ofakind.oracles.judge.pacing import RETRY, Pacing, delay_before, retry_after

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        ("-5", 0.0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("nan", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_a_server_says_in_seconds_or_by_a_date_when_to_come_again(header, seconds):
    assert retry_after(header, NOON) == seconds


def test_waits_grow_up_to_a_limit():
    waits = [delay_before(attempt, "key") for attempt in range(1, 30)]
    assert waits[3] > waits[0]
    assert max(waits) <= RETRY.most
    assert min(waits) >= RETRY.first / 2


def test_what_holds_one_call_holds_all():
    now = [100.0]
    pacing = Pacing(lambda: now[0])
    pacing.hold(5)
    pacing.hold(2)
    assert pacing.to_wait == 5
    now[0] = 106.0
    assert pacing.to_wait == 0
