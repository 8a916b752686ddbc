"""What ``ofakind status`` says of judges."""

from typing import TYPE_CHECKING, Any

from ofakind.cli.printable import printable

if TYPE_CHECKING:
    from ofakind.project.judge_savings import WrongPairs
    from ofakind.project.judge_worth import JudgeWorth
    from ofakind.project.people import ErrorRate


def judge_lines(judges: "list[JudgeWorth]") -> list[tuple[str, str]]:
    """Return what is said of judges, line by line, with a word for each."""
    said = [("judge", _lines(one)) for one in judges]
    if judges and judges[0].saved is not None:
        said.append(("saved", list(judges[0].saved.lines)))
    return [("" if number else word, line) for word, lines in said for number, line in enumerate(lines)]


def _lines(one: "JudgeWorth") -> list[str]:
    from ofakind.project.status import counted

    cost = f" · cost {one.cost:.3g}, {one.cost_per_score:.2g} a score" if one.cost_per_score else ""
    failed = f" · {counted(one.n_failed, 'call')} failed" if one.n_failed else ""
    used = "groups go by it" if one.in_use else "groups do not go by it now"
    made = f"{counted(one.n_scores, 'score')} in {counted(one.n_calls, 'call')}"
    lines = [f"{printable(one.name, width=30)}: {made}{cost}{failed} · {used}"]
    if one.uncertain_cost:
        lines.append(f"up to {one.uncertain_cost:.3g} more may have been paid: calls whose end is not known")
    rates = [("the same", one.errors_on_same), ("others", one.errors_on_different)]
    known = [f"{_percent(rate)} of {word}" for word, rate in rates if rate is not None]
    against = f"({counted(one.n_compared, 'pair')})"
    lines.append(
        f"wrong on {', '.join(known)} {against}"
        if known
        else "too early to say how good it is: few of its pairs were answered"
    )
    if one.position is not None:
        seen = counted(one.position.flips.answers, "pair")
        lines.append(f"changes its mind in the other order on {_percent(one.position.flips)} of {seen}")
    return lines


def _percent(rate: "ErrorRate") -> str:
    low, high = rate.interval
    return f"{100 * rate.rate:.0f} % ({100 * low:.0f} to {100 * high:.0f} %)"


def judge_document(one: "JudgeWorth") -> dict[str, Any]:
    """Return what is known of a judge as JSON has it."""
    position = one.position
    return {
        "name": one.name,
        "models": list(one.models),
        "pairs": one.n_pairs,
        "scores": one.n_scores,
        "calls": one.n_calls,
        "failed_calls": one.n_failed,
        "tokens_in": one.tokens_in,
        "tokens_out": one.tokens_out,
        "cost": one.cost,
        "uncertain_cost": one.uncertain_cost,
        "cost_per_score": one.cost_per_score,
        "median_seconds": one.seconds,
        "in_use": one.in_use,
        "compared": one.n_compared,
        "errors_on_same": rate_document(one.errors_on_same),
        "errors_on_different": rate_document(one.errors_on_different),
        "flips_when_swapped": None if position is None else rate_document(position.flips),
        "shift_when_swapped": None if position is None else _shift(position.shift, position.interval),
        "disagreements": [
            {"left": each.left_id, "right": each.right_id, "score": each.score, "people": each.people}
            for each in one.disagreements
        ],
    }


def saved_document(judges: "list[JudgeWorth]") -> dict[str, Any] | None:
    """Return what all judges together saved as JSON has it; None where there are none."""
    saved = judges[0].saved if judges else None
    if saved is None:
        return None
    return {
        "verdict": str(saved.verdict),
        "wrong_pairs_with": _wrong_document(saved.with_judges),
        "wrong_pairs_without": _wrong_document(saved.without),
        "answers_without": saved.n_answers,
        "more_answers_without": {"about": saved.questions, "at_least": saved.at_least},
    }


def _wrong_document(wrong: "WrongPairs | None") -> dict[str, float | None] | None:
    if wrong is None:
        return None
    return {"expected": wrong.expected, "at_least": wrong.at_least, "at_most": wrong.at_most}


def rate_document(rate: "ErrorRate | None") -> dict[str, float] | None:
    """Return a rate with its interval as JSON has it."""
    if rate is None:
        return None
    return {"rate": rate.rate, "low": rate.interval[0], "high": rate.interval[1], "of_answers": rate.answers}


def _shift(mean: float, interval: tuple[float, float]) -> dict[str, float]:
    return {"mean": mean, "low": interval[0], "high": interval[1]}
