"""The learner: asking, telling, looking, and the promise that equal sequences give equal questions."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ofakind.acquire.base import Scores
from ofakind.acquire.entropy import Entropy
from ofakind.acquire.jeig import JEIG
from ofakind.acquire.uniform import Uniform
from ofakind.clustering import Clustering
from ofakind.engine.kept import Kept
from ofakind.engine.learner import ActiveClustering
from ofakind.errors import InvalidAnswerError, InvalidInputError
from ofakind.oracles.noisy import NoisyOracle
from ofakind.pairs import Pairs, count_pairs
from ofakind.posterior.mean_field.belief import MeanFieldBelief
from ofakind.posterior.partition.belief import PartitionBelief
from ofakind.solve.local_search import LocalSearch
from twins.parts import OwnAcquisition, OwnBelief, OwnSolver

OWN: dict[str, Any] = {"acquisition": OwnAcquisition(), "solver": OwnSolver(), "belief": OwnBelief()}

# Every promise of this page is kept by each of these compositions.
COMPOSITIONS: dict[str, dict[str, Any]] = {
    "own": OWN,
    "uniform": {"acquisition": Uniform(), "solver": LocalSearch(), "belief": MeanFieldBelief(tol=1e-3)},
    "entropy": {
        "acquisition": Entropy(),
        "solver": LocalSearch(restarts=2),
        "belief": MeanFieldBelief(beta=2.0, tol=1e-3),
    },
    "jeig": {"acquisition": JEIG(samples=5), "solver": LocalSearch(), "belief": MeanFieldBelief(tol=1e-3)},
    "mixed": {"acquisition": Entropy(noise=0.5), "solver": OwnSolver(), "belief": MeanFieldBelief(tol=1e-3)},
}
N = 30
TRUTH = np.arange(N) % 3


@pytest.fixture(params=COMPOSITIONS)
def parts(request: pytest.FixtureRequest) -> dict[str, Any]:
    return COMPOSITIONS[request.param]


def make(n: int = N, **options: Any) -> ActiveClustering:
    """Make a learner with parts of our own unless others are named."""
    return ActiveClustering(n, **{**OWN, **options})


def reloaded(learner: ActiveClustering, suffix: str = ".json") -> ActiveClustering:
    """Save a learner to a file and load it, handing in the parts again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "learner").with_suffix(suffix)
        learner.save(path)
        return ActiveClustering.load(
            path, acquisition=learner.acquisition, solver=learner.solver, belief=learner.belief
        )


def rounds(
    learner: ActiveClustering, count: int, between: Callable[[ActiveClustering], Any] = id
) -> list[Pairs]:
    """Ask and tell `count` times, doing something in between; return the questions."""
    oracle, asked = NoisyOracle(TRUTH, 0.3, seed=5), []
    for _ in range(count):
        between(learner)
        asked.append(learner.ask())
        between(learner)
        learner.tell(asked[-1], oracle(asked[-1]))
    return asked


# -- asking ----------------------------------------------------------------------------------------------


def test_the_first_ask_gives_the_initial_number_of_pairs_and_later_ones_a_batch(
    parts: dict[str, Any],
) -> None:
    sizes = [len(pairs) for pairs in rounds(ActiveClustering(N, **parts, initial=21, batch_size=7), 3)]
    assert sizes == [21, 7, 7]


def test_by_default_n_pairs_come_first_and_then_six_tenths_of_n() -> None:
    assert [len(pairs) for pairs in rounds(make(), 3)] == [30, 18, 18]
    assert (make(1).batch_size, make(1).initial, make(0).batch_size) == (1, 1, 1)


def test_a_size_overrides_the_default_in_every_round() -> None:
    learner = make()
    assert len(learner.ask(5)) == 5
    learner.tell([(0, 1)], [1])
    assert len(learner.ask(3)) == 3


def test_no_question_waits_when_a_size_is_asked_for() -> None:
    class Adaptive(OwnAcquisition):
        def urgent(self, batch: Scores) -> Scores:
            return Scores(batch.pairs.take(slice(2)), batch.values[:2])

    learner = make(acquisition=Adaptive(), initial=0, batch_size=9)
    assert len(learner.ask(5)) == 5
    assert len(learner.ask()) == 2


@pytest.mark.slow
def test_the_first_questions_are_uniform_over_the_open_pairs() -> None:
    n, draws = 6, 1500
    counts = np.zeros(count_pairs(n))
    for seed in range(draws):
        counts[make(n, initial=3, seed=seed).ask().ranks(n)] += 1
    expected = draws * 3 / len(counts)
    assert np.sum((counts - expected) ** 2 / expected) < 60  # fourteen degrees of freedom: once in a million


def test_questions_stay_uniform_until_the_first_answer() -> None:
    learner = make(initial=4, batch_size=9)
    first, second = learner.ask(), learner.ask()
    assert (len(first), len(second)) == (4, 4)
    assert learner.last_batch is not None
    assert learner.last_batch.acquisition == repr(Uniform())
    learner.tell(first, np.ones(4))
    assert len(learner.ask()) == 9
    assert learner.last_batch.acquisition == repr(OwnAcquisition())


def test_without_initial_pairs_the_acquisition_chooses_from_the_start() -> None:
    learner = make(initial=0, batch_size=9)
    assert len(learner.ask()) == 9
    assert learner.last_batch is not None
    assert learner.last_batch.acquisition == repr(OwnAcquisition())


def test_an_acquisition_with_only_a_score_gets_its_best_pairs_asked() -> None:
    class Far:
        def score(self, _state: Any, pairs: Pairs, _rng: Any) -> Any:
            return Scores(pairs, (pairs.v - pairs.u).astype(float))

    learner = make(acquisition=Far(), initial=0, batch_size=3)
    assert set(learner.ask()) == {(0, 29), (0, 28), (1, 29)}


def test_no_pair_is_asked_twice_while_pending_or_after_its_answer(parts: dict[str, Any]) -> None:
    learner = ActiveClustering(12, **parts, initial=5, batch_size=4)
    seen: list[tuple[int, int]] = []
    while len(pairs := learner.ask()):
        seen.extend(pairs)
        learner.tell(pairs[::2], np.ones(len(pairs[::2])))  # every second question stays pending
    assert len(seen) == len(set(seen)) == count_pairs(12)


def test_an_ask_with_nothing_open_gives_no_pairs_and_changes_nothing() -> None:
    learner = make(5, initial=10)
    learner.ask()
    before = learner.to_document()
    assert len(learner.ask()) == 0
    assert learner.to_document() == before


def test_a_pair_is_asked_as_often_as_repeats_allows() -> None:
    learner = make(4, repeats=3, initial=6, batch_size=6)
    asked = 0
    while len(pairs := learner.ask()):
        learner.tell(pairs, np.zeros(len(pairs)))
        asked += len(pairs)
    assert asked == 18
    assert np.all(learner.similarity.counts == 3)


@pytest.mark.parametrize(
    "candidates", [[(3, 1), (0, 9)], Pairs.of([3, 0], [1, 9]), np.array([[1, 3], [9, 0]])]
)
def test_only_candidates_are_asked(candidates: Any) -> None:
    learner = make(candidates=candidates)
    assert set(learner.ask()) == {(1, 3), (0, 9)}
    assert len(learner.ask()) == 0


def test_no_candidates_means_no_questions() -> None:
    learner = make(candidates=[])
    assert len(learner.ask()) == 0
    assert len(reloaded(learner).ask()) == 0


# -- telling ---------------------------------------------------------------------------------------------


def test_pending_pairs_are_those_asked_and_not_yet_told() -> None:
    learner = make()
    pairs = learner.ask(4)
    assert learner.pending == pairs
    learner.tell(np.asarray(pairs)[:1, ::-1], [1])  # endpoints in either order
    assert learner.pending == pairs[1:]
    more = learner.ask(2)
    assert list(learner.pending) == [*pairs[1:], *more]


def test_released_pairs_may_be_asked_again() -> None:
    learner = make(4)
    pairs = learner.ask(6)
    learner.release([pairs[0], pairs[0], (0, 3), pairs[0][::-1]])
    assert pairs[0] not in learner.pending
    learner.release()
    assert len(learner.pending) == 0
    assert len(learner.ask(6)) == 6
    learner.release([])
    assert len(learner.pending) == 6


@pytest.mark.parametrize("pair", [(0, 4), (-1, 2), (1, 1)])
def test_a_pair_that_cannot_be_is_not_released(pair: tuple[int, int]) -> None:
    learner = make(4)
    learner.ask(6)
    with pytest.raises(InvalidInputError, match="two different objects below 4"):
        learner.release([pair])
    assert len(learner.pending) == 6


def test_answers_to_pairs_that_were_never_asked_count() -> None:
    learner = make(3, solver=LocalSearch())
    learner.tell([(0, 2), (1, 2)], [1, -1])
    assert learner.labels.tolist() == [0, 1, 0]
    assert (learner.n_answers, learner.similarity.n_pairs, len(learner.pending)) == (2, 2, 0)


def test_answers_may_come_in_pieces(parts: dict[str, Any]) -> None:
    def next_questions(pieces: int) -> Pairs:
        learner = ActiveClustering(N, **parts)
        pairs = learner.ask()
        answers = NoisyOracle(TRUTH)(pairs)
        for rows in np.array_split(np.arange(len(pairs)), pieces):
            learner.tell(pairs.take(rows), answers[rows])
        return learner.ask()

    assert next_questions(1) == next_questions(4)


@pytest.mark.parametrize(
    ("pairs", "answers"),
    [
        ([(0, 1), (1, 2)], [1]),
        ([(0, 1), (1, 2)], [1, np.nan]),
        ([(0, 1), (1, 2)], [1, 1.5]),
        ([(0, 1), (2, 2)], [1, 1]),
        ([(0, 1), (1, N)], [1, 1]),
        ([(0, 1), (-1, 2)], [1, 1]),
        ([(0, 1)], ["yes"]),
        ([(0, 1, 2)], [1]),
        ([(0.5, 1)], [1]),
    ],
)
def test_a_refused_tell_leaves_nothing_behind(pairs: Any, answers: Any) -> None:
    learner = make()
    learner.tell(learner.ask()[:3], [1, 0, -1])
    before, labels = learner.to_document(), learner.labels
    with pytest.raises(InvalidAnswerError, match="nothing was kept"):
        learner.tell(pairs, answers)
    assert learner.to_document() == before
    assert learner.labels is labels


def test_the_annotator_is_kept_and_must_be_text() -> None:
    learner = make()
    learner.tell([(0, 1)], [1])
    learner.tell([(0, 1), (0, 2)], [1, 1], annotator="Ada")
    assert learner.answers.annotators == ("", "Ada", "Ada")
    with pytest.raises(InvalidAnswerError, match="annotator is 7"):
        learner.tell([(0, 1)], [1], annotator=7)  # type: ignore[arg-type]
    assert learner.n_answers == 3


# -- looking ---------------------------------------------------------------------------------------------


def look(learner: ActiveClustering) -> None:
    """Look at everything there is to see."""
    for name in (
        "clustering",
        "labels",
        "posterior",
        "similarity",
        "answers",
        "pending",
        "history",
        "last_batch",
    ):
        getattr(learner, name)
    repr(learner)


def test_looking_changes_no_later_question(parts: dict[str, Any]) -> None:
    plain, watched = ActiveClustering(N, **parts), ActiveClustering(N, **parts)
    assert rounds(plain, 4) == rounds(watched, 4, between=look)
    assert np.array_equal(plain.labels, watched.labels)


@pytest.mark.slow
def test_a_forecast_changes_no_later_question_and_can_be_repeated() -> None:
    plain, watched = ActiveClustering(N, seed=3), ActiveClustering(N, seed=3)
    found: list[Any] = []

    def forecast(learner: ActiveClustering) -> None:
        found.append(learner.forecast(0.9))
        assert learner.forecast(0.9) == found[-1]

    assert rounds(plain, 4) == rounds(watched, 4, between=forecast)
    assert plain.forecast() == watched.forecast()
    assert np.array_equal(plain.labels, watched.labels)
    assert len(found) >= 4


def test_a_forecast_counts_the_questions_that_can_still_be_asked() -> None:
    learner = ActiveClustering(6, initial=4)
    pairs = learner.ask()
    assert learner.forecast().left == 15
    learner.tell(pairs, [1] * 4)
    assert learner.forecast().left == 11
    assert ActiveClustering(6, repeats=3).forecast().left == 45
    assert ActiveClustering(6, candidates=[(0, 1), (1, 2)]).forecast().left == 2


@pytest.mark.parametrize("candidates", [None, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]])
def test_a_forecast_counts_every_answer_that_a_pair_may_get(candidates: Any) -> None:
    learner = ActiveClustering(4, repeats=2, candidates=candidates)
    learner.ask(3)
    assert learner.forecast().left == 12
    learner.release()
    learner.tell(Pairs.all(4), [1] * 6)
    assert learner.forecast().left == 6
    learner.ask(2)
    assert learner.forecast().left == 6
    learner.tell([(0, 1)] * 5, [1] * 5)
    assert learner.forecast().left == 5


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["update", "carry"])
def test_an_ask_that_is_stopped_changes_nothing(monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    warm: dict[str, Any] = {
        "acquisition": Uniform(),
        "solver": LocalSearch(warm_start=True),
        "belief": PartitionBelief(),
    }
    learner, undisturbed = ActiveClustering(N, **warm), ActiveClustering(N, **warm)
    rounds(learner, 2)
    rounds(undisturbed, 2)
    before, start, batch = learner.to_document(), learner._kept.held, learner.last_batch

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(PartitionBelief, stage, stop)
        with pytest.raises(KeyboardInterrupt):
            learner.ask()
    assert learner.to_document() == before
    assert learner._kept.held is start
    assert learner.last_batch is batch
    assert rounds(learner, 2) == rounds(undisturbed, 2)


def test_a_tell_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = make()
    pairs = learner.ask()
    before = learner.to_document()
    monkeypatch.setattr(Kept, "released", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        learner.tell(pairs, [1] * len(pairs))
    assert learner.to_document() == before


def test_random_questions_of_the_start_need_no_posterior(monkeypatch: pytest.MonkeyPatch) -> None:
    looking, quick = ActiveClustering(N, seed=4), ActiveClustering(N, seed=4)
    assert looking.posterior.same_probability([0], [1]) > 0
    with monkeypatch.context() as patch:
        patch.setattr(PartitionBelief, "update", None)
        first = quick.ask(7), quick.ask()
        assert quick.labels.tolist() == [0] * N
    assert (looking.ask(7), looking.ask()) == first
    for learner in (looking, quick):
        learner.tell(first[1], NoisyOracle(TRUTH, 0.3, seed=5)(first[1]))
    assert looking.ask() == quick.ask()


def test_chosen_first_questions_need_a_posterior(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PartitionBelief, "update", None)
    with pytest.raises(TypeError):
        ActiveClustering(N, initial=0).ask()


def test_the_clustering_seen_is_the_one_that_the_next_ask_uses(parts: dict[str, Any]) -> None:
    learner = ActiveClustering(N, **parts)
    for _ in range(3):
        rounds(learner, 1)
        seen = learner.clustering
        learner.ask()
        assert (learner.history[-1].k, learner.history[-1].cost) == (seen.k, seen.cost)


def test_each_round_is_solved_from_the_round_before_and_from_a_stream_of_its_own() -> None:
    calls: list[tuple[Any, float]] = []

    class Spy(OwnSolver):
        def __call__(self, similarity: Any, *, start: Any = None, rng: Any) -> Any:
            calls.append((start, rng.random()))
            found.append(super().__call__(similarity, start=start, rng=rng))
            return found[-1]

    found: list[Any] = []
    rounds(make(solver=Spy(), seed=11), 3)
    starts = [None if start is None else start.labels.tolist() for start, _ in calls]
    assert starts == [None, *(clustering.labels.tolist() for clustering in found[:-1])]
    assert [draw for _, draw in calls] == [np.random.default_rng([11, 0, r]).random() for r in range(3)]


def test_each_round_believes_from_a_stream_of_its_own() -> None:
    learner = make(seed=11)
    for number in range(3):
        rng = np.random.default_rng([11, 1, number])
        expected = OwnBelief()(learner.similarity, learner.clustering, rng=rng)
        assert np.array_equal(learner.posterior.weight, expected.weight)  # type: ignore[attr-defined]
        rounds(learner, 1)


def test_the_clustering_is_solved_once_between_changes() -> None:
    calls = []

    class Spy(OwnSolver):
        def __call__(self, similarity: Any, *, start: Any = None, rng: Any) -> Any:
            calls.append(similarity)
            return super().__call__(similarity, start=start, rng=rng)

    learner = make(solver=Spy())
    assert learner.labels is learner.labels
    learner.ask()
    assert len(calls) == 1
    learner.tell([(0, 1)], [1])
    assert learner.posterior is learner.posterior
    learner.ask()
    assert len(calls) == 2


def test_a_look_that_was_interrupted_can_be_repeated() -> None:
    class Interrupted(OwnBelief):
        def __call__(self, similarity: Any, clustering: Any, *, rng: Any) -> Any:
            posterior = super().__call__(similarity, clustering, rng=rng)
            if not failures:
                failures.append(1)
                raise KeyboardInterrupt
            return posterior

    failures: list[int] = []
    learner = make(belief=Interrupted())
    with pytest.raises(KeyboardInterrupt):
        _ = learner.posterior
    assert np.array_equal(learner.posterior.weight, make().posterior.weight)  # type: ignore[attr-defined]


def test_an_ask_that_fails_changes_nothing() -> None:
    class Broken:
        def score(self, *_: Any) -> Any:
            raise RuntimeError

    learner = make(acquisition=Broken())
    learner.tell([(0, 1)], [1])
    before = learner.to_document()
    with pytest.raises(RuntimeError):
        learner.ask()
    assert learner.to_document() == before


def test_every_round_leaves_a_record() -> None:
    learner = make(initial=20, batch_size=5)
    rounds(learner, 3)
    assert [(r.round, r.n_answers, r.n_asked) for r in learner.history] == [
        (0, 0, 20),
        (1, 20, 5),
        (2, 25, 5),
    ]
    assert learner.round == 3
    assert repr(learner) == "ActiveClustering(30 objects, 30 answers, 3 rounds)"


def test_the_last_batch_explains_the_questions() -> None:
    learner = make(seed=9)
    assert learner.last_batch is None
    asked = rounds(learner, 2)
    batch = learner.last_batch
    assert batch is not None
    assert (batch.pairs, batch.round, batch.seed) == (asked[-1], 1, 9)
    assert batch.scores.shape == (len(asked[-1]),)


# -- equal sequences, equal questions --------------------------------------------------------------------


def test_the_same_seed_gives_the_same_questions_and_another_seed_others(parts: dict[str, Any]) -> None:
    first, again, other = (rounds(ActiveClustering(N, **parts, seed=seed), 3) for seed in (3, 3, 4))
    assert first == again
    assert all(a != b for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("suffix", [".json", ".npz"])
@pytest.mark.parametrize("moment", ["before asking", "between ask and tell", "half told"])
def test_a_learner_loaded_in_the_middle_asks_what_the_saved_one_would_have(
    parts: dict[str, Any], moment: str, suffix: str
) -> None:
    learner = ActiveClustering(N, **parts, seed=2)
    rounds(learner, 2)
    if moment != "before asking":
        pairs = learner.ask()
        told = pairs[: 5 if moment == "half told" else 0]
        learner.tell(told, np.ones(len(told)))
    twin = reloaded(learner, suffix)
    assert twin.pending == learner.pending
    assert twin.history == learner.history
    assert np.array_equal(twin.labels, learner.labels)
    assert rounds(twin, 2) == rounds(learner, 2)
    assert twin.to_document() == learner.to_document()


STEPS = st.one_of(
    st.tuples(st.just("ask"), st.integers(1, 12)),
    st.tuples(st.just("tell"), st.integers(1, 12)),
    st.tuples(st.just("tell unasked"), st.integers(0, 27)),
    st.tuples(st.just("release"), st.integers(0, 12)),
    st.tuples(st.sampled_from(["look", "json", "npz", "document"]), st.just(0)),
)


def play(script: list[tuple[str, int]], *, disturbed: bool) -> list[Any]:
    """Follow a script, with or without its looks and saves; return the questions and the end."""
    learner, asked = make(8, initial=6, batch_size=4, repeats=2, seed=1), []
    for step, number in script:
        if step == "ask":
            asked.append(list(learner.ask(number)))
        elif step == "tell":
            pairs = learner.pending[:number]
            learner.tell(pairs, np.asarray(pairs).sum(axis=1) % 3 - 1.0)
        elif step == "tell unasked":
            learner.tell(Pairs.from_ranks([number], 8), [0.5])
        elif step == "release":
            learner.release(learner.pending[:number])
        elif disturbed and step == "look":
            look(learner)
        elif disturbed and step == "document":
            learner = ActiveClustering.from_document(json.loads(json.dumps(learner.to_document())), **OWN)
        elif disturbed:
            learner = reloaded(learner, f".{step}")
    return [*asked, list(learner.pending), learner.labels.tolist(), learner.to_document()]


@pytest.mark.slow
@given(st.lists(STEPS, max_size=14))
def test_no_look_and_no_save_ever_changes_a_question(script: list[tuple[str, int]]) -> None:
    assert play(script, disturbed=True) == play(script, disturbed=False)


# -- edges -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1])
def test_without_pairs_there_are_no_questions_and_every_object_is_alone(
    n: int, parts: dict[str, Any]
) -> None:
    learner = ActiveClustering(n, **parts)
    assert len(learner.ask()) == 0
    learner.tell([], [])
    learner.release()
    assert learner.labels.tolist() == [0] * n
    assert reloaded(learner).to_document() == learner.to_document()
    with pytest.raises(InvalidAnswerError):
        learner.tell([(0, 1)], [1])


@pytest.mark.parametrize(("answer", "labels"), [(1, [0, 0]), (-1, [0, 1])])
def test_two_objects_take_one_question(answer: int, labels: list[int]) -> None:
    learner = make(2, solver=LocalSearch(), belief=MeanFieldBelief())
    assert list(learner.ask()) == [(0, 1)]
    learner.tell([(0, 1)], [answer])
    assert learner.labels.tolist() == labels
    assert len(learner.ask()) == 0


@pytest.mark.filterwarnings("ignore::ofakind.OneSidedAnswersWarning")
@pytest.mark.parametrize(("answer", "k"), [(1.0, 1), (-1.0, N), (0.0, None)])
def test_all_answers_alike_are_fine(parts: dict[str, Any], answer: float, k: int | None) -> None:
    learner = ActiveClustering(N, **parts, initial=200, batch_size=200)
    while len(pairs := learner.ask()):
        learner.tell(pairs, np.full(len(pairs), answer))
    assert learner.n_answers == count_pairs(N)
    if k is not None and isinstance(learner.solver, LocalSearch):
        assert learner.clustering.k == k
    assert reloaded(learner).to_document() == learner.to_document()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", -1),
        ("n", 2.5),
        ("n", "10"),
        ("n", True),
        ("n", 2**31),
        ("batch_size", 0),
        ("batch_size", 1.5),
        ("initial", -1),
        ("repeats", 0),
        ("seed", -1),
        ("seed", None),
        ("solver", LocalSearch),
        ("solver", "LocalSearch"),
        ("acquisition", Entropy),
        ("acquisition", LocalSearch()),
        ("belief", 3.0),
    ],
)
def test_an_argument_that_cannot_be_is_named(name: str, value: Any) -> None:
    with pytest.raises(InvalidInputError, match=f"^{name} is"):
        make(**{name: value})


@pytest.mark.parametrize("candidates", [[(0, N)], [(1, 1)], [(-1, 2)], [(0, 1), (1, 0)], [(0, 1, 2)]])
def test_candidates_that_cannot_be_are_refused(candidates: Any) -> None:
    with pytest.raises(InvalidInputError, match="pair"):
        make(candidates=candidates)


@pytest.mark.parametrize("size", [0, -1, 1.5])
def test_a_size_that_cannot_be_is_refused(size: Any) -> None:
    learner = make()
    with pytest.raises(InvalidInputError, match=r"^size is"):
        learner.ask(size)
    assert learner.round == 0


def test_whole_numbers_of_numpy_are_welcome() -> None:
    learner = make(np.int32(9), batch_size=np.int64(2), seed=np.uint8(3))
    assert len(learner.ask(np.int64(2))) == 2
    assert json.dumps(learner.to_document())


@pytest.mark.parametrize("found", [[0, 0, 1], None, "all"])
def test_a_solver_that_finds_no_clustering_is_named(found: object) -> None:
    class Odd:
        def __call__(self, similarity: object, *, start: object = None, rng: object) -> Any:
            return found

    learner = ActiveClustering(3, solver=Odd())
    with pytest.raises(InvalidInputError, match=r"Odd returned a \w+; expected Clustering.of"):
        learner.ask()


def test_what_a_solver_says_of_its_labels_is_not_taken_for_granted() -> None:
    class Sloppy:
        def __call__(self, similarity: object, *, start: object = None, rng: object) -> Clustering:
            return Clustering(np.array([7, 7, 2]), 99, float("nan"))

    learner = ActiveClustering(3, solver=Sloppy())
    learner.tell([(0, 1)], [-1])
    assert learner.labels.tolist() == [0, 0, 1]
    assert (learner.clustering.k, learner.clustering.cost) == (2, 1.0)


def test_each_round_is_chosen_from_a_stream_of_its_own() -> None:
    drawn: list[float] = []

    class Spy(OwnAcquisition):
        def score(self, state: Any, pairs: Pairs, rng: Any) -> Any:
            drawn.append(rng.random())
            return super().score(state, pairs, rng)

    rounds(make(acquisition=Spy(), initial=0, seed=11), 3)
    assert drawn == [np.random.default_rng([11, 2, number]).random() for number in range(3)]
