"""Simulated judges: models with correlated errors that look at pairs beside a person, and worthless ones."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
from numpy.random import Generator

from ofakind.arrays import Floats, Ints, Mask
from ofakind.datasets import Dataset, load
from ofakind.engine.learner import ActiveClustering
from ofakind.errors import InvalidInputError
from ofakind.kernels import portable
from ofakind.oracles.model import PairModel
from ofakind.pairs import Pairs, rank
from ofakind.priors.neighbours import Neighbours
from ofakind.study.problem import objects_of, order_of, some_groups
from ofakind.study.setting import Data

Judge = Callable[[Pairs], Floats]
JUDGE_STREAM = 103  # the stream by which judges are drawn


@dataclass(frozen=True, slots=True)
class SimulatedJudgeRules:
    """How simulated judges come about; as in the prototype, or chosen by judgement."""

    good: int = 900  # objects that a good judge was trained on, at most,
    poor: int = 60  # and a poor one
    pairs: int = 40  # random pairs for each object of records that a judge is trained on, besides near ones
    at_a_time: int = 100_000  # pairs that a judge looks at in one go
    most: float = 0.999  # no score is nearer to 1 or -1


SIMULATED = SimulatedJudgeRules()


def judge_of(data: Data, seed: int, kind: str) -> Judge:
    """Return a judge of a cell's objects, by their numbers there.

    A "good" and a "poor" one learned on other objects to tell whether two are of a kind (Oracle 2; of
    records, a logistic regression on what their texts have in common). "random" says anything, "shuffled" is
    the good one about other objects each (consistent, and wrong), "flipped" says the opposite, and "third"
    does so of the pairs of a third of the objects. "bought" is the good one, but calls two whole groups the
    same. "workers" are the first answers of unqualified workers.
    """
    rng = np.random.default_rng([seed, JUDGE_STREAM])
    n = objects_of(data).n
    if kind == "random":
        return partial(_random, n, int(rng.integers(2**31)))
    if kind == "workers":
        return partial(_looked_up, *_workers(data, seed), n)
    judged = _judged_only(data)
    if not np.array_equal(objects_of(judged).rows, objects_of(data).rows):
        got = f"has other objects with {judged.features} features than with {data.features or 'its'}"
        raise InvalidInputError(f"{data.name} {got}; expected judge_features of the same objects")
    model = _trained(judged, seed, "poor" if kind == "poor" else "good")
    own = partial(_renumbered, model, order_of(data, seed, n))
    if kind == "shuffled":
        return partial(_renumbered, own, rng.permutation(n))
    if kind == "flipped":
        return partial(_signed, own, np.full(n, fill_value=True))
    if kind == "third":
        wrong = np.zeros(n, np.bool_)
        wrong[rng.permutation(n)[: n // 3]] = True
        return partial(_signed, own, wrong)
    if kind == "bought":
        truth = objects_of(data).labels[order_of(data, seed, n)]
        groups = list(dict.fromkeys(rng.permutation(truth).tolist()))[:2]
        return partial(_bought, own, np.isin(truth, groups))
    return own


def _random(n: int, seed: int, pairs: Pairs) -> Floats:
    """Return any score, always the same for a pair."""
    mixed = np.random.SeedSequence(seed).generate_state(1)[0]
    drawn = [np.random.default_rng([mixed, int(each)]).random() for each in rank(pairs.u, pairs.v, n)]
    return np.asarray(np.clip(2 * np.array(drawn) - 1, -SIMULATED.most, SIMULATED.most))


def _looked_up(known: Ints, scores: Floats, n: int, pairs: Pairs) -> Floats:
    """Return the score of each pair that has one, else 0."""
    wanted = rank(pairs.u, pairs.v, n)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[at] == wanted, scores[at], 0.0)


def _renumbered(judge: Judge, order: Ints, pairs: Pairs) -> Floats:
    u, v = order[pairs.u], order[pairs.v]
    return judge(Pairs.trusted(np.minimum(u, v), np.maximum(u, v)))


def _signed(judge: Judge, wrong: Mask, pairs: Pairs) -> Floats:
    return judge(pairs) * np.where(wrong[pairs.u] | wrong[pairs.v], -1.0, 1.0)


def _bought(judge: Judge, paid_for: Mask, pairs: Pairs) -> Floats:
    scores = judge(pairs)
    return np.where(paid_for[pairs.u] & paid_for[pairs.v], np.abs(scores), scores)


def _workers(data: Data, seed: int) -> tuple[Ints, Floats]:
    """Return the pairs that unqualified workers answered, by their ranks, and the first answer to each."""
    said = load(data.name, variant="no_qualification").answers
    if said is None:
        raise InvalidInputError(f"{data.name} has no answers of workers; expected crowd_restaurants")
    number = np.argsort(order_of(data, seed, said.n))
    u, v = number[said.u], number[said.v]
    ranks, first = np.unique(rank(np.minimum(u, v), np.maximum(u, v), said.n), return_index=True)
    return ranks, 0.8 * said.values[first]


def let_judge_look(learner: ActiveClustering, judge: Judge, name: str = "judge") -> None:
    """Let a judge look at all that a learner wants it to look at."""
    while len(pairs := learner.ask_judge(SIMULATED.at_a_time, name)):
        learner.tell_judge(pairs, judge(pairs), name)


def pool_answers(learner: ActiveClustering, judge: Judge) -> int:
    """Tell what a judge says of the same pairs as if it were one more person; return how many answers."""
    pairs = learner.ask_judge(learner.n * learner.n)
    said = judge(pairs)
    learner.tell(pairs.take(said != 0), said[said != 0], "judge", asked=True)
    return learner.n_answers


# -- models ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _trained(data: Data, seed: int, kind: str) -> Judge:
    """Return a model trained on objects that are not asked about, of all objects in the dataset's order."""
    rng = np.random.default_rng([seed, JUDGE_STREAM, kind == "poor"])
    asked, whole = objects_of(data), load(data.name, variant="all", features=data.features)
    others = np.flatnonzero(~np.isin(whole.rows, asked.rows))
    if not len(others):
        raise InvalidInputError(f"all of {data.name} is asked about; expected objects = fewer, for a judge")
    size = min(SIMULATED.poor if kind == "poor" else SIMULATED.good, len(others))
    if asked.features is None:  # whole groups, for there would hardly be any pair of a kind else
        return _record_judge(asked, whole.take(others[some_groups(whole.labels[others], size, rng)]), rng)
    training = whole.take(np.sort(rng.choice(others, size, replace=False)))
    return PairModel.fit(_table(training), training.labels, rng=rng).oracle(_table(asked))


def _record_judge(asked: Dataset, training: Dataset, rng: Generator) -> Judge:
    """Return a logistic regression on what the texts of two records have in common."""
    from sklearn.linear_model import LogisticRegression

    near = Neighbours.from_records(_rows(training))
    some = rng.integers(training.n, size=(2, SIMULATED.pairs * training.n))
    others = Pairs.trusted(*np.unique(np.sort(some[:, some[0] != some[1]], axis=0), axis=1))
    near = near.including(others)
    same = training.labels[near.pairs.u] == training.labels[near.pairs.v]
    model = LogisticRegression(max_iter=1000).fit(near.features[:, 1:], same)
    coefficients, level = np.asarray(model.coef_[0]), float(model.intercept_[0])
    graph = Neighbours.from_records(_rows(asked), near.fields)
    return partial(_compared, graph, coefficients, level)


def _compared(graph: Neighbours, coefficients: Floats, level: float, pairs: Pairs) -> Floats:
    known = graph.including(pairs)
    place = np.searchsorted(known.pairs.ranks(graph.n), pairs.ranks(graph.n))
    scores = portable.tanh((known.features[place, 1:] @ coefficients + level) / 2)
    return np.clip(scores, -SIMULATED.most, SIMULATED.most)


def _rows(objects: Dataset) -> list[dict[str, str | None]]:
    if objects.records is None:
        raise InvalidInputError(f"{objects.name} has neither features nor records, which a judge needs")
    return [dict(record) for record in objects.records]


def _table(objects: Dataset) -> Floats:
    if objects.features is None:
        raise InvalidInputError(f"{objects.name} has no features, which a judge needs")
    return objects.features


def _judged_only(data: Data) -> Data:
    """Return the dataset with a judge's features, and without what judges do not depend on."""
    features = data.judge_features or data.features
    data = replace(data, budget=1, first_batch=None, batch=None, repeats=None, prior=None)
    return replace(data, features=features, judge_features=None)
