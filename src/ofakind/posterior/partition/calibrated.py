"""What answers are worth, given what samples say of the answered pairs."""

import numpy as np

from ofakind.arrays import Floats
from ofakind.noise.calibration import CALIBRATION, Calibration, pair_weights
from ofakind.noise.calibration import learn as learn_calibration
from ofakind.noise.evidence import known_elsewhere
from ofakind.noise.one_sided import lacks_contrast
from ofakind.posterior.partition.answer_graph import AnswerGraph


def learned_calibration(
    graph: AnswerGraph,
    before: Calibration,
    same: Floats,
    ratios: Floats,
    *,
    slope: float = CALIBRATION.slope,
) -> Calibration:
    """Learn what answers are worth from P(same) of the answered pairs, which have these log ratios.

    Where nearly all answers say the same, no contrast can teach it: then an answer s keeps the log ratio
    ``slope`` times s. Told matches teach nothing.
    """
    evidence, heard = graph.evidence, graph.heard
    if lacks_contrast(evidence, before, heard):
        return learn_calibration(evidence, slope=slope)
    known, weights = known_elsewhere(same, ratios), None if heard is None else evidence.by_row(heard)
    known = known if heard is None else known * heard
    return learn_calibration(evidence, same, weights=weights, known=known, slope=slope)


def answer_ratios(graph: AnswerGraph, calibration: Calibration) -> Floats:
    """Log ratios of the answered pairs; 0 where pins decide: nothing known there comes from answers."""
    ratios, decided = pair_weights(graph.evidence, calibration), graph.decided()
    return ratios if decided is None else np.where(decided, 0.0, ratios)
