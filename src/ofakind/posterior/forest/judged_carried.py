"""What is carried over of a reading with judges and of one without, and which of the two counts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from ofakind.arrays import Ints, Mask
from ofakind.checks import real_number, truth_value, whole_number
from ofakind.posterior.forest.carried import CarriedForests
from ofakind.posterior.forest.guard import GuardRules, second_is_due


@dataclass(frozen=True, slots=True)
class JudgeGuardRules(GuardRules):
    """Tuned numbers of the guard of judges, chosen as docs/results/judge.md says.

    Who has been ``ahead`` while believed is trusted: it stays until it is ``behind``.
    """

    shift: float = 0.5  # a worthless judge's odds are off by more, and that is how it shows
    decay: float = 0.9  # of the lead, a batch later
    trial: int = 150  # answers in which a judge is believed unless it is behind
    stays: float = 0.0  # nats by which it must lead from then on, until it is trusted
    shown: float = 5.0  # nats: with such a lead it may be said what judges have saved


JUDGE_GUARD = JudgeGuardRules()


@dataclass(frozen=True, slots=True, eq=False)
class JudgedReadings:
    """What is carried over of the reading with judges, ``forests``, and of the one without, ``base``.

    ``lead`` is by how many nats the first predicts people's newest answers better; with ``judged`` it is the
    one that counts, and when ``dropped`` it is out of the question. It is ``trusted`` if it has led
    clearly since it was last believed anew. Its forests were drawn when judges had given ``n_scores`` scores.
    ``base`` last saw ``seen_at`` answers. Judges that are ``out`` were dropped, also if others came since.
    """

    forests: CarriedForests | None
    base: Any
    lead: float = 0.0
    seen_at: int = 0
    judged: bool = True
    dropped: bool = False
    n_scores: int = 0
    trusted: bool = False
    out: tuple[str, ...] = ()

    @classmethod
    def around(cls, carried: Any, *, featured: bool = False) -> Self:
        """Return what is carried over, also where there was no judge before.

        Beside features a judge begins as one that is not believed: they know something already.
        """
        return carried if isinstance(carried, cls) else cls(None, carried, judged=not featured)

    def believes(self, lead: float, answers: int, explained: float = 0.0) -> bool:
        """Whether judges count with this lead after so many answers, if there are both readings.

        ``explained`` is how much better judges predict all answers, each from all others, as a share of what
        there is to predict. As features, those that are trusted stay while that is much.

        A judge that is worth something shows it soon. One that is worth nothing need not fall behind: what it
        says then makes no difference to what is predicted, and it would go on asking about its own mistakes.
        So after its trial it must lead until it is trusted; and then it stays until it is clearly behind, for
        its questions are about what it finds hard.

        >>> new, trusted = JudgedReadings(None, None), JudgedReadings(None, None, trusted=True)
        >>> [new.believes(lead, answers) for lead, answers in ((-2, 90), (-4, 90), (-2, 300), (2, 300))]
        [True, False, False, True]
        >>> [trusted.believes(lead, 300, explained) for lead, explained in ((-2, 0), (-4, 0), (-4, 0.2))]
        [True, False, True]
        """
        if not self.judged:
            return lead > JUDGE_GUARD.ahead
        if self.trusted and explained > JUDGE_GUARD.explains:
            return True
        lenient = self.trusted or answers < JUDGE_GUARD.trial
        return lead > (-JUDGE_GUARD.behind if lenient else JUDGE_GUARD.stays)

    def trusts(self, lead: float, *, counts: bool) -> bool:
        """Whether judges are trusted from now on, with this lead, if they count."""
        return counts and (lead > JUDGE_GUARD.ahead or self.trusted)

    def is_due(self, answers: int, lead: float) -> bool:
        """Whether the answers are to be read without judges, too; and what is believed before any."""
        return not answers or second_is_due(answers, self.seen_at, lead, JUDGE_GUARD)

    def is_lost(self, answers: int, lead: float) -> bool:
        """Whether judges are dropped for good with this lead."""
        behind = lead <= -JUDGE_GUARD.lost and answers >= JUDGE_GUARD.patience
        return self.dropped or (behind and not self.judged)

    @property
    def is_outdated(self) -> bool:
        """Whether the forests are of other candidates, and have to be made anew before they are read."""
        return self.forests is not None and self.forests.moved

    def joined(self) -> Self:
        """Return it when another judge has come: this one may be better than those before."""
        return replace(self, lead=max(self.lead, 0.0), dropped=False)

    def forests_of(self, n_scores: int) -> CarriedForests | None:
        """Return what forests go on from; where judges have said more, their candidates may be others."""
        if self.forests is None or n_scores == self.n_scores:
            return self.forests
        return self.forests.anew()

    def without(self, gone: Mask, objects: Ints) -> Self:
        """Return it when some answers are taken back, or pins change."""
        forests = None if self.forests is None else self.forests.without(gone, objects)
        base = None if self.base is None else self.base.without(gone, objects)
        return replace(
            self, forests=forests, base=base, seen_at=self.seen_at - int(gone[: self.seen_at].sum())
        )

    def extended(self, more: int) -> Self:
        """Return it with so many more objects."""
        forests = None if self.forests is None else self.forests.extended(more)
        return replace(self, forests=forests, base=None if self.base is None else self.base.extended(more))

    def to_entry(self) -> dict[str, Any]:
        """Return everything as arrays, numbers and text, for a document."""
        return {
            "judged_forests": None if self.forests is None else self.forests.to_entry(),
            "base": None if self.base is None else self.base.to_entry(),
            "lead": self.lead,
            "seen": self.seen_at,
            "judged": self.judged,
            "dropped": self.dropped,
            "scores": self.n_scores,
            "trusted": self.trusted,
            "out": list(self.out),
        }

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], n: int, belief: Any) -> Self:
        """Read what `to_entry` gave, or what was carried over before there was a judge, checked.

        ``belief`` is the one without a judge.
        """
        if "judged_forests" not in entry:
            return cls(None, belief.restore(entry, n))
        forests, base = entry["judged_forests"], entry["base"]
        trusted = entry.get("trusted", False)  # older documents do not say
        for name, value in (("judged", entry["judged"]), ("dropped", entry["dropped"]), ("trusted", trusted)):
            truth_value(name, value)
        found = None if forests is None else CarriedForests.from_entry(forests, n)
        if found is not None and "out" not in entry:  # an older document: its graph may have been another one
            found = found.anew()
        return cls(
            found,
            None if base is None else belief.restore(base, n),
            real_number("lead", entry["lead"]),
            whole_number("seen", entry["seen"], least=0),
            bool(entry["judged"]),
            bool(entry["dropped"]),
            whole_number("scores", entry["scores"], least=0),
            bool(trusted),
            tuple(map(str, entry.get("out", ()))),
        )
