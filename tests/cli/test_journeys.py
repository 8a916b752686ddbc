"""Whole journeys, as a new user goes them: real commands and files, a kill, and numbers that hold."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ofakind as ok
from ofakind.cli.demo.people import misspelt_people

pytestmark = pytest.mark.slow

QUESTION = re.compile(r"^question \d+: (\S+) \| (\S+)$")
HERE = {**os.environ, "PYTHONPATH": str(Path(ok.__file__).parents[1])}


def ofakind(folder, *arguments, **options):
    command = [sys.executable, "-m", "ofakind", *map(str, arguments)]
    done = subprocess.run(
        command,
        cwd=folder,
        env=HERE,
        capture_output=True,
        text=True,
        timeout=1800,
        encoding="utf-8",
        **options,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def answering(folder, people, *options, kill_after=None, project="people.ofk"):
    """Answer what ``ofakind label`` asks, by the truth; kill it after so many answers, if at all."""
    command = [sys.executable, "-m", "ofakind", "label", project, "--terminal", *options]
    told, last = 0, ""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=HERE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        for line in process.stdout:
            last = line
            if not (asked := QUESTION.match(line)):
                continue
            if told == kill_after:  # this question is on the screen, so that all before it are on the disk
                process.kill()
                break
            left, right = asked.groups()
            process.stdin.write("s\n" if people[left] == people[right] else "d\n")
            process.stdin.flush()
            told += 1
    return told, last


def pair_f1(labels, people):
    ids = sorted(labels)
    found, truth = (np.array([table[one] for one in ids]) for table in (labels, people))
    same = [one[:, None] == one for one in (found, truth)]
    both, either = (same[0] & same[1]).sum() - len(ids), same[0].sum() + same[1].sum() - 2 * len(ids)
    return 2 * both / either


@pytest.fixture(scope="module")
def customers(tmp_path_factory):
    listed = misspelt_people(60, 150, seed=5)
    folder = tmp_path_factory.mktemp("customers")
    with (folder / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(listed.records[0]))
        writer.writeheader()
        writer.writerows(listed.records)
    return folder, {one["id"]: int(who) for one, who in zip(listed.records, listed.truth, strict=True)}


def test_the_data_engineer_finds_duplicates_and_a_kill_loses_nothing(customers):
    folder, people = customers
    said = ofakind(folder, "new", "people.csv", "--id", "id", "--show", "name,street,city")
    assert said.startswith("150 records · prior from the text columns")
    assert re.search(r"^plan: .*questions to 1 % wrong pairs", said, re.MULTILINE)
    assert "next: ofakind label people.ofk" in said

    told, _ = answering(folder, people, "--annotator", "Ada", kill_after=30)
    assert told == 30
    assert json.loads(ofakind(folder, "status", "people.ofk", "--json"))["answers"] == 30
    told, last = answering(folder, people, "--annotator", "Ada", "--budget", "50")
    assert told == 50
    kept = "the budget is spent; 50 answers of this sitting are kept"
    assert last == f"{kept}; go on with: ofakind label people.ofk --annotator Ada\n"

    status = json.loads(ofakind(folder, "status", "people.ofk", "--json"))
    assert status["answers"] == 80
    assert [one["name"] for one in status["people"]] == ["Ada"]
    assert "answers        80" in ofakind(folder, "status", "people.ofk")

    ofakind(folder, "export", "people.ofk", "-o", "clusters.csv")
    with (folder / "clusters.csv").open(encoding="utf-8", newline="") as file:
        labels = {row["id"]: int(row["group"]) for row in csv.DictReader(file)}
    assert set(labels) == set(people)
    assert pair_f1(labels, people) > 0.9
    assert status["groups"] == len(set(labels.values()))

    ofakind(folder, "export", "people.ofk", "--what", "answers", "-o", "answers.csv")
    assert len((folder / "answers.csv").read_text(encoding="utf-8").splitlines()) == 81
    one, other = next((a, b) for a in labels for b in labels if a < b and labels[a] == labels[b])
    why = ofakind(folder, "why", "people.ofk", one, other)
    assert "They are together" in why
    assert ofakind(folder, "check", "people.ofk", "--replay")


def test_the_data_engineer_asks_where_new_records_would_belong(customers):
    folder, people = customers
    known = (
        ok.open_project(folder / "people.ofk", read_only=True) if (folder / "people.ofk").exists() else None
    )
    if known is None:
        ofakind(folder, "new", "people.csv", "--id", "id")
    else:
        known.close()
    with (folder / "people.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:5]
    with (folder / "new.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(
            {**row, "id": f"n{number}", "name": row["name"] + "n"} for number, row in enumerate(rows)
        )
    before = (folder / "people.ofk").read_bytes()
    ofakind(folder, "assign", "people.ofk", "new.csv", "-o", "places.csv")
    with (folder / "places.csv").open(encoding="utf-8", newline="") as file:
        places = list(csv.DictReader(file))
    assert [row["id"] for row in places] == [f"n{number}" for number in range(5)]
    right = sum(
        bool(row["nearest"]) and people[row["nearest"]] == people[old["id"]]
        for row, old in zip(places, rows, strict=True)
    )
    assert right >= 4
    assert (folder / "people.ofk").read_bytes() == before


CAUSES = {
    "disk": ["disk full on the build server", "no space left on device, build server", "server disk is full"],
    "login": [
        "cannot log in after password reset",
        "login fails after reset",
        "password reset, login broken",
    ],
    "print": ["printer prints blank pages", "blank pages from the printer", "the printer gives empty pages"],
    "mail": ["mail is delayed by an hour", "delayed mail, one hour late", "e-mail arrives an hour late"],
}


def test_whoever_groups_tickets_answers_a_few_questions_and_gets_a_report(tmp_path):
    tickets = [
        (f"t{4 * row + at}", text) for at, one in enumerate(CAUSES.values()) for row, text in enumerate(one)
    ]
    causes = {name: cause for cause, texts in CAUSES.items() for name, said in tickets if said in texts}
    lines = [json.dumps({"nr": name, "body": said, "opened": "2026-01-01"}) for name, said in tickets]
    (tmp_path / "tickets.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = ofakind(
        tmp_path, "new", "tickets.jsonl", "--id", "nr", "--text", "body", "--question", "Same root cause?"
    )
    assert said.startswith("12 records · prior from the text column body")
    told, last = answering(tmp_path, causes, "--budget", "25", project="tickets.ofk")
    assert told == 25
    assert last.startswith("the budget is spent; 25 answers of this sitting are kept")
    ofakind(tmp_path, "export", "tickets.ofk", "-o", "groups.csv")
    with (tmp_path / "groups.csv").open(encoding="utf-8", newline="") as file:
        labels = {row["id"]: int(row["group"]) for row in csv.DictReader(file)}
    assert pair_f1(labels, causes) > 0.9
    assert ofakind(tmp_path, "report", "tickets.ofk", "-o", "report.html") == "written: report.html\n"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Same root cause?" in page
    assert "blank pages from the printer" in page
    assert "25" in page


def test_whoever_groups_photos_has_them_in_the_report(tmp_path):
    photos = tmp_path / "photos"
    photos.mkdir()
    rng, places = np.random.default_rng(0), {}
    for place in range(4):
        scene = rng.integers(0, 255, (8, 8, 3))
        for shot in range(3):
            noisy = np.clip(np.kron(scene, np.ones((8, 8, 1))) + rng.normal(0, 12, (64, 64, 3)), 0, 255)
            name = f"{shot}{place}.png"
            Image.fromarray(noisy.astype(np.uint8)).save(photos / name)
            places[name] = place
    assert ofakind(tmp_path, "new", "photos").startswith("12 pictures · prior from how the pictures look")
    told, _ = answering(tmp_path, places, "--budget", "25", project="photos.ofk")
    assert told == 25
    ofakind(tmp_path, "export", "photos.ofk", "-o", "groups.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "groups.jsonl").read_text().splitlines()]
    assert pair_f1({row["id"]: row["group"] for row in rows}, places) > 0.9
    ofakind(tmp_path, "report", "photos.ofk")
    assert "data:image/png;base64," in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_scientist_measures_graded_answers_without_a_browser(tmp_path):
    strains = [f"s{number}" for number in range(12)]
    for turn in range(6):  # a program that is started again goes on
        with ok.open_project(tmp_path / "assay.ofk", objects=strains) as project:
            for question in project.ask(8):
                same = int(question.left_id[1:]) % 3 == int(question.right_id[1:]) % 3
                project.tell(question, 0.8 if same else -0.7)
            assert project.status().n_answers == 8 * (turn + 1) + (turn > 0)
            if turn == 0:
                project.tell(("s11", "s2"), 1.0)
    with ok.open_project(tmp_path / "assay.ofk") as project:
        event = project.tell(("s0", "s1"), 1.0)
        project.correct(event, -1.0)
        undone = project.undo()
        assert undone is not None
        project.pin(("s0", "s1"), same=False)
        status = project.status()
        assert status.n_answers == 50
        low, high = status.interval
        assert low <= status.expected_wrong_pairs <= high
        groups = project.groups()
    assert sorted(map(len, groups.values())) == [4, 4, 4]
    with pytest.raises(ok.InvalidInputError, match="'s99' is no object of"):
        ok.open_project(tmp_path / "assay.ofk", objects=["s0", "s99"])
