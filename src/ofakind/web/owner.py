"""What the owner sees, and nobody else: how people and judges do, and results to take away."""

from ofakind.project.judge_savings import JudgeSavings, WrongPairs
from ofakind.project.judge_worth import JudgeWorth
from ofakind.project.people import ErrorRate
from ofakind.project.project import Project
from ofakind.project.results import ResultOptions, table_of
from ofakind.project.writing import written_table
from ofakind.web.forms import JudgeOut, OwnerOut, PersonOut, RateOut, SavedOut, WrongOut
from ofakind.web.people import Access
from ofakind.web.progress import Seen

EXPORT_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}


def owner_view(project: Project, access: Access, seen: Seen | None) -> OwnerOut:
    """Return everybody who may answer or has answered; rates as of what was seen last."""
    counts, last, tokens = project.answer_counts(), last_answers(project), access.tokens
    known = {} if seen is None else {one.name: one for one in seen.people}
    people = []
    for name in dict.fromkeys([*tokens, *sorted({*counts, *known})]):
        person, pace = known.get(name), project.speed(name, None)
        people.append(
            PersonOut(
                name=name,
                owner=name == access.owner,
                invited=name in tokens,
                answers=counts.get(name, 0),
                skips=0 if person is None else person.n_skips,
                seconds_per_pair=pace.pairs,
                seconds_per_screen=pace.screens,
                last_at=last.get(name),
                errors_on_same=None if person is None else rate_of(person.errors_on_same),
                errors_on_different=None if person is None else rate_of(person.errors_on_different),
            )
        )
    status = None if seen is None else seen.status
    return OwnerOut(
        people=people,
        agreement=None if status is None else status.agreement,
        compared=0 if status is None else status.n_compared,
        judges=[] if seen is None else [judge_out(one) for one in seen.judges],
        saved=None if seen is None or not seen.judges else saved_out(seen.judges[0].saved),
    )


def judge_out(one: JudgeWorth) -> JudgeOut:
    """Return a judge as it is sent; the pairs about which it and people differ are for the report."""
    return JudgeOut(
        name=one.name,
        scores=one.n_scores,
        calls=one.n_calls,
        failed_calls=one.n_failed,
        tokens=one.tokens_in + one.tokens_out,
        cost=one.cost,
        uncertain_cost=one.uncertain_cost,
        cost_per_score=one.cost_per_score,
        compared=one.n_compared,
        errors_on_same=rate_of(one.errors_on_same),
        errors_on_different=rate_of(one.errors_on_different),
        flips=None if one.position is None else rate_of(one.position.flips),
        in_use=one.in_use,
    )


def saved_out(found: JudgeSavings | None) -> SavedOut | None:
    """Return what judges saved as it is sent."""
    if found is None:
        return None
    return SavedOut(
        verdict=found.verdict.value,
        with_judges=_wrong_out(found.with_judges),
        without=_wrong_out(found.without),
        answers=found.n_answers,
        behind=found.behind,
        questions=found.questions,
        at_least=found.at_least,
    )


def _wrong_out(found: WrongPairs | None) -> WrongOut | None:
    if found is None:
        return None
    return WrongOut(wrong_expected=found.expected, wrong_at_least=found.at_least, wrong_at_most=found.at_most)


def rate_of(found: ErrorRate | None) -> RateOut | None:
    """Return a rate of errors as it is sent."""
    if found is None:
        return None
    low, high = found.interval
    return RateOut(rate=found.rate, low=low, high=high, answers=found.answers)


def last_answers(project: Project) -> dict[str, str]:
    """Return when everybody answered last."""
    return {one.annotator: one.at for one in project.answers}


def exported(project: Project, what: str, kind: str) -> bytes:
    """Return results as a file; what a spreadsheet would compute is made inert in it."""
    return written_table(table_of(project, what, ResultOptions(columns=what == "groups")), what, kind)
