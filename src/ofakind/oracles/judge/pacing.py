"""When to try again: later each time, and not before a server says so, for all calls at once."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock


@dataclass(frozen=True, slots=True)
class RetryRules:
    """How often and how late a call is tried again; by judgement."""

    attempts: int = 7  # in all,
    to_reach: int = 3  # and where nobody is there
    first: float = 0.5  # seconds before the second attempt,
    growth: float = 2.0  # times as many before each further one,
    most: float = 60.0  # but not more than these
    patience: float = 300.0  # seconds that a server may ask for; a call for which it wants more has failed


RETRY = RetryRules()


class Pacing:
    """A moment before which no call is made, shared by all."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._from = 0.0

    def hold(self, seconds: float) -> None:
        """Let nobody call for so long."""
        with self._lock:
            self._from = max(self._from, self._clock() + seconds)

    @property
    def to_wait(self) -> float:
        """Seconds until calls may be made."""
        with self._lock:
            return max(self._from - self._clock(), 0.0)


def delay_before(attempt: int, key: str) -> float:
    """Return how long to wait before an attempt (the second is 1); calls spread out by their keys.

    >>> [round(delay_before(number, "a"), 1) for number in (1, 2, 3)]
    [0.3, 0.6, 1.3]
    """
    growth = RETRY.growth ** (attempt - 1)  # portable: decides how long to wait, nothing else
    whole = min(RETRY.first * growth, RETRY.most)
    return whole * (0.5 + hashlib.sha256(f"{attempt} {key}".encode()).digest()[0] / 512)


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Read a Retry-After header: seconds, or a date; None if there is none that can be read.

    >>> retry_after("2.5"), retry_after("soon"), retry_after(None)
    (2.5, None, None)
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
        except ValueError:
            return None
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        seconds = (when - (now or datetime.now(UTC))).total_seconds()
    return min(max(seconds, 0.0), 1e9) if seconds == seconds else None
