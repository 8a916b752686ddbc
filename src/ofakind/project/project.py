"""A project: questions out, answers in, every one of them on disk before anything else happens."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import numpy as np

from ofakind.checks import truth_value, whole_number
from ofakind.errors import InvalidAnswerError, InvalidInputError, OfakindError, noting
from ofakind.files import write_whole
from ofakind.project.adding import KnownBefore, events_for
from ofakind.project.ahead import AHEAD, Ahead
from ofakind.project.assigning import Believed, Placement, graph_with, placements
from ofakind.project.books import Books, new_key
from ofakind.project.choosing import FeatureData
from ofakind.project.curve import CURVE
from ofakind.project.describe import DESCRIBE, members_by_group
from ofakind.project.events import (
    AnswerGiven,
    GroupNamed,
    NoteWritten,
    PairsPinned,
    PairsUnpinned,
)
from ofakind.project.evidence import (
    answers_in,
)
from ofakind.project.fields import Pair, short_text
from ofakind.project.judged_project import JudgedProject
from ofakind.project.log import Checked, check_file
from ofakind.project.mapped import MappedProject
from ofakind.project.model import LiveModel
from ofakind.project.objects import ids_like, read_objects
from ofakind.project.page.gathered import gathered
from ofakind.project.page.report import report_page
from ofakind.project.questions import Meant, Question, ScreenQuestion
from ofakind.project.reading import ReadOnlyFile
from ofakind.project.replay import CHECKPOINT, Chosen, Progress, cache_digest, packed_learner
from ofakind.project.screening import ScreenedProject
from ofakind.project.showing import Showing, ShownPage
from ofakind.project.store import ProjectFile, back_up
from ofakind.project.verify import replayed

SAVED_EVERY = 150  # events after which the learner is put into the file's cache while questions are asked


class Project(JudgedProject, ScreenedProject, MappedProject):
    """A file of questions and answers, opened by `open_project` or `new_project`. Use it with ``with``.

    When a call that changes something has returned, the change is on the disk, and neither a killed process
    nor a power failure takes it back. Calls may come from several threads. Everything is in one log of
    numbered events: calls return the number of theirs, which `undo` and `correct` take.
    """

    def __init__(self, books: Books, model: LiveModel, *, ahead: bool = False) -> None:
        super().__init__(books, model)
        self._saved, self._showing = model.through, Showing()
        self._ahead = Ahead(self._fill) if ahead else None
        if self._ahead is not None:
            self._ahead.begin()

    # -- questions and answers -----------------------------------------------------------------------------

    def ask(self, n: int = 1, annotator: str = "") -> list[Question]:
        """Give somebody the next n questions, best first; fewer where fewer are left.

        They are lent for ten minutes, in which nobody else gets them, but for the few that two people are
        meant to answer, so that they can be compared. Later they may go to somebody else, and a late answer
        still counts. After a restart whoever had questions gets them again first.
        """
        wanted, _ = whole_number("n", n, least=1), short_text("annotator", annotator)
        if isinstance(self._books.file, ReadOnlyFile):
            self._books.file.append(())  # which refuses, before anything is computed
        if self._ahead is not None:
            return self._ask_ahead(self._ahead, wanted, annotator)
        taken, _ = self._books.take(wanted, annotator)
        while len(taken) < wanted:
            new, more = self._ask_model(wanted - len(taken), annotator)
            taken += more
            if not new:
                break
        return self._questions(taken, annotator)

    def tell(
        self,
        question: Meant,
        answer: float,
        annotator: str | None = None,
        *,
        key: str | None = None,
        milliseconds: int | None = None,
    ) -> int:
        """Add an answer from -1 (different) to 1 (the same); 0 is undecided. Returns its event.

        ``question`` is one that was asked, or any two ids. A repeat under the same ``key`` (that of the
        question) is the same answer; another value under it raises `ConflictingAnswerError`. Answers to ids
        have a key of their own, so that telling them twice are two answers.
        """
        who = annotator if annotator is not None else getattr(question, "annotator", "")
        own = key if key is not None else getattr(question, "key", None) or new_key()
        try:
            event = AnswerGiven(own, who, (self._pair(question),), (answer,), milliseconds)
        except InvalidInputError as error:
            raise InvalidAnswerError(f"{error}; nothing was kept") from error
        return self._books.answer(event)

    def skip(self, question: Question | ScreenQuestion) -> int:
        """Note that somebody would rather not answer: it may go to somebody else, and not to them again."""
        if isinstance(question, ScreenQuestion):
            pairs = [(min(pair), max(pair)) for pair in self._screen_pairs(question)]
        else:
            pairs = [self._pair(question)]
        return self._books.skip(question.key, question.annotator, pairs)

    def tell_all(
        self, pairs: Sequence[Meant], answer: float, annotator: str = "", *, key: str | None = None
    ) -> int:
        """Add the same answer to several pairs as one event, which one `undo` takes back."""
        numbers = tuple({self._pair(pair): None for pair in pairs})
        try:
            event = AnswerGiven(key or new_key(), annotator, numbers, (answer,) * len(numbers))
        except InvalidInputError as error:
            raise InvalidAnswerError(f"{error}; nothing was kept") from error
        return self._books.answer(event)

    def asked(self, key: str) -> Question | None:
        """Return the question that was asked under a key, answered or not; None if none was."""

        def job() -> Question | None:
            who, pairs = self._books.ledger.shown.get(key, ("", ()))
            return self._questions([(key, pairs[0])], who)[0] if len(pairs) == 1 else None

        return self._books.run(job)

    def undo(self, event: int | None = None, *, annotator: str | None = None) -> int | None:
        """Take back the last answer, skip, pin, unpin or name in force, of anybody or of one ``annotator``.

        Again and again it goes back as far as one likes. With a number it is that event, and if that is an
        undo, what it took back is in force again: ``project.undo(project.undo())`` changes nothing. Returns
        the number of the undo, or None where there is nothing to take back.
        """
        seq = None if event is None else whole_number("event", event, least=1)
        return self._books.undo(seq, annotator)

    def correct(
        self, what: int | Meant, answer: float | Sequence[float], *, annotator: str | None = None
    ) -> int:
        """Change a past answer: the event of it, the question, or two ids (then the last answer to them).

        Of an event with several answers, such as a screen, give a list of as many, or one for all of them;
        by two ids, only the answer to these changes.
        """
        try:
            if isinstance(what, int | np.integer):
                return self._books.correct(int(what), answer, annotator)
            seq = self._books.run(lambda: self._answer_to(what, annotator))
            return self._books.correct(seq, answer, annotator, self._pair(what))
        except InvalidInputError as error:
            raise InvalidAnswerError(str(error)) from error

    def pin(self, ids: Meant, *, same: bool, annotator: str = "") -> int:
        """Fix that two objects are of a kind, or are not: no answers outweigh it.

        Pins that contradict each other raise `ContradictingPinsError` with the chain, and nothing changes.
        Somebody who pins the same again has one pin, which one `undo` takes back; the event is the first.
        """
        return self.pin_all([ids], same=same, annotator=annotator)

    def pin_all(self, pairs: Sequence[Meant], *, same: bool, annotator: str = "") -> int:
        """Fix several pairs as one event, which one `undo` takes back."""
        truth_value("same", same)
        numbers = tuple({self._pair(pair): None for pair in pairs})
        return self._books.pin(PairsPinned(numbers, bool(same), annotator))

    def unpin(self, ids: Meant, *, annotator: str = "") -> int:
        """Take a pin back."""
        return self._books.unpin(PairsUnpinned((self._pair(ids),), annotator))

    def add(
        self,
        objects: Any,
        id: str | None = None,  # noqa: A002
        *,
        vectors: Any = None,
        scores: Any = None,
    ) -> int:
        """Add objects; what was known beforehand of the others must be given of these, too.

        Groups keep their numbers. See `new_project` for what objects, vectors and scores may be.
        """
        with self._model.lock:
            self._follow()
            ledger, learner = self._books.ledger, self._model.learner
            brought = read_objects(objects, id, first=len(ledger.ids))
            known = KnownBefore(ledger, learner.prior, self._books.file.blob)
            made = events_for(ids_like(ledger.ids, brought), FeatureData(vectors, scores), known)
            seq = self._books.write(made.events, made.blobs)
            if made.graph is not None:
                self._model.replay.graphs.know(len(ledger.features) - 1, made.graph)
            return seq

    def rename(self, group: int, name: str, *, annotator: str = "") -> int:
        """Give a group a name, or with "" the one that ofakind gives; `undo` takes it back.

        The name goes with the objects that the group has now: with the group that holds most of them.
        """
        short_text("name", name)
        number = whole_number("group", group, least=0)
        with self._model.lock:
            members = members_by_group(self._look().groups, self._sureness()).get(number)
        if members is None:
            raise InvalidInputError(f"there is no group {number}; expected one of those that there are now")
        return self._books.write([GroupNamed(number, name, tuple(members[: DESCRIBE.kept]), annotator)])

    def assign(
        self,
        objects: Any,
        id: str | None = None,  # noqa: A002
        *,
        vectors: Any = None,
        scores: Any = None,
    ) -> list[Placement]:
        """Return where each of these objects would belong; nothing is added, and nothing asked.

        They are what `add` takes. Each is compared with the objects of the project, not with one another, by
        features and the groups as they are. Without features there is nothing to go by, and it is refused.
        """
        with self._model.lock, noting({}):
            seen, learner, ledger = self._look(), self._model.learner, self._books.ledger
            brought = read_objects(objects, id, first=len(ledger.ids))
            known = KnownBefore(ledger, learner.prior, self._books.file.blob)
            graph = graph_with(brought, FeatureData(vectors, scores), known)
            return placements(graph, brought.ids, Believed(learner.posterior, seen.groups, ledger.ids))

    def note(self, text: str) -> int:
        """Write something for people into the log."""
        return self._books.write([NoteWritten(text)])

    def label(
        self, annotator: str = "", *, origin: str | None = None, browser: bool | None = None
    ) -> ShownPage:
        """Show the page of `ofakind label` inside a notebook, or elsewhere in a browser; it runs beside.

        It stops with its ``close``, and with that of the project. ``origin`` is the notebook's address where
        ofakind cannot tell; ``browser`` opens one, or none. From now on questions are chosen ahead.
        """
        short_text("annotator", annotator)
        if isinstance(self._books.file, ReadOnlyFile):
            self._books.file.append(())  # which refuses
        if self._ahead is None:
            self._ahead = Ahead(self._fill)
            self._ahead.begin()
        return self._showing.show(self, annotator, origin, browser=browser)

    # -- the file ------------------------------------------------------------------------------------------

    def check(self, *, replay: bool = False, progress: Progress | None = None) -> Checked:
        """Read the whole file and say whether it is as it was written.

        With ``replay`` all calls are made again, which may take long: then it is also said whether the same
        questions come out, and the same learner as in the checkpoint; ``progress`` as for `open_project`.
        """
        found = check_file(self.path)
        return replayed(self._books, found, progress) if replay and found else found

    def backup(self, path: str | Path) -> Checked:
        """Copy the project, while it is in use, to a new file."""
        return back_up(self.path, Path(path))

    def report(self, path: str | Path, *, target: float = 0.01) -> None:
        """Write a page about the project: one HTML file that needs nothing else, whole or not at all."""
        page = report_page(gathered(self, target=target))
        write_whole(path, page.encode("utf-8", "backslashreplace"))

    def checkpoint(self) -> None:
        """Put the learner into the file's cache, so that opening is quick; `close` does it, too."""
        with self._model.lock:
            self._follow()
            through = self._model.through
            if through != self._saved:
                digest, content = packed_learner(self._model.learner, self._books.hashes[through - 1])
                self._books.file.put_away(CHECKPOINT, through, digest, content)
                points = self._model.replay.curve.to_bytes()
                digest = cache_digest(self._books.hashes[through - 1], points)
                self._books.file.put_away(CURVE, through, digest, points)
                self._saved = through

    def close(self) -> None:
        """Save, and give the file back. Twice does no harm."""
        self._showing.close()
        try:
            ended = self._ahead is None or self._ahead.close()
            needed = self._model.replay.learner is not None and isinstance(self._books.file, ProjectFile)
            if ended and needed:  # what nobody has needed is not computed now
                self.checkpoint()
        except OfakindError:
            pass  # it is a cache, and the answers are on the disk
        finally:
            self._books.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def catch_up(self, progress: Progress) -> None:
        """Make all calls that the learner lacks, and say how far it is."""
        with self._model.lock:
            self._follow(progress)

    # -- inside --------------------------------------------------------------------------------------------

    def _ask_model(self, size: int, annotator: str | None) -> tuple[int, list[tuple[str, Pair]]]:
        """Let the learner choose questions, write them, and lend what somebody, if anybody, may have."""
        taken: list[tuple[str, Pair]] = []

        def write(found: Chosen, after: int) -> int:
            wanted = 0 if annotator is None else size
            more, seq = self._books.take(wanted, annotator or "", found.event(after, size))
            taken.extend(more)
            return seq or 0

        with self._model.lock:
            self._follow()
            found = self._model.ask(size, write)
            self._save_sometimes()
            return found, taken

    def _save_sometimes(self) -> None:
        """Put the learner into the cache now and then, so that others who look need not replay."""
        if self._model.through - self._saved >= SAVED_EVERY:
            with suppress(OfakindError):  # it is a cache
                self.checkpoint()

    def _ask_ahead(self, ahead: Ahead, size: int, annotator: str) -> list[Question]:
        """Lend what is ready, or comes within no time, and else what was put by; more are chosen then."""

        def lend_ready() -> tuple[list[Question], int]:
            taken, _ = self._books.take(size, annotator)
            return self._questions(taken, annotator), self._books.ready()

        # One call in the thread of the file each: whoever changes threads often waits for the learner often.
        lent, ready = self._books.run(lend_ready)
        if len(lent) < size:
            ahead.wait_if_quick()
            more = self._books.run(lambda: self._lend_spare(size - len(lent), annotator))
            return lent + more
        if ready < AHEAD.again:
            ahead.want()
        return lent

    def _lend_spare(self, size: int, annotator: str) -> list[Question]:
        """Lend what is ready now, then what was put by, then anything."""
        taken, _ = self._books.take(size, annotator)
        spare = self._model.spare
        for by, pairs in (("next", spare.further), ("prior", spare.likely)):
            if len(taken) < size:
                taken += self._books.take_spare(size - len(taken), annotator, by, pairs)
        if len(taken) < size:
            learner = self._model.replay.learner
            near = None if learner is None or learner.prior is None else learner.prior.pairs
            taken += self._books.take_by_chance(size - len(taken), annotator, near)
        return self._questions(taken, annotator)

    def _fill(self) -> None:
        """Let the learner choose as many questions, and screens, as should be ready."""
        self._fill_screens()
        if (lacking := AHEAD.questions - self._books.ready()) > 0:
            with self._model.lock:
                self._follow()
                self._model.weigh_features(AHEAD.spare)
            self._ask_model(lacking, None)
            self._model.look_further(AHEAD.spare)

    def _questions(self, taken: Sequence[tuple[str, Pair]], annotator: str) -> list[Question]:
        ids = self._books.ledger.ids

        def question(key: str, left: int, right: int) -> Question:
            contents = self._contents(left), self._contents(right)
            return Question(key, ids[left], ids[right], annotator, *contents)

        return self._books.run(lambda: [question(key, *pair) for key, pair in taken])

    def _answer_to(self, meant: Meant, annotator: str | None) -> int:
        """Return the event of the last answer in force to a question or to two ids."""
        who = meant.annotator if isinstance(meant, Question) and annotator is None else annotator
        given = [one for one in answers_in(self._books.ledger, self._pair(meant)) if one.in_force]
        given = [one for one in given if who is None or one.annotator == who]
        if not given:
            raise InvalidInputError(f"there is no answer to {meant!r:.80}; nothing was changed")
        return given[-1].event
