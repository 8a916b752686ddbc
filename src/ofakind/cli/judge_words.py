"""What ``ofakind judge`` says: a plan, how far it is, and what came of it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ofakind.cli.printable import printable
from ofakind.project.judging import MONEY_SPENT, JudgeLimits, JudgePlan, JudgeRun
from ofakind.project.status import counted, thin


def plan_lines(plan: JudgePlan, limits: JudgeLimits, where: str, *, priced: bool) -> list[str]:
    """Say what a run would take."""
    lines = [f"{printable(plan.judge)} {printable(where)} · a plan, nothing is sent"]
    if not plan.calls:
        return [*lines, "  nothing is left to do: the budget is used, or no pair is worth a look"]
    reused = f"; {counted(plan.reused, 'call')} more known already" if plan.reused else ""
    lines.append(f"  calls    {thin(plan.calls)}, with {counted(plan.scores, 'score')}{reused}")
    if plan.pictures:
        most = f"at most {thin(plan.most_pictures)} with {thin(plan.most_bytes)} bytes in a call"
        lines.append(f"  pictures {thin(plan.pictures)} are sent, {most}")
    if plan.tokens_in:
        lines.append(f"  tokens   about {thin(plan.tokens_in)} in, {thin(plan.tokens_out)} out")
    if priced:
        most = f"at most {money(plan.worst)} unless replies are lost or cannot be used"
        lines.append(f"  cost     about {money(plan.cost)}; {most}")
    elif plan.tokens_in:
        lines.append("  cost     not known; --price-in and --price-out say what a million tokens cost")
    rest = 0.0
    if plan.left:
        rest = plan.cost / plan.scores * plan.left
        price = f", about {money(rest)}" if priced else ""
        more = f"up to {counted(plan.left, 'score')} more{price}"
        lines.append(f"  then     {more}, as far as that shows to be worth it")
    if plan.spent:
        lines.append(f"  before   {money(plan.spent)} was spent on this project")
    if limits.max_cost is not None:
        lines.append(f"  limit    --max-cost {money(limits.max_cost)} {_enough(plan, rest, limits.max_cost)}")
    return lines


def _enough(plan: JudgePlan, rest: float, most: float) -> str:
    """Say how far the money goes; ``rest`` is what comes after the plan."""
    if plan.spent + plan.one > most:
        return f"is too little for a call: it may cost {money(plan.one)}"
    if plan.spent + plan.cost + rest <= most:
        return "should be enough"
    return "will stop it before the end"


def run_lines(run: JudgeRun, *, priced: bool) -> list[str]:
    """Say what came of a run."""
    parts = [f"{printable(run.judge)}: {counted(run.scores, 'new score')} in {counted(run.calls, 'call')}"]
    parts += [f"{counted(run.reused, 'call')} known already"] if run.reused else []
    parts += [f"{thin(run.tokens_in)} tokens in, {thin(run.tokens_out)} out"] if run.tokens_in else []
    aside = f" ({money(run.set_aside)} of it only set aside, for replies that were lost or say no cost)"
    parts += [f"cost {money(run.cost)}{aside if run.set_aside else ''}"] if priced or run.cost else []
    parts += [run.ended] if run.ended else []
    lines = [" · ".join(parts)]
    if run.failed:
        lines.append(
            f"{counted(run.failed, 'call')} failed, the last with: {printable(run.problem, width=300)}"
        )
    if run.ended == MONEY_SPENT:
        lines.append(f"{run.short}: a higher --max-cost goes on")
    if run.unfinished and run.scores:
        parts = [counted(run.lost, "pair")] if run.lost else []
        parts += [f"what is left of {counted(run.left_out, 'record')}"] if run.left_out else []
        lines.append(f"nothing was said of {' and '.join(parts)}: the same command tries again")
    return lines


def money(value: float) -> str:
    """Write an amount, small ones with more digits.

    >>> money(2.0), money(0.01234), money(0.0)
    ('2.00', '0.0123', '0.00')
    """
    return f"{value:.2f}" if value >= 1 or value == 0 else f"{value:.3g}"


def doing(run: JudgeRun) -> str:
    """Say what a run does at this moment.

    >>> doing(JudgeRun("small", waits=(4.2, 9.0)))
    'the server is busy, 2 calls wait, the next for 4 s'
    """
    if run.ended:
        return f"{run.ended}; Ctrl-C again leaves at once"
    if run.waits:
        calls = "1 call waits" if len(run.waits) == 1 else f"{len(run.waits)} calls wait, the next"
        return f"the server is busy, {calls} for {run.waits[0]:.0f} s"
    return "judging"


@contextmanager
def live(budget: int | None) -> Iterator[Callable[[JudgeRun], None]]:
    """Show on a terminal how far it is; gives a function that is told."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.text import Text

    begun, of = time.monotonic(), "" if budget is None else f" (budget {thin(budget)})"
    status = Console(stderr=True).status(Text(f"judging{of}"))

    def told(run: JudgeRun) -> None:
        rate = run.calls / max(time.monotonic() - begun, 1e-3)
        failed = f" · {counted(run.failed, 'call')} failed" if run.failed else ""
        tokens = thin(run.tokens_in + run.tokens_out)
        said = f"{counted(run.scores, 'score')}{of} · {counted(run.calls, 'call')}, {rate:.1f} a second"
        status.update(Text(f"{doing(run)}: {said} · {tokens} tokens · cost {money(run.cost)}{failed}"))

    try:
        status.start()
        yield told
    finally:
        with suppress(OSError):
            status.stop()
