"""The examples in docstrings: what they show is what comes out."""

import doctest
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest

import ofakind

SOURCE = Path(ofakind.__file__).parent


def modules():
    """Names of all modules, by their room."""
    rooms = defaultdict(list)
    for path in sorted(set(SOURCE.rglob("*.py")) - set(SOURCE.glob("kernels/gpu/[!_]*.py"))):  # need torch
        parts = path.relative_to(SOURCE).with_suffix("").parts
        rooms[parts[0] if len(parts) > 1 else "modules"].append(parts)
    names = {room: [".".join(["ofakind", *each]) for each in found] for room, found in rooms.items()}
    return {room: [name.removesuffix(".__init__") for name in found] for room, found in names.items()}


ROOMS = modules()


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_the_examples_of_every_module_of_a_room_run(room):
    results = {name: doctest.testmod(import_module(name)) for name in ROOMS[room]}
    assert [name for name, result in results.items() if result.failed] == []


@pytest.mark.slow
def test_examples_are_found():
    examples = doctest.DocTestFinder().find(import_module("ofakind.pairs"))
    assert sum(len(found.examples) for found in examples) > 2
