"""The maps of a project: one of what is believed and, before that is known, one of what features say."""

from ofakind.checks import whole_number
from ofakind.posterior.base import abilities_of
from ofakind.project.early_map import early_map_of
from ofakind.project.object_map import MapBelief, ObjectMap, map_of
from ofakind.project.view import ProjectView


class MappedProject(ProjectView):
    """The side of a `Project` that draws maps."""

    def map(self, before: ObjectMap | None = None, *, seed: int = 0) -> ObjectMap:
        """Return where each object lies on a map: groups are heaps, and those that may be one lie near.

        A map that was drawn ``before`` is followed: what has not changed stays where it is.
        """
        number = whole_number("seed", seed, least=0)
        with self._model.lock:
            seen, sure = self._look(), self._sureness()
            belief = MapBelief(seen.as_of, seen.groups, sure, abilities_of(self._model.learner.posterior))
        return map_of(belief, before, number)

    def early_map(self, *, seed: int = 0) -> ObjectMap | None:
        """Return a map for as long as `map` takes: no groups yet, but what features call alike lies near.

        It never waits for the learner. None while features are still being compared.
        """
        number = whole_number("seed", seed, least=0)
        n, features = self._books.run(lambda: (len(self._books.ledger.ids), self._books.ledger.features))
        learner = self._model.replay.learner  # a look at it without its lock: what is needed never changes
        near = None if learner is None else learner.prior
        if features and (near is None or near.n < n):
            return None
        return early_map_of(near, n, number)
