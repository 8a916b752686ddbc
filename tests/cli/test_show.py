"""What the demo prints on a terminal and elsewhere."""

import io
import time

import pytest
from rich.console import Console

from ofakind.cli import show
from twins.curves import curve


def console(*, terminal):
    options = {"force_terminal": True, "color_system": None} if terminal else {}
    return Console(file=io.StringIO(), width=100, highlight=False, **options)


class Refusing(io.StringIO):
    """A file that takes nothing; remembers that it was tried."""

    tried = False

    def __init__(self, error):
        super().__init__()
        self.error = error

    def write(self, text):
        self.tried = True
        raise self.error


def moves(curves):
    """Replay finished curves as if they grew."""
    finished = [list(each.points) for each in curves]
    for each in curves:
        each.points.clear()
    for points in zip(*finished, strict=True):
        for each, point in zip(curves, points, strict=True):
            each.points.append(point)
            yield each


def test_a_terminal_gets_one_row_for_each_method_with_its_latest_numbers():
    screen, curves = console(terminal=True), [curve("JEIG", [0.1, 0.97]), curve("Uniform", [0.1, 0.42])]
    show.watch_live(screen, curves, 200, moves(curves))
    jeig, uniform = screen.file.getvalue().rsplit("JEIG", 1)[1].split("Uniform")
    assert "200 answers   3 clusters ARI 0.97" in jeig
    assert "200 answers   3 clusters ARI 0.42" in uniform


def test_elsewhere_each_method_gets_at_most_ten_plain_lines():
    screen, curves = console(terminal=False), [curve("JEIG", [0.5] * 40), curve("Uniform", [0.1] * 40)]
    show.watch_plain(screen, curves, 4000, moves(curves))
    lines = screen.file.getvalue().splitlines()
    assert [line.split()[0] for line in lines] == ["JEIG", "Uniform"] * show.PLAIN_LINES
    assert lines[0].startswith("JEIG        400 answers    3 clusters  ARI 0.50")
    assert lines[-1].endswith("0 s left")


@pytest.mark.parametrize("terminal", [True, False])
def test_compiling_is_mentioned_only_when_it_takes_long(terminal, monkeypatch):
    quick, slow = console(terminal=terminal), console(terminal=terminal)
    monkeypatch.setattr(show, "PATIENCE", 3600.0)
    with show.preparing(quick):
        pass
    monkeypatch.setattr(show, "PATIENCE", 0.01)
    with show.preparing(slow):
        deadline = time.monotonic() + 600
        while "compiling, once" not in slow.file.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "compiling" not in quick.file.getvalue()
    assert "compiling, once" in slow.file.getvalue()


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), BrokenPipeError(32, "Broken pipe")]
)
def test_output_that_fails_is_reported_by_the_main_thread_alone(error, monkeypatch):
    file = Refusing(error)
    screen = show.Screen(file=file)
    monkeypatch.setattr(show, "PATIENCE", 0.01)
    with show.preparing(screen):  # an error of the other thread would fail this test
        deadline = time.monotonic() + 600
        while not file.tried and time.monotonic() < deadline:
            time.sleep(0.01)
    assert file.tried
    with pytest.raises(type(error)):
        screen.print("anything")
