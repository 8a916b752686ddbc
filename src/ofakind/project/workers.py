"""Threads that nobody has to wait for: when the program ends, they end, whatever they wait for themselves."""

from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
Job = tuple["Future[None]", Callable[[], None]]


class Workers:
    """So many threads that do what they are given, in its order. `end` them when there is nothing more."""

    def __init__(self, count: int) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._threads = [Thread(target=self._work, daemon=True, name="ofakind-worker") for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def submit(self, function: Callable[[T], None], argument: T) -> "Future[None]":
        """Let a function be called with an argument."""
        future: Future[None] = Future()
        self._jobs.put((future, lambda: function(argument)))
        return future

    def cancel(self) -> None:
        """Forget what nobody has begun."""
        while True:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return
            if job is not None:
                job[0].cancel()
                job[0].set_running_or_notify_cancel()

    def end(self) -> None:
        """Let the threads end after what they have."""
        for _ in self._threads:
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, call = job
            if future.set_running_or_notify_cancel():
                try:
                    call()
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(None)
