"""Threads that begin together."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier


def in_threads(count, work):
    """Results of work(0), work(1), ..., each in a thread, all begun at once."""
    start = Barrier(count)

    def begun(number):
        start.wait()
        return work(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(begun, range(count)))
