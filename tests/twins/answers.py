"""The table of answers as a plain list of rows, all of which are copied with every change."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class PlainAnswers:
    """Rows (u, v, value, name, asked) about n objects; ``named`` if a name was ever given, even ""."""

    n: int
    rows: tuple = ()
    named: bool = False

    def adding(self, pairs, values, annotator=None, *, asked=True):
        each = annotator if isinstance(annotator, list) else [annotator or ""] * len(values)
        wanted = asked if isinstance(asked, list) else [asked] * len(values)
        said = zip(pairs, values, each, wanted, strict=True)
        new = tuple((min(pair), max(pair), value, name, each) for pair, value, name, each in said)
        return replace(self, rows=self.rows + new, named=self.named or annotator is not None)

    def first(self, count):
        return replace(self, rows=self.rows[:count])

    def since(self, count):
        return replace(self, rows=self.rows[count:])

    def without(self, rows):
        out = {row for row, left in enumerate(rows) if left} if hasattr(rows, "dtype") else set(rows)
        return replace(self, rows=tuple(row for at, row in enumerate(self.rows) if at not in out))

    def grown(self, n):
        return replace(self, n=n)

    @property
    def annotators(self):
        return tuple(row[3] for row in self.rows) if self.named else None

    def __len__(self):
        return len(self.rows)
