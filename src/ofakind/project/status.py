"""Where a project stands, in numbers and in a sentence."""

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    """Where a project stands after the event ``as_of``; ``last`` is the last one that was written.

    ``expected_wrong_pairs`` and its ``interval`` (see `Accuracy`) are None while nobody can tell.
    ``open_ended`` says that only the lower limit holds. ``agreement`` is Krippendorff's alpha, None where no
    two people answered the same pair. ``notes`` say what speaks against believing these numbers, or that
    something failed.
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

    def __str__(self) -> str:
        """Say it in a line.

        >>> print(ProjectStatus(9, 4, 3, 2.5, (1.0, 7.2), False, ("Ada",), None, 0, 0, 12, 12))
        9 objects · 4 answers by Ada · 3 groups · at most 7 wrong pairs (2 expected)
        """
        who = ", ".join(name or "somebody" for name in self.people)
        parts = [
            _count(self.n_objects, "object"),
            _count(self.n_answers, "answer") + (f" by {who}" if who else ""),
        ]
        parts += [] if self.agreement is None else [f"agreement {self.agreement:.2f}"]
        parts += [_count(self.n_clusters, "group"), self.wrong]
        parts += [] if self.as_of == self.last else [f"as of {_count(self.last - self.as_of, 'event')} ago"]
        return " · ".join(parts)

    @property
    def wrong(self) -> str:
        """What is said of wrong pairs: the side that holds, and what is expected."""
        if self.expected_wrong_pairs is None or self.interval is None:
            return "too early to say how many pairs are wrong"
        low, high = self.interval
        side, limit = ("at least", low) if self.open_ended else ("at most", high)
        return f"{side} {_count(round(limit), 'wrong pair')} ({self.expected_wrong_pairs:.0f} expected)"

    def _repr_html_(self) -> str:
        cells = "".join(f"<tr><td>{escape(part)}</td></tr>" for part in str(self).split(" · "))
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<table>{cells}</table>{notes}"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}".replace(",", "\u202f")
