"""Letting a judge look at pairs: calls in threads, each on the disk before it counts, none paid for twice.

Before an attempt is made that costs something, the most that it can cost is on the disk, too. So a process
that is killed can be started again and again, and a cap on all costs holds.
"""

import math
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import CancelledError, Future, as_completed, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock

from ofakind.checks import real_number, whole_number
from ofakind.errors import (
    BudgetSpentError,
    InvalidInputError,
    JudgeFailedError,
    JudgeRefusedError,
    OfakindError,
)
from ofakind.oracles.judge.base import JudgeReply, PairJudge
from ofakind.oracles.judge.spending import CallAllowance, SpendingCap
from ofakind.project.books import Books
from ofakind.project.fields import Pair
from ofakind.project.judge_calls import CallPlanner, PlannedCall
from ofakind.project.judge_events import STOPPED, JudgeCalled, JudgeSent, visible_name
from ofakind.project.judge_failures import FailedCalls
from ofakind.project.workers import Workers

Chooser = Callable[[int, Collection[Pair], Collection[int]], Sequence[Pair]]
# so many pairs, without these, and without any about these objects
BUDGET_USED, MONEY_SPENT = "the budget is used", "the money is spent"  # the limits at which a run ends


@dataclass(frozen=True, slots=True)
class JudgingRules:
    """How a judge is asked; by judgement."""

    together: int = 240  # pairs that are chosen at a time: what was said of them helps to choose the next
    planned: int = 20_000  # scores that are planned for where no budget is given


JUDGE_PACE = JudgingRules()


@dataclass(frozen=True, slots=True)
class JudgeLimits:
    """How far it may go: scores of this judge and money for all, both in all runs together; None: no limit.

    ``swap_share`` of the calls are made a second time with the two of each pair in the other order.
    """

    budget: int | None = None
    max_cost: float | None = None
    swap_share: float = 0.1

    def __post_init__(self) -> None:
        if self.budget is not None:
            whole_number("budget", self.budget, least=1)
        if self.max_cost is not None:
            real_number("max_cost", self.max_cost, least=0)
        real_number("swap_share", self.swap_share, least=0, most=1)


@dataclass(frozen=True, slots=True)
class JudgeRun:
    """What came of a run, or has come so far; ``ended`` says why it is over, ``problem`` what failed last.

    ``calls`` are those that were made now, and ``scores`` what is new; ``reused`` calls were paid before.
    ``cost`` counts the most for attempts whose reply was lost, or did not say it: ``set_aside`` of it.
    """

    judge: str
    calls: int = 0
    scores: int = 0
    reused: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    ended: str = ""
    problem: str | None = None
    set_aside: float = 0.0
    waits: tuple[float, ...] = ()  # in how many seconds calls that wait for a busy server are made again
    short: str = ""  # where the money is spent: how much it is, and what another call may cost
    lost: int = 0  # pairs about which nothing was said, also when they were asked about alone,
    left_out: int = 0  # and objects about which no call is made any more, for too many of them failed

    @property
    def unfinished(self) -> bool:
        """Whether pairs are left about which nothing was said, so that another run would ask again."""
        return self.lost + self.left_out > 0 and self.ended not in (BUDGET_USED, MONEY_SPENT)


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """What a run would take, before anything is sent: about so much, and ``worst`` at the very most.

    That is what is worth a look now. What is said may show that more is: so many scores are ``left`` of the
    budget then. A single call costs ``one`` at most.
    """

    judge: str
    calls: int = 0
    scores: int = 0
    left: int | None = None
    one: float = 0.0
    reused: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    worst: float = 0.0
    spent: float = 0.0
    pictures: int = 0
    most_pictures: int = 0  # in a call,
    most_bytes: int = 0  # and of all pictures in a call


@dataclass(eq=False)
class JudgeSession:
    """A judge at work on a project. `plan` sends nothing; `run` goes on until a limit is reached.

    Where what it says ``shows_more`` that is worth a look, a plan is only of the beginning.
    """

    books: Books
    choose: Chooser
    planner: CallPlanner
    limits: JudgeLimits = field(default_factory=JudgeLimits)
    shows_more: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        visible_name(self.judge.name)
        self._lock, self._failed = Lock(), FailedCalls()
        self._futures: list[Future[None]] = []
        self._so_far = JudgeRun(self.judge.name)
        self._told: Callable[[JudgeRun], None] = lambda _: None
        self._cap = SpendingCap(self.limits.max_cost, self.spent)

    @property
    def judge(self) -> PairJudge:
        """The judge."""
        return self.planner.judge

    @property
    def so_far(self) -> JudgeRun:
        """What has come of it so far."""
        return self._so_far

    @property
    def under_way(self) -> int:
        """How many calls have begun and not ended."""
        return sum(one.running() for one in self._futures)

    @property
    def spent(self) -> float:
        """What all judges of the project have cost so far, with what is set aside."""
        return self.books.run(lambda: self.books.ledger.judges.spent)

    @property
    def asks_otherwise(self) -> bool:
        """Whether this judge was last asked another question, or was another model or program."""
        calls = self.books.run(lambda: list(self.books.ledger.judges.of(self.judge.name)))
        last = next((one for one in reversed(calls) if one.pairs and not one.swapped), None)
        if last is None:
            return False
        with suppress(OfakindError):  # a picture may have changed since
            again = self.planner.again(last.pairs)
            return again is None or again.request.digest != last.digest
        return False

    @property
    def left(self) -> int | None:
        """How many more scores the budget allows; None without a limit."""
        if self.limits.budget is None:
            return None
        said = self.books.run(lambda: self.books.ledger.judges.n_scores(self.judge.name))
        return max(self.limits.budget - said, 0)

    def plan(self) -> JudgePlan:
        """Return what a run would take, as far as is known now; nothing is sent."""
        left = JUDGE_PACE.planned if self.left is None else self.left
        found = JudgePlan(self.judge.name, spent=self._cap.spent)
        pairs = self.choose(self._first_looks(left), (), ()) if left else ()
        if self.shows_more():
            found = replace(found, left=self.left)
        for call in self.planner.calls(pairs, left):
            if found.left is not None:
                found = replace(found, left=found.left - len(call.pairs))
            if self._known(call) is not None:
                found = replace(found, reused=found.reused + 1)
                continue
            expected, worst = call.request.expected, call.request.worst
            found = replace(
                found,
                calls=found.calls + 1,
                scores=found.scores + len(call.pairs),
                tokens_in=found.tokens_in + expected.tokens_in,
                tokens_out=found.tokens_out + expected.tokens_out,
                cost=found.cost + expected.cost,
                worst=found.worst + worst.cost,
                one=max(found.one, worst.cost),
                pictures=found.pictures + call.request.pictures,
                most_pictures=max(found.most_pictures, call.request.pictures),
                most_bytes=max(found.most_bytes, call.request.picture_bytes),
            )
        return found

    def run(self, told: Callable[[JudgeRun], None] | None = None) -> JudgeRun:
        """Make calls until the budget or the money is spent, or nothing more is worth it.

        ``told`` hears after each call how far it is. Ctrl-C lets calls under way end, so that what is paid is
        kept; a second one does not wait. A judge that can answer nothing raises `JudgeRefusedError`.
        """
        self._told = told or self._told
        workers = Workers(self.judge.concurrency)
        try:
            while not self._so_far.ended:
                self._round(workers)
            finish = getattr(self.judge, "finish", None)
            if finish is not None:
                finish()
        except BaseException:
            self._cap.stop.set()
            workers.cancel()
            self._told(replace(self._so_far, ended="waiting for calls under way"))
            wait(self._futures)
            raise
        finally:
            workers.end()
        return self._so_far

    # -- inside --------------------------------------------------------------------------------------------

    def _round(self, workers: Workers) -> None:
        """Choose some pairs and let the judge look at them."""
        left = JUDGE_PACE.together if self.left is None else min(self.left, JUDGE_PACE.together)
        if not left:
            self._end(BUDGET_USED)
            return
        wanted = self._first_looks(left)
        failed = self._failed
        pairs = self.choose(wanted, failed.lost, failed.spoiling)
        planned = self.planner.calls(pairs, left, alone=failed.alone)
        calls = [one for one in planned if one.request.digest not in failed.digests]
        if not calls:
            some = pairs or failed.lost or failed.spoiling
            self._end("what is left has failed" if some else "nothing more is worth a look")
            return
        before = self._so_far
        new = {one.request.digest: one for one in reversed(calls) if not self._copied(one)}  # each once
        futures = {workers.submit(self._make, one): one for one in reversed(new.values())}
        self._futures = list(futures)
        for future in as_completed(futures):
            self._take(future, futures[future])
        if self._so_far == before:
            self._end("nothing new was said")  # all of it was known

    def _first_looks(self, scores: int) -> int:
        """Return how many pairs make so many scores, those in the other order among them."""
        return math.ceil(scores / (1 + self.limits.swap_share))

    def _take(self, future: Future[None], call: PlannedCall) -> None:
        """Look at how a call ended."""
        try:
            future.result()
            self._failed.answered()
        except CancelledError:
            pass
        except BudgetSpentError as error:
            self._cap.stop.set()  # calls under way still end
            self._end(MONEY_SPENT, str(error))
        except JudgeRefusedError:
            raise
        except JudgeFailedError as error:
            self._count_failure(call, error)

    def _count_failure(self, call: PlannedCall, error: JudgeFailedError) -> None:
        """See what failures in a row have in common."""
        works = self.books.run(lambda: self.books.ledger.judges.n_scores(self.judge.name)) > 0
        if self._failed.gives_up(call, works=works):
            got = f"{len(self._failed.row)} calls failed one after the other, the last with: {error}"
            raise JudgeRefusedError(f"{got}; everything before is kept") from error
        with self._lock:
            self._so_far = replace(self._so_far, left_out=len(self._failed.spoiling))

    def _make(self, call: PlannedCall) -> None:
        """Make a call and write what came of it, before anybody hears of it."""
        if call.objects & self._failed.spoiling:
            raise CancelledError
        sent: list[int] = []
        name, request, begun = self.judge.name, call.request, time.monotonic()

        def announce(cost: float) -> None:
            sent.append(self.books.write([JudgeSent(name, request.digest, cost)]))

        allowance = CallAllowance(self._cap, announce, self._tell_waiting)
        problem, reply = None, JudgeReply(())
        cause: str | None = None  # the problem, if it is the judge's
        try:
            reply = self.judge.ask(request, allowance)
        except (JudgeFailedError, BudgetSpentError, CancelledError) as error:
            problem = str(error) or STOPPED
            cause = problem if isinstance(error, JudgeFailedError) else None
            if isinstance(error, JudgeRefusedError):
                self._cap.stop.set()
            if sent or type(error) is JudgeFailedError:  # what never was a call is no event
                self._failed.add(call)
            raise
        except BaseException:
            self._cap.stop.set()
            raise
        finally:
            allowance.settle(None)
            if reply.scores or request.digest in self._failed.digests:
                took = int(1000 * (time.monotonic() - begun))
                event = replace(self._event(call, reply, problem), milliseconds=took)
                self._write(replace(event, cost=allowance.cost, sent=tuple(sent)), allowance.unknown, cause)
        if reply.failure is not None:
            if type(reply.failure) is JudgeFailedError:
                self._failed.alone.update(call.pairs[len(reply.scores) :])
            else:
                self._cap.stop.set()
            raise reply.failure

    def _event(self, call: PlannedCall, reply: JudgeReply, problem: str | None) -> JudgeCalled:
        """Return what is written of a call: of one that failed in the middle, the first pairs."""
        if reply.failure is not None:
            call = self.planner.first(call, len(reply.scores))
        return JudgeCalled(
            self.judge.name,
            self.judge.model,
            call.request.digest,
            call.pairs if reply.scores else (),
            reply.scores,
            call.swapped,
            reply.tokens_in,
            reply.tokens_out,
            cost=0.0,
            milliseconds=0,
            problem=None if reply.scores else problem or "an error that is not the judge's",
        )

    def _write(self, event: JudgeCalled, unknown: float, cause: str | None) -> None:
        """Write a call, then count it."""
        self.books.write([event])
        with self._lock:
            now = self._so_far
            self._so_far = replace(
                now,
                calls=now.calls + 1,
                scores=now.scores + len(event.scores),
                failed=now.failed + event.failed,
                tokens_in=now.tokens_in + event.tokens_in,
                tokens_out=now.tokens_out + event.tokens_out,
                cost=now.cost + event.cost,
                set_aside=now.set_aside + unknown,
                problem=cause or now.problem or (event.problem if event.failed else None),
                lost=len(self._failed.lost),
            )
            with suppress(OSError):  # nobody may be there to see it
                self._told(self._so_far)

    def _tell_waiting(self) -> None:
        """Say which calls wait for a server that is busy."""
        with self._lock, suppress(OSError):
            self._told(replace(self._so_far, waits=self._cap.waits))

    def _known(self, call: PlannedCall) -> int | None:
        return self.books.run(lambda: self.books.ledger.judges.known.get(call.request.digest))

    def _copied(self, call: PlannedCall) -> bool:
        """Whether the same was asked before, of equal records or under another name; it costs nothing."""
        found = self._known(call)
        if found is None:
            return False
        old = self.books.run(lambda: self.books.ledger.judges.calls[found])
        if (old.judge, old.pairs, old.swapped) != (self.judge.name, call.pairs, call.swapped):
            if len(old.scores) != len(call.pairs):
                raise InvalidInputError(f"event {found} asked the same about other pairs; nothing was sent")
            new = replace(old, judge=self.judge.name, pairs=call.pairs, swapped=call.swapped, copies=found)
            self.books.write([replace(new, tokens_in=0, tokens_out=0, cost=0.0, milliseconds=0, sent=())])
            with self._lock:
                now = self._so_far
                scores = now.scores + len(call.pairs)
                self._so_far = replace(now, reused=now.reused + 1, scores=scores)
        return True

    def _end(self, reason: str, short: str = "") -> None:
        with self._lock:
            now = self._so_far
            self._so_far = replace(now, ended=now.ended or reason, short=now.short or short)
