"""What judges say of pairs, as features: a judge is cheap, quick, and wrong about the same objects again.

A judge is a model that compares two objects, such as a language model. Its scores are columns of the pair map
and never answers, for its errors go together: asked more often, it makes the same mistake again. What they
are worth is learned from people's answers.
"""

from dataclasses import dataclass

import numpy as np

from ofakind.answers import Answers
from ofakind.arrays import Floats, Ints
from ofakind.kernels import portable
from ofakind.pairs import Pairs, count_pairs, rank, unrank
from ofakind.priors.base import JUDGE, positions, union
from ofakind.priors.neighbours import CONSTANT, Neighbours


@dataclass(frozen=True, slots=True)
class JudgeRules:
    """Tuned numbers of how scores become features; from a prototype, or chosen by judgement."""

    surest: float = 7.0  # no log odds of a score are further from 0
    unit: float = 4.0  # log odds that are 1 in a column
    best: int = 12  # pairs of each object that are candidates where there are no features,
    worst: int = 4  # besides so many of the worst, which show whether the judge says the opposite
    trial: int = 500  # scores of pairs that are no candidates of features, at most one for each object, after
    # which it shows whether judges are to look at more of these:
    found: float = 1 / 30  # if they call such a share the same, two of sixty


JUDGED = JudgeRules()


def judges_of(said: Answers) -> tuple[str, ...]:
    """Return the names of the judges in a table of what they said, in order of their first score."""
    _, first = np.unique(said.who, return_index=True)
    return tuple(said.names[number] for number in said.who[np.sort(first)].tolist())


def newest_scores(said: Answers, judge: str) -> tuple[Pairs, Floats]:
    """Return the pairs that a judge has a score of, in order, and the newest score of each.

    >>> said = Answers.none(3).adding([(0, 1), (1, 2), (1, 0)], [1, -1, 0.5], "model")
    >>> newest_scores(said, "model")
    (Pairs(2: (0, 1), (1, 2)), array([ 0.5, -1. ]))
    """
    theirs = np.flatnonzero(said.who == said.names.index(judge)) if judge in said.names else np.empty(0, int)
    backwards = theirs[::-1]
    ranks, last = np.unique(rank(said.u[backwards], said.v[backwards], said.n), return_index=True)
    return Pairs.trusted(*unrank(ranks, said.n)), said.values[backwards[last]]


def judged_graph(said: Answers, prior: Neighbours | None) -> Neighbours:
    """Return the candidate graph with two columns for each judge, 0 where it has said nothing.

    Without features, each object's best pairs by each judge are the candidates. With features it is their
    graph; and where a judge finds many of a kind beyond it (`beyond_features`), the best of
    these pairs besides, taken to be as little alike as the least alike quarter of the others.

    >>> said = Answers.none(3).adding([(0, 1), (1, 2)], [0.9, -0.5], "model")
    >>> judged_graph(said, None).features.round(2).tolist()
    [[1.0, 0.74, 0.74], [1.0, -0.27, 0.0]]
    """
    n, judges = said.n, judges_of(said)
    known = [newest_scores(said, judge) for judge in judges]
    if prior is None:
        pairs = union(n, *(each.take(_best(each, scores, n)) for each, scores in known))
        tables, names, kinds = [np.ones((len(pairs), 1))], [CONSTANT], []
    else:
        more = [found for judge in judges if (found := beyond_features(said, judge, prior)) is not None]
        pairs = union(n, prior.pairs, *(each.take(_best(each, scores, n)) for each, scores in more))
        tables, names, kinds = [_described(pairs, prior)], [*prior.names], [prior.kind]
    for judge, (each, scores) in zip(judges, known, strict=True):
        tables.append(_columns(each, scores, pairs, n))
        names += column_names(judge)
    return Neighbours(n, pairs, np.concatenate(tables, axis=1), tuple(names), "+".join([*kinds, JUDGE]))


def beyond_features(said: Answers, judge: str, prior: Neighbours) -> tuple[Pairs, Floats] | None:
    """Return what a judge says of pairs that are no candidates of the features, where that tells much.

    Features may find few of those that are of a kind. Whether there are more, the judge shows: it tells much
    if it calls so many of these pairs the same that among sixty others, at random, there would be two. Of
    one that calls hardly any the same, or has looked at too few to tell, it is None.
    """
    pairs, scores = newest_scores(said, judge)
    other = np.flatnonzero(positions(prior.pairs, pairs, said.n) < 0)
    if len(other) < trial_size(said.n) or (scores[other] > 0).mean() < JUDGED.found:
        return None
    return pairs.take(other), scores[other]


def trial_size(n: int) -> int:
    """Return how many scores of pairs beyond the features are enough to tell whether there are to be more."""
    return max(1, min(n, JUDGED.trial))


def _described(pairs: Pairs, prior: Neighbours) -> Floats:
    """Return the features of pairs, of those that are no candidates what the least alike quarter has."""
    lowest = np.argsort(prior.features[:, 1:2].sum(axis=1), kind="stable")[: -(-len(prior.pairs) // 4)]
    usual = prior.features[lowest].mean(axis=0) if len(lowest) else np.eye(1, len(prior.names))[0]
    return np.concatenate([prior.features, usual[None]])[positions(prior.pairs, pairs, prior.n)]


def unseen_share(said: Answers, candidates: Pairs | None = None) -> float:
    """Return the share of all pairs that may be of a kind, and that no judge has looked at.

    Only ``candidates`` may be, if they are given.

    >>> said = Answers.none(3).adding([(0, 1), (1, 2)], [0.9, -0.5], "model")
    >>> round(unseen_share(said), 3), unseen_share(said, Pairs.of([0], [1]))
    (0.333, 0.0)
    """
    seen = np.unique(rank(said.u, said.v, said.n))
    every = count_pairs(said.n)
    if candidates is None:
        return (every - len(seen)) / max(every, 1)
    return int((~np.isin(np.unique(candidates.ranks(said.n)), seen)).sum()) / max(every, 1)


def column_names(judge: str) -> list[str]:
    """Return what the columns of a judge are called: any score, and more for those that say "same"."""
    return [f"{JUDGE}: {judge}", f"{JUDGE} yes: {judge}"]


def log_odds_of(scores: Floats) -> Floats:
    """Return a score as log odds, log (1 + s) / (1 - s): a score is 2 P(same) - 1.

    >>> log_odds_of(np.array([0.0, 1.0])).round(6).tolist()
    [0.0, 7.0]
    """
    most = portable.tanh(JUDGED.surest / 2)
    return np.asarray(2 * portable.arctanh(np.clip(scores, -most, most)))


def _columns(judged: Pairs, scores: Floats, pairs: Pairs, n: int) -> Floats:
    place = positions(judged, pairs, n)
    found = np.where(place < 0, 0.0, np.append(log_odds_of(scores), 0.0)[place]) / JUDGED.unit
    return np.stack([found, np.maximum(found, 0.0)], axis=1)


def _best(pairs: Pairs, scores: Floats, n: int) -> Ints:
    """Return the pairs that are among the best of one of their objects; ties in an order without meaning."""
    ends = np.concatenate([pairs.u, pairs.v])
    mixed = np.concatenate([pairs.u * n + pairs.v] * 2) * 2_654_435_761 % 2**32
    order = np.lexsort((mixed, -np.concatenate([scores, scores]), ends))
    starts = np.searchsorted(ends[order], np.arange(n))
    place = np.arange(len(order)) - starts[ends[order]]
    after = np.append(starts[1:], len(order))[ends[order]] - 1 - np.arange(len(order))
    kept = (place < JUDGED.best) | (after < JUDGED.worst)
    return np.unique(order[kept] % max(len(pairs), 1))
