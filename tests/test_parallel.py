"""Independent parts give the same on one core, on several, in several processes and on a cluster."""

import logging
import os
import signal
import time
from dataclasses import replace
from itertools import count
from threading import active_count, current_thread, get_ident

import joblib
import numpy as np
import pytest

import ofakind as ok
from ofakind import parallel
from ofakind.checks import check_jobs
from ofakind.parallel import run_each
from ofakind.posterior.mean_field import conditional
from ofakind.posterior.partition import loop
from ofakind.posterior.partition.chains import run_on
from twins.instances import noisy

PARTS = {
    "chains": lambda jobs: {"belief": ok.PartitionBelief(chains=3, n_jobs=jobs)},
    "sample blocks": lambda jobs: {"acquisition": ok.JEIG(subsets=2, samples=20, n_jobs=jobs)},
    "candidates": lambda jobs: {"acquisition": ok.EIGO(candidates_per_object=60, n_jobs=jobs)},
    "runs": lambda jobs: {
        "acquisition": ok.Entropy(),
        "solver": ok.LocalSearch(restarts=2, runs=3, n_jobs=jobs),
    },
}
each_part = pytest.mark.parametrize("part", PARTS)


def a_learner(part, jobs, n=50):
    """A learner after two batches of answers."""
    learner = ok.ActiveClustering(n, **PARTS[part](jobs), seed=3)
    oracle = ok.NoisyOracle(np.arange(n) % 4, gamma=0.3, seed=1)
    for _ in range(2):
        pairs = learner.ask()
        learner.tell(pairs, oracle(pairs))
    return learner


def outcome(part, jobs=None, n=50):
    """Everything that a learner has to say after its third batch."""
    learner = a_learner(part, jobs, n)
    pairs = [tuple(pair) for pair in learner.ask()]
    return pairs, learner.labels.tolist(), learner.to_document()


@pytest.fixture(scope="module")
def alone():
    """What each part gives on one core."""
    return {part: outcome(part) for part in PARTS}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A Dask cluster on loopback: two workers, each a process with one thread."""
    from distributed import Client, LocalCluster

    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
    options["local_directory"] = tmp_path_factory.mktemp("dask")
    with LocalCluster(n_workers=2, threads_per_worker=1, **options) as started, Client(started) as client:
        yield client


# -- the same on any number of cores -----------------------------------------------------------------------


@pytest.mark.slow
@each_part
@pytest.mark.parametrize("jobs", [1, 2, 3, -1])
def test_threads_give_what_one_core_gives(alone, part, jobs):
    assert outcome(part, jobs) == alone[part]


@each_part
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_very_few_objects_are_no_trouble(part, n):
    assert outcome(part, 2, n) == outcome(part, 1, n)


@pytest.mark.slow
@each_part
def test_processes_give_what_one_core_gives(alone, part):
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert outcome(part) == alone[part]


@pytest.mark.slow
@each_part
def test_a_dask_cluster_gives_what_one_core_gives(alone, part, cluster):
    with joblib.parallel_config(backend="dask"):
        assert outcome(part) == alone[part]


@pytest.mark.slow
def test_a_dask_cluster_does_the_work(cluster):
    with joblib.parallel_config(backend="dask"):
        found = set(run_each(os.getpid, [()] * 20))
    workers = set(cluster.run(os.getpid).values())
    assert len(workers) == 2
    assert found <= workers


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_generator_is_used_up_alike_wherever_the_work_is_done(backend):
    similarity = noisy(40, 100, clusters=4, rng=np.random.default_rng(0))

    def labels(runs):
        rng = np.random.default_rng(5)
        found = [ok.LocalSearch(restarts=1, runs=runs)(similarity, rng=rng).labels for _ in range(2)]
        return [*map(np.ndarray.tolist, found), rng.random()]

    here = [labels(runs) for runs in (1, 2)]
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert [labels(runs) for runs in (1, 2)] == here
    assert here[0][0] != here[0][1]


@pytest.mark.parametrize("seed", range(3))
def test_the_best_of_several_runs_wins(seed):
    similarity = noisy(60, 200, clusters=4, rng=np.random.default_rng(seed))
    streams = np.random.default_rng(seed).spawn(4)
    costs = [ok.LocalSearch(restarts=1)(similarity, rng=stream).cost for stream in streams]
    best = ok.LocalSearch(restarts=1, runs=4)(similarity, rng=np.random.default_rng(seed))
    assert best.cost == min(costs) < max(costs)


# -- the number of jobs is the machine's -------------------------------------------------------------------


@pytest.mark.slow
@each_part
def test_the_number_of_jobs_is_no_part_of_a_learner(part, tmp_path):
    learner = a_learner(part, 2)
    learner.save(tmp_path / "learner.json")
    assert "n_jobs" not in (tmp_path / "learner.json").read_text()
    again = ok.ActiveClustering.load(tmp_path / "learner.json")
    assert list(again.ask()) == list(learner.ask())
    for given, loaded in zip(PARTS[part](2).items(), PARTS[part](None).items(), strict=True):
        assert given == loaded
        assert repr(given) == repr(loaded)
        assert hash(given) == hash(loaded)


@pytest.mark.parametrize("make", [ok.PartitionBelief, ok.JEIG, ok.EIGO, ok.LocalSearch])
def test_what_is_no_number_of_jobs_is_refused(make):
    for value in (0, 1.0, "2", True, np.True_, [1], np.array([1, 2])):
        with pytest.raises(ok.InvalidInputError, match=r"^n_jobs is .*; expected a whole number, 1 or more"):
            make(n_jobs=value)
    assert [make(n_jobs=value).n_jobs for value in (None, 1, -1, np.int16(4))] == [None, 1, -1, 4]


def test_a_refusal_says_what_was_expected():
    with pytest.raises(ok.InvalidInputError) as error:
        check_jobs(0)
    expected = "n_jobs is 0; expected a whole number, 1 or more, or -1 for all cores, or None"
    assert str(error.value) == expected


# -- running -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [None, 1, 2, 3])
def test_results_come_in_the_order_of_the_calls(jobs):
    def late(number):
        time.sleep(0.02 * (number == 0))
        return number

    assert list(run_each(late, [(number,) for number in range(7)], jobs)) == list(range(7))
    assert list(run_each(late, [], jobs)) == []


def test_without_a_word_everything_happens_here_and_with_a_word_elsewhere():
    def threads():
        return {*run_each(get_ident, [()] * 4)}

    assert threads() == {get_ident()}
    with joblib.parallel_config(n_jobs=2):
        assert get_ident() not in threads()


@pytest.mark.parametrize("jobs", [1000, -1])
def test_no_more_threads_are_started_than_there_are_calls(jobs):
    before = active_count()
    during = [*run_each(active_count, [()] * 3, jobs)]
    assert max(during) < before + 10


def test_before_joblib_is_loaded_it_is_not_needed(monkeypatch):
    monkeypatch.delitem(parallel.sys.modules, "joblib")
    assert list(run_each(divmod, [(7, 2)])) == [(3, 1)]
    assert "joblib" not in parallel.sys.modules


@pytest.mark.parametrize("jobs", [1, 2])
def test_calls_are_made_up_in_the_thread_that_asks(jobs):
    here = []

    def calls():
        for number in range(9):
            here.append(get_ident())
            yield (number,)

    assert list(run_each(abs, calls(), jobs)) == list(range(9))
    assert set(here) == {get_ident()}


@pytest.mark.parametrize("jobs", [None, 1, 2])
def test_a_part_cannot_write_to_what_it_is_given(jobs):
    given = np.zeros(3)
    with pytest.raises(ValueError, match="read-only"):
        list(run_each(np.ndarray.fill, [(given, 1.0)] * 3, jobs))
    given[0] = 1  # here it still can be written to


def test_kernels_see_aligned_arrays_whatever_a_process_is_sent():
    skewed = np.frombuffer(bytes(17), np.float64, 2, offset=1)
    assert not skewed.flags.aligned
    (flags,) = run_each(lambda array: array.flags, [(skewed,)])
    assert flags.aligned


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_in_a_part_is_raised(jobs):
    with pytest.raises(ZeroDivisionError):
        list(run_each(divmod, [(1, 1), (1, 0), (1, 1)], jobs))
    assert list(run_each(divmod, [(1, 1)], jobs)) == [(1, 0)]


def test_giving_up_early_is_quiet():
    found = run_each(time.sleep, [(0.05,)] * 9, 2)  # so long that work is left, of which joblib would warn
    assert next(found) is None
    found.close()


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("part", "module", "name"),
    [
        ("chains", loop, "run_on"),
        ("sample blocks", conditional, "_settled"),
        ("candidates", conditional, "_gains"),
    ],
)
def test_ctrl_c_in_the_middle_leaves_the_learner_as_it_was(monkeypatch, part, module, name, jobs):
    learner, undisturbed = a_learner(part, jobs), a_learner(part, jobs)
    before, work, calls = learner.to_document(), getattr(module, name), count()

    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by processes in the background

    def interrupted(*call):
        if next(calls) == 1:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)
        return work(*call)

    with monkeypatch.context() as patch:
        patch.setattr(module, name, interrupted)
        with pytest.raises(KeyboardInterrupt):
            learner.ask()
    assert learner.to_document() == before
    assert list(learner.ask()) == list(undisturbed.ask())
    assert learner.labels.tolist() == undisturbed.labels.tolist()


# -- all cores by default ----------------------------------------------------------------------------------


def test_chains_run_on_all_cores_by_default_unless_one_is_asked_for(monkeypatch):
    seen = set()
    monkeypatch.setattr(loop, "ROUND", replace(loop.ROUND, much_work=0))
    monkeypatch.setattr(loop, "run_on", lambda *given: seen.add(current_thread().name) or run_on(*given))
    monkeypatch.setattr(parallel, "cores", lambda: 3)
    by_default = outcome("chains")
    assert any(name.startswith("ofakind") for name in seen)
    seen.clear()
    assert outcome("chains", 1) == by_default
    assert seen == {current_thread().name}


@pytest.mark.parametrize(("limit", "expected"), [("1", 1), ("", None), ("many", None), ("10000", None)])
def test_no_more_threads_are_used_than_the_environment_allows(monkeypatch, limit, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert parallel.cores() == (expected or len(os.sched_getaffinity(0)))


def test_a_surrounding_configuration_is_followed():
    assert not parallel._is_configured()
    for options in (
        {"n_jobs": 1},
        {"n_jobs": 2},
        {"backend": "threading"},
        {"backend": "threading", "n_jobs": 2},
    ):
        with joblib.parallel_config(**options):
            assert parallel._is_configured()
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert parallel.run_on_all_cores(divmod, [(7, 2)] * 3) == [(3, 1)] * 3


def test_an_error_in_a_thread_comes_out_as_it_is(monkeypatch):
    monkeypatch.setattr(parallel, "cores", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        parallel.run_on_all_cores(divmod, [(7, 2), (9, 0)])
