"""``ofakind judge``: a language model, or a command, looks at pairs first."""

from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ofakind.cli.printable import printable
from ofakind.cli.projects import ProjectPath, opened
from ofakind.errors import InvalidInputError, OfakindError

if TYPE_CHECKING:
    from ofakind.cli.judge_choice import JudgeChoice
    from ofakind.oracles.judge.base import PairJudge
    from ofakind.project.judging import JudgeLimits, JudgeSession


def judge(
    path: ProjectPath,
    *,
    question: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What the judge is asked; else the project's question.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="M", help="The model, as its server calls it; or OPENAI_MODEL.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="The server, up to /v1; or OPENAI_BASE_URL.")
    ] = None,
    key_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file with the key; else OPENAI_API_KEY has it.")
    ] = None,
    command: Annotated[
        str | None, typer.Option(metavar="CMD", help="A program instead of a model: a line in, a line out.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="JUDGE", help="What the judge is called; else like its model or program."),
    ] = None,
    budget: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Scores of this judge, in all runs together.")
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(metavar="X", min=0, help="What all judges of the project may cost in all runs."),
    ] = None,
    price_in: Annotated[
        float | None, typer.Option(metavar="P", min=0, help="Price of a million tokens that are sent.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option(metavar="P", min=0, help="Price of a million tokens that come back.")
    ] = None,
    per_call: Annotated[
        int, typer.Option(metavar="N", min=1, max=50, help="Records that one is compared with in a call.")
    ] = 5,
    concurrency: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=256, help="Calls at a time: 4; of a command, 1.")
    ] = None,
    swap_share: Annotated[
        float, typer.Option(metavar="S", min=0, max=1, help="Share of calls made again in the other order.")
    ] = 0.1,
    longest: Annotated[
        int, typer.Option(metavar="N", min=20, help="Characters of a field that a model is sent.")
    ] = 2000,
    max_tokens: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Tokens of a reply; more for one that thinks.")
    ] = None,
    picture_tokens: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Tokens that a picture counts at most."),
    ] = 2000,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="How long a reply may take.")
    ] = 120.0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many calls and tokens it takes and what they cost.")
    ] = False,
) -> None:
    """Let a language model look at pairs before people do, or instead of them where it is worth it.

    It asks any server that speaks the protocol of OpenAI's chat completions, on this machine or elsewhere,
    about pairs that ofakind chooses. What the model says is never taken for an answer: it is believed as far
    as people's answers agree with it. So label some pairs as well, before or after.

    Every reply is on the disk before the next counts. Ctrl-C, kill -9 or a dead server lose nothing, and the
    same command goes on where it stopped; what was asked once is not paid for again.

    With --command a program of yours is the judge. It gets a line of JSON for each pair, with question, left
    and right, and prints a line such as {"score": 0.8}, from -1 (different) to 1 (the same).

    Example: ofakind judge tickets.ofk --model small --budget 600 --dry-run
    """
    from ofakind.cli.judge_choice import JudgeChoice
    from ofakind.oracles.judge.prices import TokenPrices
    from ofakind.project.judging import JudgeLimits

    if budget is None and max_cost is None:
        raise InvalidInputError("nothing says where to stop; expected --budget or --max-cost, or both")
    prices = TokenPrices(price_in, price_out)
    if max_cost is not None and command is None and not prices.known:
        got = "--max-cost is given, and what tokens cost is not known before they are paid"
        raise InvalidInputError(f"{got}; expected --price-in and --price-out, for a million tokens each")
    choice = JudgeChoice(
        question=question,
        model=model,
        base_url=base_url,
        key_file=key_file,
        command=command,
        name=name,
        prices=prices,
        per_call=per_call,
        concurrency=concurrency,
        longest=longest,
        max_tokens=max_tokens,
        timeout=timeout,
        picture_tokens=picture_tokens,
    )
    limits = JudgeLimits(budget, max_cost, swap_share)
    if dry_run:
        _plan(path, choice, limits)
    else:
        _run(path, choice, limits)


def _plan(path: Path, choice: "JudgeChoice", limits: "JudgeLimits") -> None:
    """Say what it would take."""
    from ofakind.cli.judge_words import plan_lines

    with opened(path) as project:
        judge = choice.judge(project.question)
        try:
            session = project.judging(judge, limits)
            _say_if_otherwise(session)
            plan = session.plan()
        finally:
            judge.close()
    where = f"({choice.command})" if choice.command else f"at {choice.address}"
    for line in plan_lines(plan, limits, where, priced=choice.prices.known):
        typer.echo(line)


def _run(path: Path, choice: "JudgeChoice", limits: "JudgeLimits") -> None:
    """Let the judge look, and say what came of it, however it ends."""
    from ofakind.cli.judge_words import live, run_lines
    from ofakind.interrupts import before_the_end

    with opened(path, read_only=False) as project:
        judge = choice.judge(project.question)
        session = project.judging(judge, limits)
        try:
            _say_if_otherwise(session)
            with before_the_end(lambda: _end(judge, session)), live(limits.budget) as told:
                run = session.run(told)
        except (OfakindError, KeyboardInterrupt):
            for line in run_lines(session.so_far, priced=choice.prices.known):
                typer.echo(f"{line} · kept", err=True)
            _say_under_way(session)
            raise
        finally:
            judge.close()
    for line in run_lines(run, priced=choice.prices.known):
        typer.echo(line)
    if run.failed and not run.scores:
        raise OfakindError(f"nothing was said: {printable(run.problem or run.ended, width=300)}")
    typer.echo(f"next: ofakind label {printable(quote(str(path)))}")
    if run.unfinished:
        raise typer.Exit(1)


def _say_if_otherwise(session: "JudgeSession") -> None:
    """Warn where a judge of this name was asked something else before."""
    if session.asks_otherwise:
        was = f"{printable(session.judge.name)} was asked something else before"
        apart = "its scores stay, and another --name keeps the two apart"
        typer.echo(f"warning: {was} (question, model, server or program); {apart}", err=True)


def _end(judge: "PairJudge", session: "JudgeSession") -> None:
    """End programs that the judge has started, before a signal ends this one."""
    kill = getattr(judge, "kill", None)
    if kill is not None:
        kill()
    with suppress(OSError, RuntimeError):  # it may come in the middle of another line
        _say_under_way(session)


def _say_under_way(session: "JudgeSession") -> None:
    """Say how many calls there are whose end nobody waits for, and that a server may have charged them."""
    if calls := session.under_way:
        were = "1 call was" if calls == 1 else f"{calls} calls were"
        charged = " and may have been charged; what was set aside for them counts"
        typer.echo(f"{were} under way{'' if session.judge.runs_here else charged}", err=True)
