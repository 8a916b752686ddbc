"""What people do on the page, in terms of a project: questions out, answers in, each for one person."""

from collections.abc import Iterable

from ofakind.errors import ConflictingAnswerError, InvalidInputError
from ofakind.project.fields import Content, ObjectId
from ofakind.project.project import Project
from ofakind.project.questions import Question, ScreenQuestion
from ofakind.project.undoing import PastAction
from ofakind.web.forms import (
    ActionOut,
    AnswerIn,
    DecisionIn,
    NextIn,
    QuestionOut,
    ScreenAnswerIn,
    ScreenIn,
    ScreenShown,
    ThingOut,
    UndoIn,
)


class NotYoursError(InvalidInputError):
    """Something that belongs to somebody else; nothing was changed."""


class UnknownError(InvalidInputError):
    """Something that is not there."""


class LabelDesk:
    """A project as people on the page see it. Objects go by their numbers here, never by a path or a name."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.ids = project.ids
        self._numbers = {one: number for number, one in enumerate(self.ids)}
        columns = project.columns  # nobody adds objects while they are served
        self._columns = [(name, columns[name]) for name in project.show if name in columns]

    # -- questions and answers -----------------------------------------------------------------------------

    def next(self, person: str, wanted: NextIn, most: int = 20) -> list[QuestionOut]:
        """Return what this person's page had before, as far as it waits, then new ones; at most so many."""
        held = (self.project.asked(key) for key in dict.fromkeys(wanted.held))
        found = [one for one in held if one is not None and self._waits(one, person)][: min(wanted.n, most)]
        if (lacking := min(wanted.n, most) - len(found)) > 0:
            found += self.project.ask(lacking, person)
        return [self._question(one) for one in found]

    def _waits(self, question: Question | ScreenQuestion, person: str) -> bool:
        return question.annotator == person and self.project.action(question.key) is None

    def answer(self, person: str, given: AnswerIn) -> int:
        """Keep an answer to a question, or to a pair that somebody chose; returns its event."""
        ids, took = self._two(given.left, given.right), given.milliseconds

        def keep() -> int:
            asked = self.project.asked(given.key)
            if asked is not None and asked.annotator != person:
                raise NotYoursError("this question was asked to somebody else; nothing was kept")
            if asked is not None and {asked.left_id, asked.right_id} != set(ids):
                got = "this key belongs to a question about two others"
                raise ConflictingAnswerError(f"{got}; nothing was kept")
            return self.project.tell(ids, given.value, person, key=given.key, milliseconds=took)

        return self.project.together(keep)

    def screen(self, person: str, wanted: ScreenIn) -> ScreenShown | None:
        """Return the screen that this person's page had before, if it waits, or a new one."""
        held = (self.project.asked_screen(key) for key in dict.fromkeys(wanted.held))
        found = next((one for one in held if one is not None and self._waits(one, person)), None)
        found = found or self.project.ask_screen(wanted.size, person)
        return None if found is None else self._screen(found.key, found.object_id, found.other_ids)

    def answer_screen(self, person: str, given: ScreenAnswerIn) -> int:
        """Keep the answers to a screen, all as one event, whose number returns."""
        asked = self.project.asked_screen(given.key)
        if asked is not None and asked.annotator != person:
            raise NotYoursError("this screen was shown to somebody else; nothing was kept")
        if (given.object is None) != (given.others is None):
            raise InvalidInputError("expected object and others, or neither; nothing was kept")
        if given.object is not None and given.others is not None:
            meant = self.id_of(given.object), tuple(self.id_of(one) for one in given.others)
            if asked is not None and meant != (asked.object_id, asked.other_ids):
                raise ConflictingAnswerError("this key belongs to another screen; nothing was kept")
        elif asked is not None:
            meant = asked.object_id, asked.other_ids
        else:
            raise UnknownError("no screen has this key; nothing was kept")
        took = given.milliseconds
        return self.project.tell_screen(meant, given.values, person, key=given.key, milliseconds=took)

    def skip(self, person: str, key: str) -> int:
        """Note that somebody would rather not answer."""
        asked = self.project.asked(key) or self.project.asked_screen(key)
        if asked is None:
            raise UnknownError("no question has this key; nothing was kept")
        if asked.annotator != person:
            raise NotYoursError("this question was asked to somebody else; nothing was kept")
        return self.project.skip(asked)

    def decide(self, person: str, given: DecisionIn) -> int:
        """Say the same of several pairs, as answers or as pins; one event."""
        pairs = [self._two(left, right) for left, right in given.pairs]
        if given.certain:
            return self.project.pin_all(pairs, same=given.same, annotator=person)
        return self.project.tell_all(pairs, 1.0 if given.same else -1.0, person, key=given.key)

    # -- taking back ---------------------------------------------------------------------------------------

    def last(self, person: str) -> ActionOut | None:
        """Return what this person could take back next."""
        action = self.project.last_action(person)
        return None if action is None else self._action(action)

    def undo(self, person: str, given: UndoIn) -> ActionOut:
        """Take something back, of this person's own; what was taken back before stays so."""
        which = given.key if given.event is None else given.event
        action = None if which is None else self.project.action(which)
        if action is None:
            raise UnknownError("there is nothing like that to take back")
        if action.annotator != person:
            raise NotYoursError("somebody else did that; nothing was taken back")
        if action.in_force:
            self.project.undo(action.event, annotator=person)
        return self._action(action)

    def _action(self, action: PastAction) -> ActionOut:
        question, screen = None, None
        if action.screen is not None:
            screen = self._screen("", *action.screen)
        elif action.kind in ("answer", "skip") and len(action.pairs) == 1:
            left, right = action.pairs[0]
            question = QuestionOut(key="", left=self.thing(left), right=self.thing(right))
        return ActionOut.model_validate(
            {
                "event": action.event,
                "kind": action.kind,
                "value": action.value,
                "pairs": len(action.pairs),
                "question": question,
                "screen": screen,
                "values": list(action.values),
            }
        )

    # -- objects -------------------------------------------------------------------------------------------

    def id_of(self, number: int) -> ObjectId:
        """Return the id of an object by its number."""
        if not 0 <= number < len(self.ids):
            raise UnknownError(f"there is no object {number}; expected one below {len(self.ids)}")
        return self.ids[number]

    def thing(self, one: ObjectId) -> ThingOut:
        """Return an object as it is shown."""
        number = self._numbers[one]
        fields = [(name, shown(column[number])) for name, column in self._columns]
        return ThingOut(number=number, id=str(one), fields=fields, picture=self.project.has_picture(one))

    def things(self, ids: Iterable[ObjectId]) -> list[ThingOut]:
        """Return objects as they are shown."""
        return [self.thing(one) for one in ids]

    def _two(self, left: int, right: int) -> tuple[ObjectId, ObjectId]:
        if left == right:
            raise InvalidInputError("an object is paired with itself; expected two; nothing was kept")
        return self.id_of(left), self.id_of(right)

    def _screen(self, key: str, one: ObjectId, others: Iterable[ObjectId]) -> ScreenShown:
        return ScreenShown(key=key, object=self.thing(one), others=self.things(others))

    def _question(self, one: Question) -> QuestionOut:
        return QuestionOut(key=one.key, left=self.thing(one.left_id), right=self.thing(one.right_id))


def shown(value: Content) -> str | None:
    """Return a value as text, exactly: numbers of JSON lose digits in a browser.

    >>> shown(12345678901234567890), shown(None), shown(" a ")
    ('12345678901234567890', None, ' a ')
    """
    return None if value is None or value == "" else str(value)
