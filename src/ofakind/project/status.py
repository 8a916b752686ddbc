"""Where a project stands, in numbers and in a sentence."""

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    """Where a project stands after the event ``as_of``; ``last`` is the last one that was written.

    ``expected_wrong_pairs`` and its ``interval`` (see `Accuracy`) are None while nobody can tell.
    ``open_ended`` says that only the lower limit holds. Pairs ``never_compared``, which neither features nor
    answers connect, are taken to be different. ``lacking`` is about how many more answers it takes until
    these numbers mean something, 0 once they do. ``agreement`` is Krippendorff's alpha over the
    ``n_compared`` pairs that two people have answered, None where there are none. ``answered_at`` is the time
    of the last answer. ``notes`` say what speaks against believing these numbers, or that something failed.
    """

    n_objects: int
    n_answers: int
    n_clusters: int
    expected_wrong_pairs: float | None
    interval: tuple[float, float] | None
    open_ended: bool
    people: tuple[str, ...]
    agreement: float | None
    n_open: int
    n_pins: int
    as_of: int
    last: int
    notes: tuple[str, ...] = ()
    never_compared: int = 0
    lacking: int = 0
    n_compared: int = 0
    answered_at: str | None = None

    def __str__(self) -> str:
        """Say it in a line.

        >>> print(ProjectStatus(9, 4, 3, 2.5, (0.0, 7.2), False, ("Ada",), None, 0, 0, 12, 12))
        9 objects · 4 answers by Ada · 3 groups · at most 7 wrong pairs (2 expected)
        """
        who = ", ".join(name or "somebody" for name in self.people)
        parts = [
            counted(self.n_objects, "object"),
            counted(self.n_answers, "answer") + (f" by {who}" if who else ""),
        ]
        parts += [] if self.agreement is None else [f"agreement {self.agreement:.2f}"]
        parts += [counted(self.n_clusters, "group"), self.wrong]
        if self.never_compared:
            parts.append(f"{counted(self.never_compared, 'pair')} never compared")
        parts += [] if self.as_of == self.last else [f"as of {counted(self.last - self.as_of, 'event')} ago"]
        return " · ".join(parts)

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """At least, and at most, so many pairs are wrong; None for a side that does not hold."""
        if self.interval is None or self.lacking:
            return None, None
        low, high = self.interval
        return (low if low > 0 else None), (None if self.open_ended else high)

    @property
    def wrong(self) -> str:
        """What is said of wrong pairs: the side or sides that hold, and what is expected."""
        if self.lacking or self.expected_wrong_pairs is None:
            more = f" (about {counted(self.lacking, 'more answer')})" if self.lacking else ""
            return f"too early to say how many pairs are wrong{more}"
        return wrong_pairs_words(self.expected_wrong_pairs, *self.limits)

    def _repr_html_(self) -> str:
        cells = "".join(f"<tr><td>{escape(part)}</td></tr>" for part in str(self).split(" · "))
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<table>{cells}</table>{notes}"


def wrong_pairs_words(expected: float, low: float | None, high: float | None) -> str:
    """Say how many pairs are wrong: the side or sides that hold, and what is expected.

    >>> wrong_pairs_words(2.5, None, 7.2), wrong_pairs_words(2.5, 1.0, None)
    ('at most 7 wrong pairs (2 expected)', 'at least 1 wrong pair (2 expected)')
    """
    about = f"({thin(expected)} expected)"
    if high is None:
        return f"at least {counted(low or 0, 'wrong pair')} {about}"
    if low is None or round(low) in (0, round(high)):
        return f"at most {counted(high, 'wrong pair')} {about}"
    return f"{thin(low)} to {counted(high, 'wrong pair')} {about}"


def thin(number: float) -> str:
    """Write a whole number, thousands apart.

    >>> thin(12345.4).split()
    ['12', '345']
    """
    return f"{round(number):,}".replace(",", "\u202f")


def counted(number: float, word: str) -> str:
    """Write how many there are of something.

    >>> counted(1, "pair"), counted(2, "pair")
    ('1 pair', '2 pairs')
    """
    return f"{thin(number)} {word}{'' if round(number) == 1 else 's'}"
