"""What the demo prints on a terminal and elsewhere."""

import io
import time
from dataclasses import replace

import pytest
from rich.console import Console

from ofakind.cli.demo import show
from ofakind.cli.demo.race import RaceSettings
from ofakind.cli.demo.report import ARI_LEVELS, RaceOutcome, cells
from twins.curves import curve


def console(*, terminal, width=100):
    options = {"force_terminal": True, "color_system": None} if terminal else {}
    return Console(file=io.StringIO(), width=width, highlight=False, soft_wrap=True, **options)


def outcome():
    curves = [curve("ofakind", [0.1, 0.97]), curve("JEIG", [0.1, 0.85]), curve("Uniform", [0.1, 0.42])]
    for each in curves:  # numbers as wide as they get by default
        each.points[-1] = replace(each.last, answers=100_000, seconds=1234.5, k=1797)
    return RaceOutcome(RaceSettings(60, 100_000, 0.4, 0), None, curves, finished=True)


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


@pytest.mark.parametrize("width", [20, 36, 37, 40, 60, 76, 77, 80, 120])
def test_live_rows_show_what_fits_and_cut_nothing_off(width):
    screen, curves = console(terminal=True, width=width), [curve("JEIG", [0.1, 0.97])]
    show.watch_live(screen, curves, 200, moves(curves))
    last = screen.file.getvalue().split("JEIG")[-1]
    assert "ARI 0.97" in last
    assert "…" not in screen.file.getvalue()
    assert ("200" in last, "clusters" in last, "left" in last) == (width > 36, width > 36, width > 76)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_the_table_shows_every_number_whole_and_fits_the_terminal(width):
    screen, race = console(terminal=True, width=width), outcome()
    show.conclude(screen, race)
    output = screen.file.getvalue()
    assert "…" not in output
    assert max(map(len, output.splitlines())) <= width
    words = output.split()
    for each in race.curves:
        for cell in cells(each):
            assert cell in words
    for level in ARI_LEVELS:
        assert f"{level:.2f}" in words


def test_a_narrow_terminal_gets_a_column_for_each_method_aligned_under_its_name():
    lines = show.table_lines(outcome().curves, 40)
    assert lines[0].split() == ["answers", "ofakind", "JEIG", "Uniform"]
    assert lines[1].split() == ["to", "ARI", "0.50", "100,000", "100,000", "never"]
    assert len({len(line) for line in lines}) == 1
    assert max(map(len, lines)) <= 40


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_pipe_gets_a_row_for_each_method_however_wide_it_is_said_to_be(width):
    screen, wide = console(terminal=False, width=width), console(terminal=True, width=200)
    for each in (screen, wide):
        show.conclude(each, outcome())
    assert screen.file.getvalue() == wide.file.getvalue()
    assert "\nofakind  " in screen.file.getvalue()


def test_elsewhere_each_method_gets_at_most_ten_plain_lines():
    screen, curves = console(terminal=False), [curve("JEIG", [0.5] * 40), curve("Uniform", [0.1] * 40)]
    show.watch_plain(screen, curves, 4000, moves(curves))
    lines = screen.file.getvalue().splitlines()
    assert [line.split()[0] for line in lines] == ["JEIG", "Uniform"] * show.SHOW.plain_lines
    assert lines[0].startswith("JEIG        400 answers    3 clusters  ARI 0.50")
    assert lines[-1].endswith("0 s left")


@pytest.mark.parametrize("terminal", [True, False])
def test_compiling_is_mentioned_only_when_it_takes_long(terminal, monkeypatch):
    quick, slow = console(terminal=terminal), console(terminal=terminal)
    monkeypatch.setattr(show, "SHOW", replace(show.SHOW, patience=3600.0))
    with show.preparing(quick):
        pass
    monkeypatch.setattr(show, "SHOW", replace(show.SHOW, patience=0.01))
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
    screen = show.Display(file=file)
    monkeypatch.setattr(show, "SHOW", replace(show.SHOW, patience=0.01))
    with show.preparing(screen):  # an error of the other thread would fail this test
        deadline = time.monotonic() + 600
        while not file.tried and time.monotonic() < deadline:
            time.sleep(0.01)
    assert file.tried
    with pytest.raises(type(error)):
        screen.print("anything")
