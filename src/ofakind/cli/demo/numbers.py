"""The numbers of a demo, for the pages that quote them and the test that compares."""

import json
from dataclasses import asdict
from typing import Any

from ofakind.cli.demo.race import RaceCurve, RaceSettings
from ofakind.study.manifest import manifest


def numbers(settings: RaceSettings, curves: list[RaceCurve], levels: tuple[float, ...]) -> str:
    """Return, as JSON, what was run and where, and how many answers each method needed; no times."""
    where = {name: value for name, value in manifest().items() if name != "finished"}
    found = {curve.name: _reached(curve, settings.objects, levels) for curve in curves}
    return json.dumps({"settings": asdict(settings), "methods": found, "machine": where}, indent=1)


def _reached(curve: RaceCurve, objects: int, levels: tuple[float, ...]) -> dict[str, Any]:
    needed = {f"{level:.2f}": curve.needed(level) for level in levels}
    each = {level: None if answers is None else answers / objects for level, answers in needed.items()}
    return {"answers": needed, "per_object": each, "ari": curve.last.ari, "clusters": curve.last.k}
