"""One thread at a time in the methods of an object."""

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Concatenate, ParamSpec, Protocol, TypeVar


class Locked(Protocol):
    """Has a lock of its own."""

    _lock: RLock


S = TypeVar("S", bound=Locked)
P = ParamSpec("P")
R = TypeVar("R")


def alone(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Let one thread at a time be in such methods of an object; others wait for it.

    >>> class Counter:
    ...     def __init__(self):
    ...         self._lock, self.count = RLock(), 0
    ...
    ...     @alone
    ...     def up(self):
    ...         self.count += 1
    >>> counter = Counter()
    >>> counter.up(), counter.count
    (None, 1)
    """

    @wraps(method)
    def locked(self: S, /, *args: P.args, **options: P.kwargs) -> R:
        with self._lock:
            return method(self, *args, **options)

    return locked
