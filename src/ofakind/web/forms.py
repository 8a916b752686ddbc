"""What comes in and goes out, as the OpenAPI document has it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

AnswerKey = Annotated[str, Field(pattern=r"^[0-9A-Za-z_-]{1,64}$", description="Belongs to one answer.")]
Number = Annotated[int, Field(ge=0, le=2**31, description="An object's number.")]
MOST_DECIDED = 1000


class Strict(BaseModel):
    """What comes in: nothing that is not expected, and no text where a number should be."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NextIn(Strict):
    """How many questions somebody wants; ``held`` are keys of those that their page had before a reload."""

    n: Annotated[int, Field(ge=1, le=20)] = 1
    held: Annotated[list[AnswerKey], Field(max_length=40)] = []


class AnswerIn(Strict):
    """An answer from -1 (different) to 1 (the same); 0 is unsure."""

    key: AnswerKey
    left: Number
    right: Number
    value: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
    milliseconds: Annotated[int, Field(ge=0, le=86_400_000)] | None = None


class ScreenIn(Strict):
    """How many others somebody wants beside an object; ``held`` is the key of the screen that they had."""

    size: Annotated[int, Field(ge=1, le=8)] = 8
    held: Annotated[list[AnswerKey], Field(max_length=40)] = []


class ScreenAnswerIn(Strict):
    """An answer for each of the others on a screen, in their order: 1 the same, -1 different, 0 unsure.

    ``object`` and ``others`` are needed where the key is a new one, as when a screen that was taken back is
    answered again; where the key is known they must be its own.
    """

    key: AnswerKey
    values: Annotated[
        list[Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]], Field(min_length=1, max_length=8)
    ]
    object: Number | None = None
    others: Annotated[list[Number], Field(min_length=1, max_length=8)] | None = None
    milliseconds: Annotated[int, Field(ge=0, le=86_400_000)] | None = None


class SkipIn(Strict):
    """A question or a screen that somebody would rather not answer, by its key."""

    key: AnswerKey


class UndoIn(Strict):
    """What to take back: an answer or a skip by its key, or anything by the number of its event."""

    key: AnswerKey | None = None
    event: Annotated[int, Field(ge=1, le=2**53)] | None = None


class DecisionIn(Strict):
    """The same said of several pairs at once; ``certain`` makes pins of it, which no answer outweighs."""

    key: AnswerKey
    pairs: Annotated[
        list[Annotated[list[Number], Field(min_length=2, max_length=2)]],
        Field(min_length=1, max_length=MOST_DECIDED),
    ]
    same: bool
    certain: bool = False


class ThingOut(BaseModel):
    """An object: its number, its id, its fields as names and texts, and whether it is a picture."""

    number: int
    id: str
    fields: list[tuple[str, str | None]]
    picture: bool


class QuestionOut(BaseModel):
    """Are these two of a kind?"""

    key: str
    left: ThingOut
    right: ThingOut


class QuestionsOut(BaseModel):
    """The next questions, best first; none if none are left for this person."""

    questions: list[QuestionOut]


class ScreenShown(BaseModel):
    """Which of these others are of a kind with this object?"""

    key: str
    object: ThingOut
    others: list[ThingOut]


class ScreenOut(BaseModel):
    """The next screen; null if nothing is left for this person."""

    screen: ScreenShown | None


class Saved(BaseModel):
    """It is on the disk, under this number."""

    event: int


class ActionOut(BaseModel):
    """Something that was done and can be taken back.

    ``question`` or ``screen`` asks again what was answered or skipped; its key is empty, so that a new one is
    made for the new answer. ``values`` are the answers about each of the others on a screen.
    """

    event: int
    kind: Literal["answer", "skip", "pin", "unpin", "name"]
    value: float | None = None
    pairs: int
    question: QuestionOut | None = None
    screen: ScreenShown | None = None
    values: list[float] = []


class PointOut(BaseModel):
    """A point of the curve."""

    answers: int
    expected: float
    low: float
    high: float
    open_ended: bool


class BudgetOut(BaseModel):
    """What this person may spend, and has spent, since the page was started."""

    questions: int | None
    given: int
    seconds: float | None
    seconds_left: float | None
    spent: bool


class ProgressOut(BaseModel):
    """Where the project stands; numbers are null while it is too early to say.

    ``answers`` are those of now; beliefs are computed beside, from ``seen_answers`` of them. ``pace_pairs``
    and ``pace_screens`` are the person's own median seconds, ``quicker`` what tells more in a minute.
    """

    project: str
    question: str
    grades: bool
    person: str
    owner: bool
    people: int
    objects: int
    answers: int
    seen_answers: int
    own_answers: int
    groups: int | None
    wrong_expected: float | None
    wrong_at_least: float | None
    wrong_at_most: float | None
    lacking: int
    target: float
    reached: bool
    doubtful: int | None
    open_ended: bool
    questions_left: int | None
    questions_at_least: int | None
    next_questions: int
    next_fewer: float | None
    pace_pairs: float | None
    pace_screens: float | None
    quicker: Literal["pairs", "screens"] | None
    budget: BudgetOut | None
    curve: list[PointOut]
    notes: list[str]


class RateOut(BaseModel):
    """How often somebody is wrong about pairs of one kind, with an interval, from about so many answers."""

    rate: float
    low: float
    high: float
    answers: float


class PersonOut(BaseModel):
    """Somebody who may answer (``invited``) or has answered; rates are null while there is too little."""

    name: str
    owner: bool
    invited: bool
    answers: int
    skips: int
    seconds_per_pair: float | None
    seconds_per_screen: float | None
    last_at: str | None
    errors_on_same: RateOut | None
    errors_on_different: RateOut | None


class JudgeOut(BaseModel):
    """A judge: what it did and cost, and how it does against people; null while there is too little.

    Up to ``uncertain_cost`` more may have been paid. ``flips`` is how often it changes its mind in the other
    order, ``in_use`` whether groups go by judges now.
    """

    name: str
    scores: int
    calls: int
    failed_calls: int
    tokens: int
    cost: float
    uncertain_cost: float
    cost_per_score: float | None
    compared: int
    errors_on_same: RateOut | None
    errors_on_different: RateOut | None
    flips: RateOut | None
    in_use: bool


class WrongOut(BaseModel):
    """Wrong pairs: expected, and at least and at most so many; null where it cannot be said."""

    wrong_expected: float | None
    wrong_at_least: float | None
    wrong_at_most: float | None


class SavedOut(BaseModel):
    """What all judges together are expected to have saved people, by the model.

    The rest is there where the ``verdict`` is "estimated". Groups ``without`` knew the first so many answers,
    all but ``behind``. It would take about ``questions`` more, or ``at_least`` so many, to get here without.
    """

    verdict: Literal["nothing", "too early", "not kept", "estimated"]
    with_judges: WrongOut | None
    without: WrongOut | None
    answers: int
    behind: int
    questions: int | None
    at_least: int | None


class OwnerOut(BaseModel):
    """What the owner alone sees; ``agreement`` is Krippendorff's alpha over the pairs that were compared."""

    people: list[PersonOut]
    agreement: float | None
    compared: int
    judges: list[JudgeOut]
    saved: SavedOut | None


class PersonIn(Strict):
    """Somebody by name."""

    name: Annotated[str, Field(min_length=1, max_length=200)]


class InvitedOut(BaseModel):
    """Somebody's link: whoever has it answers under that name."""

    name: str
    link: str


class GroupOut(BaseModel):
    """A group on a card: its size, its name, how sure it is, its first members, and a doubt about it."""

    group: int
    name: str
    size: int
    confidence: float | None
    wrong_pairs: float | None
    doubt: Literal["", "merge", "apart"] = ""
    other: int | None = None
    members: list[ThingOut]


class GroupsOut(BaseModel):
    """Some groups of those found, doubtful ones first."""

    found: int
    groups: list[GroupOut]


class GivenOut(BaseModel):
    """An answer between two objects."""

    annotator: str
    value: float
    at: str


class EvidenceOut(BaseModel):
    """What speaks for or against two objects being of a kind."""

    left: ThingOut
    right: ThingOut
    together: bool
    probability: float
    prior: float | None
    pinned: bool | None
    judges: list[tuple[str, float]]
    answers: list[GivenOut]
    chain: list[tuple[str, str]]


class ProblemOut(BaseModel):
    """What was wrong, in one sentence."""

    detail: str
