"""The numbers of a demo for programs: what was needed, by method, and what it was run on."""

import json

from ofakind.cli.demo.numbers import numbers
from ofakind.cli.demo.race import RaceSettings
from twins.curves import curve

SETTINGS = RaceSettings(objects=50, budget=300, gamma=0.4, seed=7)


def test_each_level_has_its_answers_in_all_and_for_each_object():
    found = json.loads(numbers(SETTINGS, [curve("JEIG", [0.1, 0.6, 0.97])], (0.5, 0.95)))
    assert found["methods"]["JEIG"]["answers"] == {"0.50": 200, "0.95": 300}
    assert found["methods"]["JEIG"]["per_object"] == {"0.50": 4.0, "0.95": 6.0}
    assert found["methods"]["JEIG"]["ari"] == 0.97


def test_a_level_that_was_not_reached_has_no_number():
    found = json.loads(numbers(SETTINGS, [curve("Uniform", [0.1, 0.6])], (0.5, 0.95)))
    assert found["methods"]["Uniform"]["answers"] == {"0.50": 200, "0.95": None}
    assert found["methods"]["Uniform"]["per_object"] == {"0.50": 4.0, "0.95": None}


def test_settings_and_machine_are_told_but_no_time():
    found = json.loads(numbers(SETTINGS, [curve("JEIG", [0.97])], (0.5,)))
    assert found["settings"] == {"objects": 50, "budget": 300, "gamma": 0.4, "seed": 7}
    assert {"commit", "cpu", "numba", "numpy", "simd"} <= found["machine"].keys()
    assert "finished" not in found["machine"]
