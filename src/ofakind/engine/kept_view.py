"""What a learner shows of what it keeps, as it is."""

from ofakind.acquire.base import Batch
from ofakind.answers import Answers
from ofakind.engine.kept import Kept, Round
from ofakind.pairs import Pairs
from ofakind.pins import Pins
from ofakind.priors.neighbours import Neighbours


class KeptView:
    """Everything that was asked, told and pinned, to look at; nothing here is computed."""

    _kept: Kept

    @property
    def n(self) -> int:
        """Number of objects."""
        return self._kept.answers.n

    @property
    def candidates(self) -> Pairs | None:
        """The pairs that may be asked; None if all may."""
        return self._kept.candidates

    @property
    def prior(self) -> Neighbours | None:
        """What features say of pairs, as it was given."""
        return self._kept.prior

    @property
    def answers(self) -> Answers:
        """All answers in order of arrival."""
        return self._kept.answers

    @property
    def n_answers(self) -> int:
        """Number of answers so far, repeated ones counted each time."""
        return len(self._kept.answers)

    @property
    def pending(self) -> Pairs:
        """Pairs that were asked and neither told nor released, in order of asking."""
        return self._kept.pending

    @property
    def pins(self) -> Pins:
        """The pinned pairs in order of pinning, and what follows from them."""
        return self._kept.pins or Pins.none(self.n)

    @property
    def round(self) -> int:
        """Number of rounds so far; only an `ask` that gave pairs makes one."""
        return len(self._kept.history)

    @property
    def history(self) -> tuple[Round, ...]:
        """One record per round."""
        return self._kept.history

    @property
    def last_batch(self) -> Batch | None:
        """The questions of the last round and what made them, or None before the first."""
        return self._kept.last_batch
