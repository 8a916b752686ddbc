"""Judges in a report: what each did, what it cost, how it does against people, and where they differ."""

from collections.abc import Iterator

from ofakind.project.judge_worth import JudgeWorth
from ofakind.project.page.gathered import REPORT, Gathered
from ofakind.project.page.parts import rate_words, record_table
from ofakind.project.page.text import plain, shown
from ofakind.project.status import counted, thin

EXPLAINED = (
    "What a judge says is no answer, but is believed as far as people agree with it. Here people's answers "
    "are taken for the truth. They were asked about pairs in doubt, so these rates say more of hard pairs "
    "than of all."
)
JUDGE_NUMBERS = ("scores", "calls", "tokens", "cost")


def judge_section(data: Gathered) -> str:
    """Return the section on judges, nothing where there are none."""
    if not data.judges:
        return ""
    numbers = "".join(f"<th class=number>{word}</th>" for word in JUDGE_NUMBERS)
    head = f"<tr><th>judge</th>{numbers}<th>wrong about pairs of a kind</th><th>wrong about others</th>"
    head += "<th>changes its mind in the other order</th></tr>"
    table = f'<div class="card wide"><table>{head}{"".join(map(_row, data.judges))}</table></div>'
    cards = "".join(card for one in data.judges for card in _cards(data, one))
    differ = f"<h3>Where a judge and people differ</h3>{cards}" if cards else ""
    return f"<h2 id=judges>Judges</h2><p>{EXPLAINED}</p>{table}{_saved(data.judges[0])}{differ}"


def _saved(one: JudgeWorth) -> str:
    """Say what all judges together saved."""
    return "" if one.saved is None else f"<p>What was saved: {plain(str(one.saved), 400)}.</p>"


def _row(one: JudgeWorth) -> str:
    used = "" if one.in_use else "<br><span class=faint>groups do not go by it now</span>"
    failed = f"<br><span class=faint>{counted(one.n_failed, 'call')} failed</span>" if one.n_failed else ""
    each = "" if not one.cost_per_score else f"<br><span class=faint>{one.cost_per_score:.2g} a score</span>"
    flips = None if one.position is None else one.position.flips
    cells = [
        f"<td>{shown(one.name, 80)}{used}</td>",
        f"<td class=number>{thin(one.n_scores)}</td>",
        f"<td class=number>{thin(one.n_calls)}{failed}</td>",
        f"<td class=number>{thin(one.tokens_in + one.tokens_out)}</td>",
        f"<td class=number>{one.cost:.4g}{each}</td>",
        f"<td>{rate_words(one.errors_on_same)}</td>",
        f"<td>{rate_words(one.errors_on_different)}</td>",
        f"<td>{rate_words(flips)}</td>",
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _cards(data: Gathered, judge: JudgeWorth) -> Iterator[str]:
    for one in judge.disagreements[: REPORT.disagreements]:
        said, theirs = ("the same" if value > 0 else "different" for value in (one.score, one.people))
        head = f"<span>{shown(judge.name, 60)} says {said} ({one.score:+.2f}), people say {theirs}</span>"
        table = record_table(data, (one.left_id, one.right_id))
        yield f'<div class="card"><div class="head">{head}</div>{table}</div>'
