"""Making and opening projects."""

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ofakind.arrays import Floats
from ofakind.checks import truth_value
from ofakind.errors import DamagedProjectError, InvalidInputError
from ofakind.priors.neighbours import Neighbours
from ofakind.priors.pictures import DESCRIPTOR
from ofakind.project.adding import Made
from ofakind.project.beforehand import Beforehand
from ofakind.project.beside import LOG_MISSING
from ofakind.project.books import Books
from ofakind.project.bringing import SourceOptions, bring
from ofakind.project.calls import in_order
from ofakind.project.choosing import FeatureData
from ofakind.project.curve import CURVE, ErrorCurve, curve_in
from ofakind.project.graphs import Graphs
from ofakind.project.leases import Clock
from ofakind.project.making import QUESTION, ProjectOptions, make_project
from ofakind.project.model import LiveModel
from ofakind.project.objects import Brought, read_objects
from ofakind.project.project import Project
from ofakind.project.reading import ReadOnlyFile
from ofakind.project.replay import CHECKPOINT, Progress, Replay, cache_digest, unpacked_learner
from ofakind.project.store import ProjectFile


def new_project(
    objects: Any,
    id: str | None = None,  # noqa: A002
    *,
    path: str | os.PathLike[str],
    vectors: Any = None,
    scores: Any = None,
    fields: Iterable[str] | str | None = None,
    must_link: Any = None,
    cannot_link: Any = None,
    groups: str | None = None,
    show: Iterable[str] | str | None = None,
    question: str = QUESTION,
    seed: int = 0,
    on_network: bool = False,
    grades: bool = False,
) -> Project:
    """Make a project file and open it: the whole of it, or nothing; what is there is never replaced.

    ``objects`` are any data frame, a list of dictionaries or a list of ids, or a `pathlib.Path` to a file of
    records or a folder of pictures (see `ofakind new`); ``id`` is the column with the ids, and without it
    records are numbered. Where records hold text, the columns that tell something (or
    those named in ``fields``; ``()`` for none) say beforehand which pairs may be of a kind; where they hold
    numbers only, at least three columns of them do, standardised. Or ``vectors`` do, (n, d), or ``scores``:
    rows of two ids and a number, by themselves or besides. Network file systems are refused, unless
    ``on_network``.

    ``must_link`` and ``cannot_link`` are pairs of ids, and are pinned. ``groups`` is a column of groups that
    are known already: they become answers of an annotator of that name, and are no feature. ``show`` are
    the columns that people see. With ``grades`` they are asked for one of five steps between different and
    the same, rather than for one of the two.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> with new_project(["a", "b", "c"], path=f"{folder.name}/letters.ofk") as project:
    ...     event = project.tell(("a", "b"), 1)
    ...     project.pin(("b", "c"), same=False), project.groups()
    (4, {0: ['a', 'b'], 1: ['c']})
    >>> folder.cleanup()
    """
    ignored = () if groups is None else (groups,)
    brought, own = _brought(objects, id, Path(path), described=vectors is None)
    descriptor = None if own is None or brought.pictures is None else DESCRIPTOR
    vectors = own if vectors is None else vectors
    made = make_project(
        Path(path),
        brought,
        FeatureData(vectors, scores, fields, ignored=ignored, descriptor=descriptor),
        known=Beforehand(must_link, cannot_link, groups),
        options=ProjectOptions(question, seed, _names(show), on_network, grades),
    )
    return open_made(Path(path), made, on_network=on_network)


def open_made(path: Path, made: Made, *, on_network: bool = False) -> Project:
    """Open a project that was just made; its graph is not made again."""
    return _opened(ProjectFile.open(path, on_network=on_network), time.monotonic, made.graph)


def _brought(
    objects: Any,
    id: str | None,  # noqa: A002
    target: Path,
    *,
    described: bool,
) -> tuple[Brought, Floats | None]:
    """Read objects, from a file or folder where a path is given, and vectors that come with them."""
    if isinstance(objects, os.PathLike):
        return bring(Path(objects), target, SourceOptions(id), described=described)
    return read_objects(objects, id), None


def _names(given: Iterable[str] | str | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    return (given,) if isinstance(given, str) else tuple(given)


def open_project(
    path: str | os.PathLike[str],
    *,
    objects: Any = None,
    read_only: bool = False,
    ahead: bool = False,
    progress: Progress | None = None,
    on_network: bool = False,
) -> Project:
    """Open a project file. One process has it at a time, and nothing is changed by a refusal.

    If there is no such file, it is made of ``objects``, where these are given, by `new_project`; if there is
    one, they must be in it, so that one program can begin and go on.

    With ``read_only`` it is as it is now, to be looked at, whoever has it. What the learner knows is taken
    from the file's cache; what is missing there is computed when it is first needed, or at once with
    ``progress``, a function of the calls that were made and their number. With ``ahead``, questions are
    chosen beside, so that `ask` never waits for the learner: for several people at a time. A project on a
    network file system can be looked at; ``on_network`` opens it to write all the same, at your own risk.

    Raises:
        ProjectInUseError: another process has it open; the message has its number.
        DamagedProjectError: it is not as it was written; the message names the first event that is not.
        InvalidInputError: it is no project, or was made by a newer ofakind.
        StorageError: it lies on a network file system, or the disk fails.
    """
    where = Path(path)
    truth_value("read_only", read_only)
    truth_value("ahead", ahead)
    truth_value("on_network", on_network)
    if read_only and ahead:
        raise InvalidInputError(
            "ahead is True, and a project that is only looked at asks nothing; leave it out"
        )
    if objects is not None:
        objects = list(objects) if isinstance(objects, Iterator) else objects  # which can be read but once
        if not where.exists() and not read_only:
            new_project(objects, path=where, on_network=on_network).close()
    file = ReadOnlyFile(where) if read_only else ProjectFile.open(where, on_network=on_network)
    project = _opened(file, time.monotonic, ahead=ahead)
    if isinstance(file, ProjectFile) and file.log_was_missing:
        project.note(f"opened without {file.path.name}-wal: {LOG_MISSING}")
    if objects is not None:
        _refuse_other_objects(project, objects)
    if progress is not None:
        project.catch_up(progress)
    return project


def _refuse_other_objects(project: Project, objects: Any) -> None:
    """Refuse objects that are not in a project, and close it."""
    known = set(project.ids)
    new = [one for one in read_objects(objects).ids if one not in known]
    if new:
        project.close()
        got = f"{new[0]!r:.60} is no object of {project.path}"
        raise InvalidInputError(f"{got}; leave objects out, and add() what is new")


def _opened(
    file: ProjectFile | ReadOnlyFile, clock: Clock, graph: Neighbours | None = None, *, ahead: bool = False
) -> Project:
    """Put a project together; its first graph is not made again where it was just made."""
    try:
        books = Books(file, clock)
        model = _model(books)
        if graph is not None:
            model.replay.graphs.know(0, graph)
        return Project(books, model, ahead=ahead)
    except BaseException:
        file.close()
        raise


def _model(books: Books) -> LiveModel:
    """Return the learner of the checkpoint, or none yet."""
    ledger, file = books.ledger, books.file
    graphs = Graphs(ledger.features, ledger.columns, file.blob)
    try:
        found = file.cached(CHECKPOINT)
    except DamagedProjectError:  # no answer is there
        found = None
    if found is not None and 1 <= found[0] <= ledger.last:
        learner = unpacked_learner(found[1], found[2], books.hashes[found[0] - 1])
        replay = Replay(graphs)
        try:
            if learner is not None:
                left = replay.begin_at(in_order(ledger.calls), found[0], learner)
                replay.curve = _curve(books)
                return LiveModel(replay, found[0], len(ledger.calls) - len(left))
        except InvalidInputError:  # not of this log
            pass
    return LiveModel(Replay(graphs), 0, 0)


def _curve(books: Books) -> ErrorCurve:
    """Return what was expected on the way to the checkpoint, as far as it was kept."""
    try:
        found = books.file.cached(CURVE)
    except DamagedProjectError:
        found = None
    if found is None or not 1 <= found[0] <= books.ledger.last:
        return ErrorCurve()
    fits = cache_digest(books.hashes[found[0] - 1], found[2]) == found[1]
    return curve_in(found[2]) if fits else ErrorCurve()
