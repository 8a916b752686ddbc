"""The side of a project that judges look at."""

from collections.abc import Callable, Collection
from typing import Any

from ofakind.errors import InvalidInputError
from ofakind.oracles.judge.base import PairJudge, RecordFields
from ofakind.oracles.judge.function import FunctionJudge
from ofakind.project.fields import Pair
from ofakind.project.judge_calls import CallPlanner
from ofakind.project.judge_pictures import refuse_too_large, sent_picture
from ofakind.project.judging import JudgeLimits, JudgeRun, JudgeSession
from ofakind.project.pictures import picture_file
from ofakind.project.replay import as_pairs
from ofakind.project.view import ProjectView


class JudgedProject(ProjectView):
    """A project that may be looked at by judges, beside people."""

    def judge(
        self,
        judge: Callable[..., Any],
        budget: int | None = None,
        *,
        name: str | None = None,
        batch: bool = False,
        swap_share: float = 0.0,
    ) -> JudgeRun:
        """Let a function look at pairs: of two records, dictionaries, it makes a number from -1 to 1.

        With ``batch`` it gets a list of pairs of records, and gives as many numbers. What it says is kept and
        is a prior for the learner, never an answer: it is believed as far as people's answers agree with it.
        The learner chooses the pairs, so many as ``budget`` allows in all runs together or, without one, as
        are worth it. A judge is known by its ``name`` (by default the function's), and is not asked about the
        same pair twice; ``swap_share`` of them it sees again in the other order.
        """
        called = name if name is not None else getattr(judge, "__name__", type(judge).__name__)
        if called == "<lambda>":
            raise InvalidInputError("the judge has no name of its own; give one: judge(function, name=...)")
        limits = JudgeLimits(budget, swap_share=swap_share)
        return self.judging(FunctionJudge(judge, str(called), batch), limits).run()

    def judging(self, judge: PairJudge, limits: JudgeLimits | None = None) -> JudgeSession:
        """Return a session with a judge, such as a `ModelJudge`: its `plan` sends nothing, `run` does."""
        ledger = self._books.ledger
        if ledger.pictures and not judge.runs_here:
            if not getattr(judge, "sees_pictures", False):
                got = f"{self.path.name} has {len(ledger.pictures):,} pictures; this judge reads text only"
                raise InvalidInputError(f"{got}; use a command or a function of your own that looks at them")
            refuse_too_large(ledger.pictures.values())
        if not judge.runs_here and not self._readable:
            got = f"{self.path.name} has nothing that a model could read: only numbers of rows"
            raise InvalidInputError(f"{got}; use a command or a function of your own that knows the objects")
        limits = limits or JudgeLimits()
        seed = 0 if ledger.created is None else ledger.created.seed
        planner = CallPlanner(judge, self._record_for(judge), seed, limits.swap_share)

        def choose(size: int, lost: Collection[Pair], spoiling: Collection[int]) -> tuple[Pair, ...]:
            about = ((one, other) for one in spoiling for other in range(len(self.ids)) if other != one)
            with self._model.lock:
                self._follow()
                found = self._model.learner.ask_judge(size, judge.name, without=[*lost, *about])
            return as_pairs(found)

        def shows_more() -> bool:  # once the learner is there
            return self._model.learner.prior is not None

        return JudgeSession(self._books, choose, planner, limits, shows_more)

    @property
    def _readable(self) -> bool:
        """Whether there is something to read: a picture, a column, or ids that are texts."""
        contents = (self._contents(number) for number in range(len(self.ids)))
        texts = (isinstance(one, str) for one in self.ids)
        return bool(self._books.ledger.pictures) or any(texts) or any(contents)

    def _record_for(self, judge: PairJudge) -> Callable[[int], RecordFields]:
        """Return what gives a judge an object: all of it, or what people are shown."""
        ids = self.ids

        def whole(number: int) -> RecordFields:
            known = self._books.ledger.pictures.get(number)
            file = {} if known is None or known.copied else {"file": str(picture_file(known, self.path))}
            fields = self._contents(number)
            called = self.id_column or "number" if "id" in fields else "id"
            return {**file, **fields, called: ids[number]}

        def shown(number: int) -> RecordFields:
            known = self._books.ledger.pictures.get(number)
            if known is not None:
                return {"picture": sent_picture(known, self.path, self._books.file.blob)}
            fields = {
                name: value for name, value in self.about(ids[number]).items() if value not in (None, "")
            }
            return fields or {"id": ids[number]}

        return whole if judge.runs_here else shown
