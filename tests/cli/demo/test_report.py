"""The report's parts: the sentence, the table, the images, the file."""

import os
import re
import struct
import zlib
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest

from ofakind.cli.demo.race import Digits, RaceSettings
from ofakind.cli.demo.report import (
    RACE_HEADINGS,
    SHOWN_DIGITS,
    RaceOutcome,
    _group,
    cells,
    png,
    report,
    verdict,
    write,
)
from ofakind.errors import OfakindError
from twins.curves import curve

NEVER = [0.1, 0.2, 0.3]


def png_widths(html):
    images = re.findall(r"base64,([^\"]+)", html)
    return [struct.unpack(">I", b64decode(image)[16:20])[0] for image in images]


def outcome(*curves, finished=True):
    digits = Digits(np.tile(np.arange(64.0).reshape(8, 8) / 4, (4, 1, 1)), np.array([7, 7, 7, 2]))
    return RaceOutcome(RaceSettings(4, 6, 0.4, 0), digits, list(curves), finished)


@pytest.mark.parametrize(
    ("ours", "uniform", "sentence"),
    [
        ([0, 0.92, 1], [0, 0, 0, 0.9], "It took ofakind 200 answers to ARI 0.90, Uniform 400."),
        ([0, 0.92, 1], NEVER, "It took ofakind 200 answers to ARI 0.90, Uniform over 300."),
        ([0, 0.85], [0, 0.85], "It took ofakind 200 answers to ARI 0.80, Uniform 200."),
        ([0, 0, 0.5], [0, 1], "It took ofakind 300 answers to ARI 0.50, Uniform 200."),
        (NEVER, [1.0], "ofakind did not reach ARI 0.50 with 300 answers."),
    ],
)
def test_the_verdict_says_who_needed_how_many_answers(ours, uniform, sentence):
    assert verdict(outcome(curve("ofakind", ours), curve("Uniform", uniform))) == sentence


def test_the_verdict_on_one_method_alone_names_no_other():
    assert verdict(outcome(curve("ofakind", [1.0]))) == "It took ofakind 100 answers to ARI 0.90."


def test_the_verdict_names_all_methods_in_their_order():
    curves = [curve("ofakind", [1.0]), curve("JEIG", [0, 0.9]), curve("Uniform", NEVER)]
    assert verdict(outcome(*curves)) == "It took ofakind 100 answers to ARI 0.90, JEIG 200, Uniform over 300."


def test_a_row_of_the_table_counts_the_answers_to_each_level():
    row = cells(curve("JEIG", [0.5, 0.4, 0.81, 0.9]))
    assert row == ["JEIG", "100", "300", "400", "never", "0.900", "3", "2.0"]
    assert len(row) == len(RACE_HEADINGS)


def test_strangers_are_told_from_the_digits_most_of_a_group_are():
    page = report(outcome(curve("JEIG", [1.0])))  # groups of 7 7, of 7 and of 2
    assert page.count("examples of 7") == 2
    assert page.count("examples of 2") == 1
    assert 'alt="strangers"' not in page
    mixed = curve("JEIG", [1.0])
    mixed.last.labels[:] = 0
    page = report(outcome(mixed))
    assert "<td>4</td><td>7 (75%)</td>" in page
    assert page.count("examples of 7") == page.count('alt="strangers"') == 1


@pytest.mark.parametrize("strangers", [0, 1, 40, 99])
def test_strangers_are_shown_as_often_as_they_are_in_the_group(strangers):
    truth = np.repeat([3, 0, 1, 2, 4], [200 - strangers, strangers - strangers // 2, strangers // 2, 0, 0])
    digits = Digits(np.full((200, 8, 8), 16.0), truth)
    widths = [width // 9 for width in png_widths(_group(digits, np.arange(200)))]
    assert sum(widths) == SHOWN_DIGITS
    assert len(widths) == 1 + (strangers > 0)
    assert widths[0] == pytest.approx(SHOWN_DIGITS * (1 - strangers / 200), abs=1)


def test_a_stopped_race_says_so():
    assert "Stopped early" in report(outcome(curve("JEIG", [0.1]), finished=False))
    assert "Stopped early" not in report(outcome(curve("JEIG", [0.1])))


def test_png_holds_the_pixels_it_was_given():
    grey = np.random.default_rng(0).integers(0, 256, (8, 27), dtype=np.uint8)
    data, chunks = png(grey), {}
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + body)
        chunks[name] = body
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (27, 8, 8, 0, 0, 0, 0)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(8, 28)
    assert not rows[:, 0].any()
    np.testing.assert_array_equal(rows[:, 1:], grey)


def test_writing_replaces_the_old_file(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    write(path, "new “ü” ≥\n")
    assert path.read_bytes() == "new “ü” ≥\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_writing_refuses_what_is_no_ordinary_file(tmp_path):
    os.mkfifo(tmp_path / "report.html")
    with pytest.raises(OfakindError, match=r"report\.html: it is no ordinary file"):
        write(tmp_path / "report.html", "new")
    assert (tmp_path / "report.html").is_fifo()


@pytest.mark.parametrize(("place", "failing"), [(os, "fsync"), (Path, "replace")])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, place, failing):
    path = tmp_path / "report.html"
    path.write_text("old")

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(place, failing, fail)
    with pytest.raises(OfakindError, match=r"cannot write .*report\.html: No space left on device"):
        write(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
