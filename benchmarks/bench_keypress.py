"""From the press of a key to the next question on the screen, measured in the browser (Chromium).

python -m benchmarks keypress                 100 questions about records, and as many about pictures
python -m benchmarks.bench_keypress 300       other numbers of questions

Measured is the time from the key's own time stamp to the frame after the one in which the next question was
drawn; the aim is 100 ms for 95 of 100 keys. The next questions are fetched ahead, as they are for people, who
are played here with 300 ms a question.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.__main__ import table
from benchmarks.common import Row
from ofakind.cli.demo.digits import make_digits
from ofakind.cli.demo.people import misspelt_people
from ofakind.project.opening import new_project

THINKING = 300  # milliseconds
WATCH = """() => { window.took = []; addEventListener("keydown", (event) => {
  const shown = () => document.querySelector(".pair")?.getAttribute("aria-label"), before = shown();
  const look = () => {
    if (shown() && shown() !== before)
      requestAnimationFrame(() => setTimeout(() => took.push(performance.now() - event.timeStamp)));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}, true); }"""


def measured(path: Path, questions: int) -> np.ndarray:
    """Answer so many questions of a project in a browser; returns the milliseconds of each."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "ofakind", "label", str(path), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as tool:
        assert server.stdout is not None
        link = next(line.strip() for line in server.stdout if "http" in line)
        browser = tool.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(link[link.index("http") :])
        page.wait_for_selector(".pair")
        page.evaluate(WATCH)
        for number in range(questions):
            page.wait_for_timeout(THINKING)
            page.keyboard.press("sd"[number % 2])
        page.wait_for_timeout(2 * THINKING)
        took = page.evaluate("took")
        browser.close()
        server.terminate()
        server.stdout.read()
    return np.array(took)


def row(what: str, path: Path, questions: int) -> Row:
    """Measure one project."""
    took = measured(path, questions)
    half, most, worst = np.quantile(took, [0.5, 0.95, 1.0])
    note = f"median {half:.0f} ms, p95 {most:.0f} ms, worst {worst:.0f} ms; {len(took)} of {questions} seen"
    return Row(what=what, answers=questions, ours_s=most / 1000, note=note)


def run(questions: int = 100) -> list[Row]:
    """Measure records and pictures."""
    with tempfile.TemporaryDirectory() as folder:
        people = Path(folder) / "people.ofk"
        new_project(misspelt_people(400, 1000).records, path=people).close()
        make_digits(Path(folder), 500, 0)
        return [row("records", people, questions), row("pictures", Path(folder) / "digits.ofk", questions)]


if __name__ == "__main__":
    print(table(run(int(sys.argv[1]))))
