"""What the owner sees, and nobody else: how people do, and results to take away."""

from ofakind.project.people import ErrorRate
from ofakind.project.project import Project
from ofakind.project.results import ResultOptions, table_of
from ofakind.project.writing import written_table
from ofakind.web.forms import OwnerOut, PersonOut, RateOut
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
    )


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
