"""The sections of a report, as HTML."""

from collections.abc import Iterator, Sequence

from ofakind.project.describe import GroupDescription
from ofakind.project.doubtful import DoubtfulPair
from ofakind.project.fields import Content, ObjectId
from ofakind.project.page.gathered import REPORT, Gathered, shown_groups
from ofakind.project.page.text import plain, shown
from ofakind.project.people import ErrorRate, Person
from ofakind.project.results import most_frequent
from ofakind.project.status import counted, thin

SURE = 0.9  # a group below this is marked as doubtful
STILL_OPEN = 0.05  # a pair is in doubt while P(same) is this far from 0 and from 1


def tiles(data: Gathered) -> str:
    """The numbers that matter, each with the side that holds."""
    status, ahead = data.status, data.prospect
    several = sum(len(one) > 1 for one in data.groups)
    people = counted(len(data.people), "person").replace("persons", "people")
    found = [
        ("answers", thin(status.n_answers), f"by {people}" if data.people else "nobody yet"),
        (
            "groups",
            thin(status.n_clusters),
            f"{thin(several)} of two or more, {counted(status.n_objects, 'object')}",
        ),
        ("wrong pairs", *wrong_words(data)),
        (f"left to {100 * ahead.target:g} % of chance", *_left_words(data)),
        (f"next {ahead.questions} questions", *_next_words(data)),
    ]
    made = (
        f'<div class="tile"><span>{name}</span><b>{big}</b><small>{small}</small></div>'
        for name, big, small in found
    )
    return f'<div class="tiles">{"".join(made)}</div>'


def wrong_words(data: Gathered) -> tuple[str, str]:
    """Say how many pairs are wrong: the number that holds, large, and what it means."""
    status = data.status
    if status.lacking or status.expected_wrong_pairs is None:
        more = f"about {counted(status.lacking, 'more answer')}" if status.lacking else "nothing was answered"
        return "too early", more
    low, high = status.limits
    expected = f"{thin(status.expected_wrong_pairs)} expected"
    if high is None:
        return f"≥ {thin(low or 0)}", f"{expected}; errors come together, so there is no upper limit"
    if low is None or round(low) in (0, round(high)):
        return f"≤ {thin(high)}", f"{expected}; at most so many, nine times in ten"
    return f"{thin(low)}\u2013{thin(high)}", f"{expected}; between these, nine times in ten"


def _left_words(data: Gathered) -> tuple[str, str]:
    forecast = data.prospect.forecast
    base = f"{100 * (1 - data.prospect.target):g} % fewer wrong pairs than random groups"
    if data.status.lacking or data.status.expected_wrong_pairs is None:
        return "too early", base
    if data.prospect.reached:
        return "reached", base
    if forecast.reached:
        why = "but errors come together" if data.prospect.open_ended else "not sure yet"
        return "reached?", f"{base}: expected, {why}"
    if forecast.questions is not None:
        return (
            f"≈ {thin(forecast.questions)}",
            f"{thin(forecast.low)} to {thin(forecast.high or 0)} questions",
        )
    return (
        (f"≥ {thin(forecast.low)}", "more questions, at least")
        if forecast.low
        else ("open", "no forecast yet")
    )


def _next_words(data: Gathered) -> tuple[str, str]:
    gain, pace = data.prospect.fewer_wrong_pairs, data.prospect.pace
    if gain is None:
        return "too early", "nothing to go by yet"
    by = f"wrong pairs, going by the last {thin(pace)} answers" if pace else "wrong pairs, by the forecast"
    if not round(gain):
        return "\u2248 0", f"fewer {by}"
    return f"\u2212{thin(gain)}", by


def remarks(data: Gathered) -> str:
    """What speaks against believing the numbers, and what they leave out."""
    lines = list(data.status.notes)
    if data.status.never_compared:
        pairs = counted(data.status.never_compared, "pair")
        lines.append(
            f"{pairs} were never compared: no feature or answer connects them, and they count as different."
        )
    behind = data.status.last - data.status.as_of
    lines += [f"These numbers are as of {counted(behind, 'event')} ago."] if behind else []
    return "".join(f'<div class="note">{plain(line, 400)}</div>' for line in lines)


# -- records -----------------------------------------------------------------------------------------------


def record_table(data: Gathered, ids: Sequence[ObjectId], *, compared: bool = True) -> str:
    """Records below each other, pictures beside each other; if compared, what differs from most is marked."""
    pictures = [(one, address) for one in ids if (address := data.picture(one)) is not None]
    strip = "".join(
        f'<figure><img src="{address}" alt=""><figcaption>{shown(one, 60)}</figcaption></figure>'
        for one, address in pictures
    )
    names = [name for name in data.columns if any(data.contents[one].get(name) is not None for one in ids)]
    if pictures and not names:
        return f'<div class="pictures">{strip}</div>'
    usual = {name: most_frequent([data.contents[one].get(name) for one in ids]) for name in names}
    head = "".join(f"<th>{shown(name, 40)}</th>" for name in names)
    rows = "".join(
        f'<tr><td class="id">{shown(one, 60)}</td>{_cells(data, usual, one, compared=compared)}</tr>'
        for one in ids
    )
    table = f'<div class="wide"><table><tr><th class="id">id</th>{head}</tr>{rows}</table></div>'
    return (f'<div class="pictures">{strip}</div>' if pictures else "") + table


def _cells(data: Gathered, usual: dict[str, Content], one: ObjectId, *, compared: bool) -> str:
    values = data.contents[one]
    cells = []
    for name, same in usual.items():
        value = values.get(name)
        mark = " class=other" if compared and value not in (None, "", same) else ""
        cells.append(f"<td{mark}>{shown(value)}</td>")
    return "".join(cells)


def group_cards(data: Gathered) -> str:
    """Groups of two or more, the most doubtful first, with their members."""
    several = [one for one in data.groups if len(one) > 1]
    cards = "".join(_card(data, one) for one in several[: REPORT.groups])
    more = len(several) - REPORT.groups
    rest = f"<p class=faint>{counted(more, 'more group')} of two or more, less doubtful than these.</p>"
    return (cards + (rest if more > 0 else "")) or "<p>There is no group of two or more yet.</p>"


def _card(data: Gathered, one: GroupDescription) -> str:
    head = f"<h3>{shown(one.name, 80)}</h3>{_sure(one)}"
    head += f"<span class=faint>group {one.group} · {len(one)} objects</span>"
    if one.wrong_pairs and one.wrong_pairs >= 0.05:
        head += f"<span class=faint>{one.wrong_pairs:.1f} wrong pairs expected</span>"
    table = record_table(data, one.members[: REPORT.members])
    more = len(one) - REPORT.members
    rest = f"<p class=faint>and {counted(more, 'more object')}</p>" if more > 0 else ""
    return f'<div class="card"><div class="head">{head}</div>{table}{rest}</div>'


def _sure(one: GroupDescription) -> str:
    if one.confidence is None:
        return ""
    words = "over 99" if one.confidence > 0.99 else f"{100 * one.confidence:.0f}"
    return f'<span class="pill{_doubt(one)}">{words} % sure</span>'


def _doubt(one: GroupDescription) -> str:
    return " doubt" if one.confidence is not None and one.confidence < SURE else ""


def singles(data: Gathered) -> str:
    """Objects that are alone, those that may belong somewhere first."""
    alone = [one for one in data.groups if len(one) == 1]
    chosen = [one.face for one in shown_groups(data.groups) if len(one) == 1 and _doubt(one)]
    if not alone:
        return ""
    words = f"<p>{counted(len(alone), 'object')} stand alone."
    words += " These may well belong to others:" if chosen else " None of them is in much doubt."
    table = f'<div class="card">{record_table(data, chosen, compared=False)}</div>' if chosen else ""
    return f"<h2>Alone</h2>{words}</p>{table}"


# -- by hand -----------------------------------------------------------------------------------------------


def by_hand(data: Gathered) -> str:
    """Pairs that are worth a look: open ones on which most hangs, and answers that groups contradict."""
    cards = "".join(_doubtful_cards(data))
    against = "".join(_contradicted_cards(data))
    first = "Nobody has answered these, and the groups depend on them most."
    second = "Somebody said otherwise about these. Either the answer was a slip, or the groups are wrong."
    return (f"<p>{first}</p>{cards}" if cards else "<p>No pair without an answer is much in doubt.</p>") + (
        f"<h2>Answers that the groups contradict</h2><p>{second}</p>{against}" if against else ""
    )


def is_open(pair: DoubtfulPair) -> bool:
    """Whether it is worth a look: in real doubt, or with a whole wrong pair expected to hang on it."""
    return min(pair.probability, 1 - pair.probability) >= STILL_OPEN or pair.expected >= 1


def _doubtful_cards(data: Gathered) -> Iterator[str]:
    for pair in (one for one in data.doubtful if is_open(one)):
        word = "together" if pair.together else "apart"
        stake = counted(pair.at_stake, "pair")
        head = f'<span class="pill doubt">P(same) {pair.probability:.2f}</span>'
        head += f"<span class=faint>now {word} · {stake} would change</span>"
        table = record_table(data, (pair.left_id, pair.right_id))
        yield f'<div class="card"><div class="head">{head}</div>{table}</div>'


def _contradicted_cards(data: Gathered) -> Iterator[str]:
    for one in data.contradicted:
        said = "the same" if one.value > 0 else "different"
        head = f"<span>{shown(one.annotator or 'somebody', 60)} said {said}</span>"
        head += f"<span class=faint>event {one.event}, {plain(one.at[:16].replace('T', ' '))}</span>"
        table = record_table(data, (one.left_id, one.right_id))
        yield f'<div class="card"><div class="head">{head}</div>{table}</div>'


# -- people and history ------------------------------------------------------------------------------------


def people_table(data: Gathered) -> str:
    """Who has answered how much, and how often each errs, with intervals."""
    if not data.people:
        return "<p>Nobody has answered yet.</p>"
    rows = "".join(_person_row(one) for one in data.people)
    head = "<tr><th>who</th><th class=number>answers</th><th class=number>skipped</th>"
    head += "<th>wrong about pairs of a kind</th><th>wrong about others</th></tr>"
    alpha, over = data.status.agreement, counted(data.status.n_compared, "pair")
    words = "No two people have answered the same pair yet." if len(data.people) > 1 else ""
    if alpha is not None:
        words = f"Agreement (Krippendorff's alpha) is {alpha:.2f}, over {over} that two people answered."
    early = "Rates come with nine-in-ten intervals, from ten answers of a kind on; early on they flatter."
    return f'<p>{words} {early}</p><div class="card wide"><table>{head}{rows}</table></div>'


def _person_row(one: Person) -> str:
    numbers = f"<td class=number>{thin(one.n_answers)}</td><td class=number>{thin(one.n_skips)}</td>"
    rates = f"<td>{rate_words(one.errors_on_same)}</td><td>{rate_words(one.errors_on_different)}</td>"
    return f"<tr><td>{shown(one.name or 'somebody', 80)}</td>{numbers}{rates}</tr>"


def rate_words(rate: ErrorRate | None) -> str:
    """Return a rate with its interval, as a bar and in words."""
    if rate is None:
        return "<span class=faint>too early to say</span>"
    low, high = (min(100 * 2 * limit, 100) for limit in rate.interval)
    middle = min(100 * 2 * rate.rate, 99)
    bar = f'<i style="left:{low:.1f}%;width:{max(high - low, 1):.1f}%"></i><u style="left:{middle:.1f}%"></u>'
    words = f"{rate.rate:.0%} ({rate.interval[0]:.0%} to {rate.interval[1]:.0%})".replace("%", " %")
    return f'<span class="bar">{bar}</span>{words} <span class=faint>of about {thin(rate.answers)}</span>'


def history_table(data: Gathered) -> str:
    """What happened, day by day."""
    rows = []
    for day in data.history:
        made = ", ".join(
            f"{thin(count)} {word if count > 1 else word[:-1]}" for word, count in day.counts.items()
        )
        who = ", ".join(shown(name or "somebody", 60) for name in day.people)
        told = "<br>".join(shown(words, 300) for words in day.milestones)
        rows.append(f"<tr><td>{plain(day.day)}</td><td>{made}</td><td>{who}</td><td>{told}</td></tr>")
    head = "<tr><th>day (UTC)</th><th>what people did</th><th>who</th><th>besides</th></tr>"
    return f'<div class="card wide"><table>{head}{"".join(rows)}</table></div>'
