"""What somebody did last, and what people are shown of an object."""

from pathlib import Path

import ofakind as ok
from ofakind.project.undoing import PastAction


def test_the_last_action_is_what_undo_takes_back(project):
    assert project.last_action() is None
    told = project.tell(("o0", "o1"), 0.5, "Ada")
    (question,) = project.ask(1, "Bob")
    skipped = project.skip(question)
    pair = tuple(sorted((question.left_id, question.right_id), key=project.ids.index))
    assert project.last_action("Ada") == PastAction(told, "answer", (("o0", "o1"),), 0.5, "Ada")
    assert (
        project.last_action("Bob")
        == project.last_action()
        == PastAction(skipped, "skip", (pair,), annotator="Bob")
    )
    pinned = project.pin(("o2", "o3"), same=True)
    assert project.last_action() == PastAction(pinned, "pin", (("o2", "o3"),))
    unpinned = project.unpin(("o2", "o3"))
    assert project.last_action() == PastAction(unpinned, "unpin", (("o2", "o3"),))
    project.undo()
    assert project.last_action().kind == "pin"


def test_people_are_shown_the_columns_that_were_chosen(tmp_path):
    records = [{"id": "a", "name": "Ann", "age": 3}, {"id": "b", "name": "Bob", "age": None}]
    with ok.new_project(records, id="id", path=tmp_path / "a.ofk", show=["name"]) as project:
        assert project.about("a") == {"name": "Ann"}
    with ok.new_project(records, id="id", path=tmp_path / "b.ofk") as project:
        assert project.about("b") == {"name": "Bob", "age": None}


def test_of_a_picture_people_are_told_its_file_and_size(tmp_path):
    from PIL import Image

    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(3):
        Image.new("RGB", (8, 8), (80 * number, 0, 0)).save(folder / f"{number}.png")
    size = (folder / "0.png").stat().st_size
    with ok.new_project(Path(folder), path=tmp_path / "a.ofk") as project:
        assert project.about("0.png") == {"picture": f"0.png ({size:,} bytes; not shown here)"}
