"""``ofakind demo --records``: the whole way of a list, in under a minute, with nothing left behind."""

import os
import re
import subprocess
import sys

import pytest


@pytest.mark.slow
def test_the_demo_goes_from_a_file_to_groups_and_its_numbers_are_good(tmp_path):
    command = [sys.executable, "-m", "ofakind", "demo", "--records"]
    before = sum(os.times()[2:4])
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=1800)
    computed = sum(os.times()[2:4]) - before
    assert done.returncode == 0, done.stderr
    said = done.stdout
    for step in ("new people.csv --id id", "label people.ofk", "status people.ofk", "export people.ofk"):
        assert f"$ ofakind {step}" in said
    assert "300 records · prior from the text columns" in said
    assert re.search(r"^plan: .*questions to 1 % wrong pairs", said, re.MULTILINE)
    assert "answers        150" in said
    assert "written: groups.csv (300 rows)" in said
    whole, people, f1 = re.search(r"(\d+) of (\d+) people have .* pair F1 is (\d\.\d+)", said).groups()
    assert people == "120"
    assert int(whole) >= 100
    assert float(f1) >= 0.9
    assert list(tmp_path.iterdir()) == []
    assert computed < 240  # seconds, and perhaps it compiled; else half a minute
