"""How long fifty people wait for the page: an answer and the next question over HTTP, on this machine.

python -m benchmarks annotators                    fifty people, an answer in two seconds each: a minute
python -m benchmarks.bench_annotators 50 1.0 30    other numbers of people, seconds between answers, seconds

The server is a process of its own, as ``ofakind label`` starts it; people think for as long as is said, and
every tenth answer is sent twice. Counted are answers that were lost or kept twice, replies that say that
something failed, and questions that two people had at the same time. It must be none of each.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks.__main__ import table
from benchmarks.common import Row
from ofakind.project.opening import new_project, open_project

OBJECTS = 1000


class Crowd:
    """People who answer over HTTP, and what they met with."""

    def __init__(self, url: str, tokens: dict[str, str], thinking: float, seconds: float) -> None:
        self.url, self.tokens, self.thinking = url, tokens, thinking
        self.end = time.monotonic() + seconds
        self.took: dict[str, list[float]] = {"next": [], "answer": []}
        self.codes: dict[int, int] = {}
        self.keys: list[str] = []
        self.held: dict[tuple[int, int], str] = {}
        self.twice = 0

    async def run(self) -> None:
        """Let all of them answer until the end."""
        limits = httpx.Limits(max_connections=len(self.tokens) + 10)
        async with httpx.AsyncClient(base_url=self.url, limits=limits, timeout=60, trust_env=False) as line:
            people = enumerate(self.tokens)
            await asyncio.gather(*(self.person(line, number, name) for number, name in people))

    async def send(self, line: httpx.AsyncClient, name: str, what: str, body: dict[str, Any]) -> Any:
        """Send something, and note how long the reply took."""
        begin = time.perf_counter()
        headers = {"Authorization": f"Bearer {self.tokens[name]}"}
        reply = await line.post(f"/api/{what}", json=body, headers=headers)
        self.took[what].append(time.perf_counter() - begin)
        self.codes[reply.status_code] = self.codes.get(reply.status_code, 0) + 1
        return reply.json()

    async def person(self, line: httpx.AsyncClient, number: int, name: str) -> None:
        """Answer one question after the other."""
        await asyncio.sleep(self.thinking * number / len(self.tokens))
        while time.monotonic() < self.end:
            for question in (await self.send(line, name, "next", {"n": 1}))["questions"]:
                left, right = question["left"]["number"], question["right"]["number"]
                pair = min(left, right), max(left, right)
                self.twice += self.held.get(pair, name) != name
                self.held[pair] = name
                await asyncio.sleep(self.thinking)
                del self.held[pair]
                value = 1.0 if left % 100 == right % 100 else -1.0
                body = {"key": question["key"], "left": left, "right": right, "value": value}
                await self.send(line, name, "answer", body)
                if len(self.keys) % 10 == 0:
                    await self.send(line, name, "answer", body)
                self.keys.append(question["key"])


def one_case(people: int, thinking: float, seconds: float) -> list[Row]:
    """Let so many people answer for so many seconds, with so many seconds between two answers of each."""
    names = [f"person {number}" for number in range(people)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.ofk"
        new_project(list(range(OBJECTS)), path=path).close()
        command = ["label", str(path), "--no-browser", "--port", "0", "--people", ",".join(names)]
        pipe = subprocess.PIPE
        with subprocess.Popen([sys.executable, "-m", "ofakind", *command], stdout=pipe, text=True) as server:
            assert server.stdout is not None
            links = {}
            for text in server.stdout:
                if text.startswith("Ctrl-C"):
                    break
                name, _, link = text.strip().rpartition("  ")
                links[name.strip()] = link
            url = next(iter(links.values())).partition("/#")[0]
            tokens = {name: links[name].partition("/#")[2] for name in names}
            crowd = Crowd(url, tokens, thinking, seconds)
            asyncio.run(crowd.run())
            server.terminate()
            server.stdout.read()
        with open_project(path, read_only=True) as project:
            kept = sum(one.in_force for one in project.answers)
    sent = len(set(crowd.keys))
    failed = sum(count for code, count in crowd.codes.items() if code != 200)
    note = f"lost or double {abs(sent - kept)}, not 200: {failed}, with two at once {crowd.twice}"
    rows = []
    for what, took in crowd.took.items():
        half, most = np.quantile(took, [0.5, 0.99])
        words = f"{what}: median {1000 * half:.0f} ms, p99 {1000 * most:.0f} ms; {note}"
        rows.append(
            Row(what=f"{people} people, {thinking:g} s", n=OBJECTS, answers=kept, ours_s=most, note=words)
        )
    return rows


def run() -> list[Row]:
    """Measure at the pace that people have, and at twice that."""
    return [*one_case(50, 2.0, 30), *one_case(50, 1.0, 30)]


if __name__ == "__main__":
    print(table(one_case(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))))
