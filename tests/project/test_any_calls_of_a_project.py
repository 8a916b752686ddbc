"""Random calls of a project against a plain list, with crashes, full disks and backups in between."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import ofakind as ok
from ofakind.errors import ConflictingAnswerError, ContradictingPinsError, StorageError
from ofakind.project.leases import LEASE
from ofakind.project.log import check_file
from ofakind.project.opening import _opened
from ofakind.project.store import ProjectFile, back_up
from ofakind.project.transfer import project_from_log, write_log

some = st.integers(0, 10**6)
names = st.sampled_from(["", "Ada", "Bob"])
answers = st.sampled_from([-1.0, -0.4, 0.0, 1.0])


class Model:
    """What happened, as a list: (kind, in force, what). Everything is looked up the slow way."""

    def __init__(self):
        self.actions = {}  # event -> [kind, annotator, content, target]

    def stands(self, event):
        undone = [
            other for other, action in self.actions.items() if action[0] == "undo" and action[3] == event
        ]
        return not any(map(self.stands, undone))

    def in_force(self, event):
        others = [
            other for other, action in self.actions.items() if action[0] == "answer" and action[3] == event
        ]
        return self.stands(event) and not any(map(self.stands, others))

    def answers(self):
        found = [(e, a) for e, a in self.actions.items() if a[0] == "answer" and self.in_force(e)]
        return [(event, who, *each) for event, (_, who, content, _) in found for each in content]

    def pin_of(self, pair, who):
        """The pin of a pair that one person has made, if it still holds."""
        found = None
        for event, (kind, name, content, _) in self.actions.items():
            if kind in ("pin", "unpin") and content[0] == pair and self.in_force(event):
                found = None if kind == "unpin" else event if name == who else found
        return found

    def pins(self):
        pinned = {}
        for event, (kind, _, content, _) in self.actions.items():
            if kind == "pin" and self.in_force(event):
                pinned[content[0]] = content[1]
            if kind == "unpin" and self.in_force(event):
                pinned.pop(content[0], None)
        return pinned


class AnyCalls(RuleBasedStateMachine):
    """A project in a real file, a list of what happened, and a clock that only the test moves."""

    @initialize(n=st.integers(2, 6), seed=some)
    def begin(self, n, seed):
        self.folder = tempfile.TemporaryDirectory()
        self.path, self.now = Path(self.folder.name) / "a.ofk", 1000.0
        self.ids = [f"o{number}" for number in range(n)]
        ok.new_project(self.ids, path=self.path, seed=seed).close()
        self.model, self.questions, self.held, self.keys = Model(), [], {}, {}
        self.judged = []
        self.screens, self.keys_of_screens = [], {}
        self.open()

    def open(self):
        self.project = _opened(ProjectFile.open(self.path), lambda: self.now)

    def teardown(self):
        if hasattr(self, "project"):
            self.project.close()
            self.folder.cleanup()

    def pair(self, seed):
        n = len(self.ids)
        u, v = seed % n, (seed // n) % (n - 1)
        v += v >= u
        return self.ids[min(u, v)], self.ids[max(u, v)]

    def enter(self, event, kind, who, content=None, target=None):
        self.model.actions[event] = [kind, who, content, target]

    # -- answers -------------------------------------------------------------------------------------------

    @rule(size=st.integers(1, 3), who=names)
    def ask(self, size, who):
        answered = {frozenset(pair) for _, _, pair, _ in self.model.answers()}
        for question in self.project.ask(size, who):
            pair = frozenset((question.left_id, question.right_id))
            holder, until = self.held.get(pair, (None, -1))
            assert until < self.now or holder == who, "two people have the same pair"
            assert holder != who or until < self.now or question.key not in self.keys
            if pair in answered:  # a second opinion
                assert who not in {w for _, w, p, _ in self.model.answers() if frozenset(p) == pair}
            self.held[pair] = who, self.now + LEASE.seconds
            self.questions.append(question)

    @precondition(lambda self: self.questions)
    @rule(seed=some, value=answers)
    def tell(self, seed, value):
        question = self.questions[seed % len(self.questions)]
        if question.key not in self.keys:
            event = self.project.tell(question, value)
            pair = question.left_id, question.right_id
            self.enter(event, "answer", question.annotator, [(pair, value)])
            self.keys[question.key] = event, value
            if self.held.get(frozenset(pair), ("",))[0] == question.annotator:
                self.held.pop(frozenset(pair), None)
        else:
            event, said = self.keys[question.key]
            if said == value and self.model.in_force(event):
                assert self.project.tell(question, value) == event
            else:
                with pytest.raises(ConflictingAnswerError):
                    self.project.tell(question, value)

    @rule(size=st.integers(1, 4), who=names)
    def ask_screen(self, size, who):
        screen = self.project.ask_screen(size, who)
        if screen is None:
            return
        assert 1 <= len(screen.other_ids) <= size
        for other in screen.other_ids:
            holder, until = self.held.get(frozenset((screen.object_id, other)), (None, -1))
            assert until < self.now or holder == who, "two people have the same pair"
            self.held[frozenset((screen.object_id, other))] = who, self.now + LEASE.seconds
        self.screens.append(screen)

    @precondition(lambda self: self.screens)
    @rule(seed=some, value=answers)
    def tell_screen(self, seed, value):
        screen = self.screens[seed % len(self.screens)]
        pairs = [(screen.object_id, other) for other in screen.other_ids]
        values = [value, *[-1.0] * (len(pairs) - 1)]
        event, said = self.keys_of_screens.get(screen.key, (None, None))
        if event is None:
            event = self.project.tell_screen(screen, values)
            self.enter(event, "answer", screen.annotator, list(zip(pairs, values, strict=True)))
            self.keys_of_screens[screen.key] = event, values
            self.give_back(pairs, screen.annotator)
        elif said == values and self.model.in_force(event):
            assert self.project.tell_screen(screen, values) == event
        else:
            with pytest.raises(ConflictingAnswerError):
                self.project.tell_screen(screen, values)

    @precondition(lambda self: self.screens)
    @rule(seed=some)
    def skip_screen(self, seed):
        screen = self.screens[seed % len(self.screens)]
        self.enter(self.project.skip(screen), "skip", screen.annotator)
        self.give_back([(screen.object_id, other) for other in screen.other_ids], screen.annotator)

    def give_back(self, pairs, who):
        for pair in map(frozenset, pairs):
            if self.held.get(pair, ("",))[0] == who:
                self.held.pop(pair, None)

    @precondition(lambda self: self.keys)
    @rule(seed=some)
    def tell_conflicting(self, seed):
        asked = [one for one in self.questions if one.key in self.keys]
        question = asked[seed % len(asked)]
        _, said = self.keys[question.key]
        with pytest.raises(ConflictingAnswerError):
            self.project.tell(question, 0.5 if said != 0.5 else -0.5)
        with pytest.raises(ConflictingAnswerError):
            self.project.tell(question, said, "somebody else")

    @rule(seed=some, value=answers, who=names)
    def tell_what_was_not_asked(self, seed, value, who):
        pair = self.pair(seed)
        self.enter(self.project.tell(pair, value, who), "answer", who, [(pair, value)])
        if self.held.get(frozenset(pair), ("",))[0] == who:
            self.held.pop(frozenset(pair), None)

    @precondition(lambda self: self.questions)
    @rule(seed=some)
    def skip(self, seed):
        question = self.questions[seed % len(self.questions)]
        pair = frozenset((question.left_id, question.right_id))
        self.enter(self.project.skip(question), "skip", question.annotator)
        if self.held.get(pair, ("",))[0] == question.annotator:
            self.held.pop(pair, None)

    @precondition(lambda self: self.model.answers())
    @rule(seed=some, value=answers)
    def correct(self, seed, value):
        found = self.model.answers()
        event, who, *_ = found[seed % len(found)]
        content = [(pair, value) for pair, _ in self.model.actions[event][2]]
        self.enter(self.project.correct(event, value), "answer", who, content, event)

    @rule(who=names | st.none())
    def undo_the_last(self, who):
        found = [
            event
            for event, (kind, name, _, _) in self.model.actions.items()
            if kind != "undo" and self.model.in_force(event) and who in (None, name)
        ]
        self.take_back(max(found, default=None), {"annotator": who}, who or "")

    @precondition(lambda self: self.model.actions)
    @rule(seed=some)
    def undo_anything(self, seed):
        events = [event for event in self.model.actions if self.model.in_force(event)]
        if events:
            event = events[seed % len(events)]
            self.take_back(event, {"event": event}, "")

    def take_back(self, event, options, who):
        trial = max(self.model.actions, default=0) + 10**6
        self.enter(trial, "undo", who, None, event)
        allowed = event is None or consistent(self.model, self.ids)
        del self.model.actions[trial]
        if not allowed:
            with pytest.raises(ContradictingPinsError):
                self.project.undo(**options)
            return
        found = self.project.undo(**options)
        assert (found is None) == (event is None)
        if found is not None:
            self.enter(found, "undo", who, None, event)

    # -- judges --------------------------------------------------------------------------------------------

    @rule(budget=st.integers(1, 6), score=answers, name=st.sampled_from(["model", "rule"]))
    def judge(self, budget, score, name):
        before = {one[:3]: one.score for one in self.judged}
        run = self.project.judge(lambda *_: score, budget, name=name)
        self.judged = self.project.judged()
        new = {one[:3]: one.score for one in self.judged if one[:3] not in before}
        assert set(new.values()) <= {score}
        assert {key[2] for key in new} <= {name}
        assert len(new) == run.scores <= budget
        assert all(one.score == before.get(one[:3], score) for one in self.judged)

    # -- pins ----------------------------------------------------------------------------------------------

    @rule(seed=some, same=st.booleans(), who=names)
    def pin(self, seed, same, who):
        pair = self.pair(seed)
        trial = max(self.model.actions, default=0) + 10**6
        contradicts = self.model.pins().get(pair, same) != same
        self.enter(trial, "pin", who, (pair, same))
        contradicts = contradicts or not consistent(self.model, self.ids)
        del self.model.actions[trial]
        if contradicts:
            with pytest.raises(ContradictingPinsError):
                self.project.pin(pair, same=same, annotator=who)
        elif (known := self.model.pin_of(pair, who)) is not None:
            assert self.project.pin(pair, same=same, annotator=who) == known
        else:
            self.enter(self.project.pin(pair, same=same, annotator=who), "pin", who, (pair, same))

    @precondition(lambda self: self.model.pins())
    @rule(seed=some)
    def unpin(self, seed):
        pinned = sorted(self.model.pins())
        pair = pinned[seed % len(pinned)]
        self.enter(self.project.unpin(pair), "unpin", "", (pair,))

    # -- what happens to files -----------------------------------------------------------------------------

    @rule(seconds=st.sampled_from([1.0, 300.0, 700.0]))
    def advance_clock(self, seconds):
        self.now += seconds

    @rule()
    def close_and_open(self):
        self.project.close()
        self.reopened()

    @rule(torn=st.sampled_from([0, 1, 24, 700, 4119]))
    def crash_and_reopen(self, torn):
        """The process is gone: what it had in memory is lost, and its files stay as they are.

        It may have been about to write more, of which some bytes came as far as the file.
        """
        file = self.project._books.file
        copies = {name: self.path.with_name(self.path.name + name) for name in ("", "-wal")}
        left = {name: path.read_bytes() for name, path in copies.items() if path.exists()}
        file.close()
        for name, content in left.items():
            copies[name].write_bytes(content)
        if "-wal" in left and torn and len(left["-wal"]) > 32:
            with copies["-wal"].open("ab") as end:
                end.write(left["-wal"][32 : 32 + torn])  # a page of before, in part
        self.reopened()

    def reopened(self):
        """Whoever had questions that are still open has them anew."""
        self.open()
        ledger = self.project._books.ledger
        self.held = {}
        for who, shown in ledger.shown.values():
            for left, right in shown:
                pair = (min(left, right), max(left, right))
                if pair in ledger.open and not ledger.skipped.get((who, pair)):
                    ids = frozenset((ledger.ids[left], ledger.ids[right]))
                    self.held[ids] = who, self.now + LEASE.seconds

    @rule(seed=some)
    def disk_full_once(self, seed):
        file = self.project._books.file

        def pages(limit):
            file.run(lambda: file._connection.execute(f"PRAGMA max_page_count = {limit}"))

        before = file.run(lambda: self.project._books.ledger.last)
        pages(1)
        try:
            event = self.project.tell(self.pair(seed), 1.0, key=f"{before} " + "k" * 150)
            self.enter(event, "answer", "", [(self.pair(seed), 1.0)])
            if self.held.get(frozenset(self.pair(seed)), ("x",))[0] == "":
                self.held.pop(frozenset(self.pair(seed)))
        except StorageError:
            assert file.run(lambda: self.project._books.ledger.last) == before
        finally:
            pages(10**6)

    @rule()
    def back_up_and_restore(self):
        copy = self.path.with_name("copy.ofk")
        assert back_up(self.path, copy)
        self.project.close()
        copy.replace(self.path)
        self.reopened()

    @rule()
    def export_and_import(self):
        lines, other = self.path.with_name("log.jsonl"), self.path.with_name("other.ofk")
        assert write_log(self.path, lines) == self.project._books.ledger.last
        self.project.close()
        assert project_from_log(lines, other)
        other.replace(self.path)
        self.reopened()

    # -- what always holds ---------------------------------------------------------------------------------

    @invariant()
    def the_answers_in_force_are_those_of_the_list(self):
        if hasattr(self, "project"):
            found = [one for one in self.project.answers if one.in_force]
            given = self.model.answers()
            expected = [(event, who, frozenset(pair), value) for event, who, pair, value in given]
            assert [
                (one.event, one.annotator, frozenset((one.left_id, one.right_id)), one.value) for one in found
            ] == expected
            ledger = self.project._books.ledger
            pinned = {tuple(self.ids[o] for o in pair): same for pair, same in ledger.pinned.items()}
            assert pinned == self.model.pins()

            assert self.project.judged() == self.judged

    @invariant()
    def the_file_is_as_it_was_written(self):
        if hasattr(self, "project"):
            found = check_file(self.path)  # numbers without gaps, hashes, arrays, pages
            assert found
            assert found.n_events == self.project._books.ledger.last

    @rule()
    def replay(self):
        assert self.project.check(replay=True)
        assert self.project.status().n_answers == len(self.model.answers())
        rows = self.project._model.replay.rows
        assert sorted(rows) == [event for event, *_ in self.model.answers()]


def consistent(model, ids):
    """Whether pins contradict each other, found out the slow way."""
    kinds = {}
    for event, (kind, _, content, _) in model.actions.items():
        if kind == "pin" and model.in_force(event):
            if kinds.setdefault(content[0], content[1]) != content[1]:
                return False
        elif kind == "unpin" and model.in_force(event):
            kinds.pop(content[0], None)
    unit = {one: one for one in ids}
    for _ in ids:
        for (u, v), same in kinds.items():
            if same:
                unit[u] = unit[v] = min(unit[u], unit[v])
    return all(same or unit[u] != unit[v] for (u, v), same in kinds.items())


@pytest.mark.slow
class TestAnyCallsOfAProject(AnyCalls.TestCase):
    settings = settings(
        max_examples=settings.default.max_examples * 2 // 3, stateful_step_count=30, deadline=None
    )
