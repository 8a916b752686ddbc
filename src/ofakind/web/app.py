"""The server: routes under ``/api/`` for the page and for programs, and the page's own files."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import JSONResponse

from ofakind import __version__
from ofakind.errors import OfakindError
from ofakind.project.budget import SittingBudget
from ofakind.project.latest import Latest
from ofakind.project.picture_types import media_type
from ofakind.project.project import Project
from ofakind.web.desk import LabelDesk, NotYoursError, UnknownError
from ofakind.web.forms import (
    ActionOut,
    AnswerIn,
    DecisionIn,
    EvidenceOut,
    GivenOut,
    GroupOut,
    GroupsOut,
    InvitedOut,
    NextIn,
    OwnerOut,
    PersonIn,
    ProblemOut,
    ProgressOut,
    QuestionsOut,
    Saved,
    ScreenAnswerIn,
    ScreenIn,
    ScreenOut,
    SkipIn,
    UndoIn,
)
from ofakind.web.groups import GroupCards
from ofakind.web.guards import (
    App,
    BodyLimit,
    FrameRule,
    Headers,
    HostRule,
    OriginRule,
    PlainErrors,
    TokenRule,
    bearer_of,
)
from ofakind.web.map import MapDesk, add_map
from ofakind.web.owner import EXPORT_TYPES, exported, owner_view
from ofakind.web.pages import DOOR, PAGE_POLICY, static_files
from ofakind.web.people import Access
from ofakind.web.problems import add_handlers
from ofakind.web.progress import Seen, Watched, look, progress_for
from ofakind.web.sittings import Sittings

FIRST_LOOK = 1.0  # seconds that a page waits for numbers when there are none yet


class ExactJson(JSONResponse):
    """JSON in plain ASCII, so that half a surrogate pair gets through, too; NaN never does."""

    def render(self, content: Any) -> bytes:
        """Return the bytes."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class Served:
    """What the routes need: the desk, the groups, who may come in; progress and a map, computed beside.

    ``link`` makes the link of a token, and ``sittings`` keep people to their budget.
    """

    desk: LabelDesk
    groups: GroupCards
    access: Access
    seen: Latest[Seen]
    map: MapDesk
    cookie: str
    sittings: Sittings
    link: Callable[[str], str]

    def close(self) -> None:
        """End what is computed beside; what has begun is waited for a little."""
        self.seen.close(1.0)
        self.map.close(1.0)


def served(
    project: Project,
    access: Access,
    port: int,
    *,
    link: Callable[[str], str] | None = None,
    budget: SittingBudget | None = None,
) -> Served:
    """Put together what a project needs to be served; close it afterwards."""
    desk = LabelDesk(project)
    seen = Latest(lambda: look(project), "how far it is could not be computed")
    seen.want()
    sittings = Sittings(project, SittingBudget() if budget is None else budget)
    own = (lambda token: f"http://127.0.0.1:{port}/#{token}") if link is None else link
    return Served(desk, GroupCards(desk), access, seen, MapDesk(desk), cookie_name(port), sittings, own)


def cookie_name(port: int) -> str:
    """Return the name of the cookie: ports of a host share their cookies, so the port is in it."""
    return f"ofakind-{port}"


def person_of(request: Request) -> str:
    """Return who it is; `TokenRule` has found that out."""
    return str(request.scope["person"])


Who = Annotated[str, Depends(person_of)]
WRONG: Mapping[int | str, dict[str, Any]] = {
    code: {"model": ProblemOut, "description": words}
    for code, words in {
        400: "no JSON",
        401: "no token, or an old one",
        403: "somebody else's, or not from the page",
        404: "not there",
        409: "another value under the same key; the first is kept",
        413: "a body over 64 KiB",
        422: "not what was expected",
        503: "the project file was moved, deleted or replaced; nothing was kept",
        507: "the disk is full; nothing was kept",
    }.items()
}


def make_app(parts: Served) -> FastAPI:
    """Return the routes alone; `guarded` puts the rules around them."""
    app = FastAPI(
        title="ofakind",
        version=__version__,
        description="Questions out, answers in: the interface that the page uses.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        default_response_class=ExactJson,
        responses=dict(WRONG),
    )
    add_handlers(app)
    _add_questions(app, parts)
    _add_screens(app, parts)
    _add_looks(app, parts)
    _add_groups(app, parts)
    add_map(app, parts.desk, parts.map)
    _add_session(app, parts)
    _add_owner(app, parts)
    _add_pages(app)
    return app


def guarded(app: App, parts: Served, hosts: Sequence[str], frames: Sequence[str] = ()) -> App:
    """Put the rules around an application, in their order; ``hosts`` are names with the port.

    ``frames`` are origins that may show the page in a frame; nobody may where there are none.
    """
    inner: App = OriginRule(app, hosts)
    inner = TokenRule(inner, parts.access, parts.cookie, DOOR)
    inner = BodyLimit(inner)
    whole = PlainErrors(Headers(PlainErrors(HostRule(inner, hosts))))
    return FrameRule(whole, frames) if frames else whole


# -- routes ------------------------------------------------------------------------------------------------


def _add_questions(app: FastAPI, parts: Served) -> None:
    desk = parts.desk

    @app.post("/api/next")
    def next_questions(wanted: NextIn, who: Who) -> QuestionsOut:
        """Lend the next questions, best first."""
        parts.sittings.begin(who)
        return QuestionsOut(questions=desk.next(who, wanted, parts.sittings.left(who, wanted.n)))

    @app.post("/api/answer")
    def answer(given: AnswerIn, who: Who) -> Saved:
        """Keep an answer; 200 when it is on the disk. The same again is the same answer."""
        event = parts.sittings.keep(who, given.key, 1, lambda: desk.answer(who, given))
        parts.seen.want()
        return Saved(event=event)

    @app.post("/api/skip")
    def skip(given: SkipIn, who: Who) -> Saved:
        """Note that somebody would rather not answer."""
        return Saved(event=desk.skip(who, given.key))

    @app.post("/api/undo")
    def undo(given: UndoIn, who: Who) -> ActionOut:
        """Take back one's own answer, skip, pin or name. Twice is the same as once."""
        found = desk.undo(who, given)
        parts.sittings.take_back(who, found.event)
        parts.seen.want()
        return found

    @app.get("/api/last")
    def last(who: Who) -> ActionOut | None:
        """Return what one could take back next."""
        return desk.last(who)


def _add_screens(app: FastAPI, parts: Served) -> None:
    desk = parts.desk

    @app.post("/api/screen")
    def next_screen(wanted: ScreenIn, who: Who) -> ScreenOut:
        """Lend one object and up to eight others: which of these are of its kind?"""
        parts.sittings.begin(who)
        size = parts.sittings.left(who, wanted.size)
        own = wanted.model_copy(update={"size": size})
        return ScreenOut(screen=desk.screen(who, own) if size else None)

    @app.post("/api/screen/answer")
    def answer_screen(given: ScreenAnswerIn, who: Who) -> Saved:
        """Keep the answers to a screen as one; 200 when they are on the disk."""
        answers = len(given.values)
        event = parts.sittings.keep(who, given.key, answers, lambda: desk.answer_screen(who, given))
        parts.seen.want()
        return Saved(event=event)


def _add_looks(app: FastAPI, parts: Served) -> None:
    desk = parts.desk

    @app.get("/api/progress")
    def progress(who: Who) -> ProgressOut:
        """Say how far the work is."""
        seen = parts.seen.get(FIRST_LOOK)
        return progress_for(desk.project, Watched(who, parts.access, parts.sittings), seen)

    @app.get("/api/evidence")
    def evidence(
        left: Annotated[int, Query(ge=0, le=2**31)], right: Annotated[int, Query(ge=0, le=2**31)]
    ) -> EvidenceOut:
        """Say what speaks for or against two objects being of a kind."""
        one, other = desk.id_of(left), desk.id_of(right)
        found = desk.project.why(one, other)
        return EvidenceOut(
            left=desk.thing(one),
            right=desk.thing(other),
            together=found.together,
            probability=found.probability,
            prior=found.prior,
            pinned=found.pinned,
            judges=list(found.judges),
            answers=[GivenOut(annotator=a.annotator, value=a.value, at=a.at) for a in found.answers],
            chain=[(str(a), str(b)) for a, b in found.chain],
        )

    @app.get("/api/picture/{number}", response_class=Response)
    def picture(number: int) -> Response:
        """Return a picture by the number of its object."""
        try:
            content = desk.project.picture(desk.id_of(number))
            kind = "" if content is None else media_type(content)
        except OfakindError as error:
            raise UnknownError("this picture is not there, was changed, or may not be shown") from error
        if content is None:
            raise UnknownError("this object is no picture")
        policy = {"content-security-policy": "default-src 'none'; sandbox"}
        return Response(content, media_type=kind, headers=policy)


def _add_groups(app: FastAPI, parts: Served) -> None:
    @app.get("/api/groups")
    def groups(
        search: Annotated[str, Query(max_length=200)] = "",
        offset: Annotated[int, Query(ge=0, le=2**31)] = 0,
        limit: Annotated[int, Query(ge=1, le=100)] = 30,
    ) -> GroupsOut:
        """Return groups, doubtful ones first; those that hold what is searched for."""
        return parts.groups.page(search, offset, limit)

    @app.get("/api/groups/{number}")
    def group(number: int) -> GroupOut:
        """Return a group with its members."""
        return parts.groups.one(number)

    @app.post("/api/decide")
    def decide(given: DecisionIn, who: Who) -> Saved:
        """Say the same of several pairs at once."""
        event = parts.desk.decide(who, given)
        parts.seen.want()
        return Saved(event=event)


def _add_session(app: FastAPI, parts: Served) -> None:
    @app.get("/healthz")
    def health() -> dict[str, str]:
        """Say that the server is there, and nothing else."""
        return {"status": "ok"}

    @app.post("/api/session", status_code=204, response_class=Response)
    def session(request: Request) -> Response:
        """Give a browser its cookie, for the token or code in its Authorization header."""
        token = parts.access.redeem(bearer_of(request.scope) or "")
        if token is None:
            return ExactJson({"detail": "this token is not valid; use the link that was printed last"}, 401)
        answer = Response(status_code=204)
        answer.set_cookie(parts.cookie, token, httponly=True, samesite="strict", path="/")
        return answer


def _add_owner(app: FastAPI, parts: Served) -> None:
    def owner_alone(who: Who) -> None:
        if who != parts.access.owner:
            raise NotYoursError("this is for the owner of the page alone")

    alone = [Depends(owner_alone)]

    @app.get("/api/owner", dependencies=alone)
    def owner() -> OwnerOut:
        """Say who answers, how fast, how well, and what judges cost, are worth and saved. For the owner."""
        return owner_view(parts.desk.project, parts.access, parts.seen.get(FIRST_LOOK))

    @app.post("/api/people", dependencies=alone)
    def invite(person: PersonIn) -> InvitedOut:
        """Let somebody in; returns their link, the same if they were in before. For the owner."""
        token = parts.access.invite(person.name)
        return InvitedOut(name=person.name.strip(), link=parts.link(token))

    @app.post("/api/people/revoke", dependencies=alone, status_code=204, response_class=Response)
    def revoke(person: PersonIn) -> Response:
        """Let somebody out: their link works no more, their answers stay. For the owner."""
        parts.access.revoke(person.name)
        return Response(status_code=204)

    @app.get("/api/export", dependencies=alone, response_class=Response)
    def export(
        what: Literal["groups", "answers", "doubtful", "pairs"] = "groups",
        format: Literal["csv", "jsonl"] = "csv",  # noqa: A002
    ) -> Response:
        """Return results as a file, as ``ofakind export`` writes it. For the owner."""
        content = exported(parts.desk.project, what, format)
        attached = {"content-disposition": f'attachment; filename="{what}.{format}"'}
        return Response(content, media_type=EXPORT_TYPES[format], headers=attached)


def _add_pages(app: FastAPI) -> None:
    pages = dict.fromkeys(("/", "/groups", "/map", "/owner"), "index.html")
    every = {**pages, **{f"/static/{name}": name for name in static_files() if name != "index.html"}}

    def add(path: str, name: str) -> None:
        content, kind = static_files()[name]

        @app.get(path, include_in_schema=False, response_class=Response)
        def page() -> Response:
            return Response(content, headers={"content-type": kind, "content-security-policy": PAGE_POLICY})

    for path, name in every.items():
        add(path, name)
