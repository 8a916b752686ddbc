"""Random sequences of all calls of a learner: against a plain model, and against a replay from the start."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import ofakind as ok
from ofakind.errors import InvalidInputError
from twins.replays import reloaded

PARTS = {"ours": {}, "Entropy": {"acquisition": ok.Entropy()}, "JEIG": {"acquisition": ok.JEIG()}}
PLACES = np.random.default_rng(0).normal(size=(9, 2))  # of all objects that there may be


def near_of(n):
    """What the places of the first n objects say, the last ones added to the others."""
    near = ok.Neighbours.from_vectors(PLACES[:2])
    return near.extended(PLACES[2:n]) if n > 2 else near


some_seed = st.integers(0, 2**16)


class Calls(RuleBasedStateMachine):
    """A learner, all calls so far, and what a plain model makes of them."""

    featured = False

    @initialize(n=st.integers(2, 7), part=st.sampled_from(sorted(PARTS)), seed=some_seed)
    def begin(self, n, part, seed):
        self.begun = (n, part, seed)
        self.learner = self.anew()
        self.calls, self.asked = [], []
        self.n, self.answers, self.pending, self.chosen = n, [], [], set()
        self.same, self.different = set(), set()

    def anew(self):
        n, part, seed = self.begun
        if self.featured:
            return ok.ActiveClustering(n, seed=seed, prior=near_of(n))
        return ok.ActiveClustering(n, seed=seed, **PARTS[part])

    def call(self, name, *arguments, **options):
        self.calls.append((name, arguments, options))
        return getattr(self.learner, name)(*arguments, **options)

    def implied(self):
        """What follows from pins: each object's unit, by its smallest member, and units that differ."""
        unit = list(range(self.n))
        for _ in range(self.n):
            for u, v in self.same:
                unit[u] = unit[v] = min(unit[u], unit[v])
        return unit, {frozenset((unit[u], unit[v])) for u, v in self.different}

    def is_implied(self, u, v):
        unit, apart = self.implied()
        return unit[u] == unit[v] or frozenset((unit[u], unit[v])) in apart

    def is_open(self, u, v):
        told = {pair for pair, *_ in self.answers}
        return (u, v) not in told and (u, v) not in self.pending and not self.is_implied(u, v)

    def pair(self, seed):
        u, v = sorted(np.random.default_rng(seed).choice(self.n, 2, replace=False).tolist())
        return u, v

    # -- calls that change something -----------------------------------------------------------------------

    @rule(size=st.integers(1, 4))
    def ask(self, size):
        openly = [(u, v) for u in range(self.n) for v in range(u + 1, self.n) if self.is_open(u, v)]
        found = [tuple(map(int, pair)) for pair in self.call("ask", size)]
        assert len(found) == min(size, len(openly))
        assert set(found) <= set(openly)
        self.asked.append(found)
        self.pending += found
        self.chosen |= set(found)

    @rule(size=st.integers(1, 4))
    def ask_screen(self, size):
        openly = [(u, v) for u in range(self.n) for v in range(u + 1, self.n) if self.is_open(u, v)]
        found = list(self.call("ask_screen", size).pairs)
        assert min(1, len(openly)) <= len(found) <= size
        assert set(found) <= set(openly)
        assert not found or set.intersection(*map(set, found))
        self.asked.append(found)
        self.pending += found
        self.chosen |= set(found)

    @rule(seed=some_seed, value=st.sampled_from([-1.0, -0.4, 0.0, 0.7, 1.0]), who=st.sampled_from("AB"))
    def tell(self, seed, value, who):
        likely = self.pending or sorted(self.chosen)  # or else a late answer
        pair = likely[0] if likely and seed % 4 else self.pair(seed)
        self.call("tell", [pair], [value], who)
        self.answers.append((pair, value, who, pair in self.chosen))
        self.pending = [one for one in self.pending if one != pair]

    @precondition(lambda self: self.answers)
    @rule(seed=some_seed, by_name=st.booleans())
    def retract(self, seed, by_name):
        pair, _, who, _ = self.answers[seed % len(self.answers)]
        self.call("retract", [pair], who if by_name else None)
        self.answers = [one for one in self.answers if one[0] != pair or (by_name and one[2] != who)]

    @rule(seed=some_seed, same=st.booleans())
    def pin(self, seed, same):
        pair = self.pair(seed)
        unit, apart = self.implied()
        together = unit[pair[0]] == unit[pair[1]]
        separate = frozenset((unit[pair[0]], unit[pair[1]])) in apart
        if separate if same else together:
            with pytest.raises(InvalidInputError, match="nothing was pinned"):
                self.learner.pin([pair], same=same)
            return
        self.call("pin", [pair], same=same)
        (self.same if same else self.different).add(pair)
        self.pending = [one for one in self.pending if not self.is_implied(*one)]

    @precondition(lambda self: self.same or self.different)
    @rule(seed=some_seed)
    def unpin(self, seed):
        pins = sorted(self.same | self.different)
        pair = pins[seed % len(pins)]
        self.call("unpin", [pair])
        self.same.discard(pair)
        self.different.discard(pair)

    @rule()
    def release(self):
        self.call("release")
        self.pending = []

    @precondition(lambda self: self.n < 9)
    @rule()
    def extend(self):
        prior = self.learner.prior
        if prior is None:
            self.call("extend", 1)
        elif prior.sources:
            self.call("extend", 1, prior=prior.extended(PLACES[[self.n]]))
        else:  # it was loaded, without its vectors
            self.call("extend", 1, prior=near_of(self.n + 1).including(prior.pairs))
        self.n += 1

    # -- calls that change nothing -------------------------------------------------------------------------

    @rule()
    def look(self):
        before = self.learner.to_document()
        labels = self.learner.labels
        assert len(labels) == len(self.learner.groups) == self.learner.n == self.n
        assert self.learner.n_answers == len(self.answers)
        assert self.learner.answers.asked.tolist() == [asked for *_, asked in self.answers]
        assert [tuple(map(int, pair)) for pair in self.learner.pending] == self.pending
        unit, apart = self.implied()
        for u in range(self.n):
            for v in range(u):
                assert labels[u] == labels[v] or unit[u] != unit[v]
                assert labels[u] != labels[v] or frozenset((unit[u], unit[v])) not in apart
        assert self.learner.to_document() == before

    @rule()
    def save_and_load(self):
        self.learner = reloaded(self.learner)

    @rule()
    def replay(self):
        again, asked = self.anew(), []
        for name, arguments, options in self.calls:
            found = getattr(again, name)(*arguments, **options)
            if name == "ask":
                asked.append([tuple(map(int, pair)) for pair in found])
            if name == "ask_screen":
                asked.append(list(found.pairs))
        assert asked == self.asked
        assert again.to_document() == self.learner.to_document()


class CallsWithFeatures(Calls):
    """The same with a prior from features: what is told of a pair may be kept, or brought up to date."""

    featured = True

    @rule(goal=st.sampled_from([0.8, 0.95]))
    def judge(self, goal):
        """Look at what is said of the clusters; whatever it is, it is within what can be."""
        most = self.n * (self.n - 1) / 2
        found, forecast = self.learner.accuracy, self.learner.forecast(goal)
        low, high = found.wrong_pairs_interval
        assert 0 <= low <= high <= most
        assert 0 <= found.never_compared <= most
        assert 0 <= forecast.low <= max(forecast.left, 1)
        assert (self.learner.posterior.same_probability([0], [1]) <= 1).all()


class Judged:
    """Rules for a learner that judges help: whatever they say, and whenever they say it."""

    def anew(self):
        n, _, seed = self.begun
        return ok.ActiveClustering(n, seed=seed, prior=near_of(n) if self.featured else None)

    @rule(seed=some_seed, name=st.sampled_from("XY"), size=st.integers(1, 9))
    def tell_judge(self, seed, name, size):
        wanted = self.call("ask_judge", size, name)
        assert self.learner.ask_judge(size, name) == wanted  # it changes nothing
        assert not any(self.is_implied(int(u), int(v)) for u, v in wanted)
        pairs = [*wanted, self.pair(seed)]
        scores = np.random.default_rng(seed).uniform(-1, 1, len(pairs))
        self.call("tell_judge", pairs, scores, name)
        assert name in self.learner.judges
        assert set(self.learner.ask_judge(99, name)).isdisjoint(pairs)

    @rule()
    def look_at_reading(self):
        assert self.learner.reading in ("judge", "features" if self.featured else "people", "people")
        low, high = self.learner.accuracy.wrong_pairs_interval
        assert 0 <= low <= high <= self.n * (self.n - 1) / 2
        assert self.learner.forecast(0.9).low >= 0


class CallsWithJudges(Judged, Calls):
    """The same with judges."""


class CallsWithFeaturesAndJudges(Judged, CallsWithFeatures):
    """The same with judges beside features."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
class TestAnyCallsWithJudges(CallsWithJudges.TestCase):
    settings = settings(max_examples=15, stateful_step_count=20, deadline=None)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
class TestAnyCallsWithFeaturesAndJudges(CallsWithFeaturesAndJudges.TestCase):
    settings = settings(max_examples=15, stateful_step_count=20, deadline=None)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
class TestAnyCallsWithFeatures(CallsWithFeatures.TestCase):
    settings = settings(max_examples=15, stateful_step_count=20, deadline=None)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
class TestAnyCalls(Calls.TestCase):
    settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
