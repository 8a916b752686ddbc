"""The page inside a notebook: a real kernel shows it, and a real browser has it in a frame."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import nbformat
import pytest
from nbclient import NotebookClient
from playwright.sync_api import expect

import ofakind as ok

OPEN = "import ofakind as ok\nproject = ok.open_project({path!r})"


class Notebook:
    """A kernel, in which cells are run, and a server that shows the last output as Jupyter would."""

    def __init__(self):
        self.runner = ThreadPoolExecutor(1)  # a thread of its own: the browser's has a loop
        self.client = NotebookClient(nbformat.v4.new_notebook(), timeout=120)
        self.html = ""
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        Thread(target=self.server.serve_forever, daemon=True).start()

    def handler(self):
        book = self

        class Shows(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(f"<!DOCTYPE html><h1>My notebook</h1>{book.html}".encode())

            def log_message(self, *_words):
                pass

        return Shows

    def start(self):
        async def begin():
            self.client.create_kernel_manager()
            await self.client.async_start_new_kernel()
            await self.client.async_start_new_kernel_client()

        self.loop = asyncio.new_event_loop()
        self.runner.submit(self.loop.run_until_complete, begin()).result(120)

    def run(self, code):
        """Run a cell; gives its outputs, and keeps what it shows."""
        cell = nbformat.v4.new_code_cell(code)
        self.client.nb.cells.append(cell)
        index = len(self.client.nb.cells) - 1
        work = self.client.async_execute_cell(cell, index)
        outputs = self.runner.submit(self.loop.run_until_complete, work).result(180).outputs
        shown = [one.data["text/html"] for one in outputs if "text/html" in one.get("data", {})]
        self.html = shown[-1] if shown else self.html
        return outputs

    def end(self):
        self.server.shutdown()
        self.server.server_close()
        work = self.client._async_cleanup_kernel()
        self.runner.submit(self.loop.run_until_complete, work).result(60)
        self.runner.submit(self.loop.close).result(10)
        self.runner.shutdown()


@pytest.fixture
def book():
    found = Notebook()
    found.start()
    yield found
    found.end()


@pytest.fixture
def tab(chromium):
    context = chromium.new_context(viewport={"width": 1000, "height": 950}, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(120_000)
    yield page
    context.close()


def answered(path):
    with ok.open_project(path, read_only=True) as project:
        return [(one.annotator, one.value) for one in project.answers]


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
def test_questions_are_answered_in_a_frame_of_the_notebook(book, tab, path, name):
    port = book.server.server_port
    book.run(OPEN.format(path=str(path)))
    book.run(f"project.label('Ada', origin='http://localhost:{port}')")
    tab.goto(f"http://{name}:{port}/")
    frame = tab.frame_locator("iframe")
    frame.locator(".pair").wait_for()
    tab.wait_for_timeout(300)
    frame.locator("button.same").click()
    expect(frame.locator(".count")).to_have_text("1 answer")
    expect(frame.locator(".dot")).to_have_class("dot filled")
    assert answered(path) == [("Ada", 1.0)]
    frame.locator("nav a", has_text="Map").click()  # the other pages, too
    frame.locator("canvas[data-drawn]").wait_for()
    tab.reload()  # the code was used up; the cookie is there
    tab.frame_locator("iframe").locator(".pair").wait_for()
    (output,) = book.run("print(project.n_answers)")
    assert output.text.strip() == "1"
    book.run("project.close()")
    tab.reload()
    expect(tab.frame_locator("iframe").locator(".pair")).to_have_count(0)


def test_S7_a_page_at_another_address_may_not_have_the_frame(book, tab, path):
    """Another port than the notebook's, with the very same output, and a frame that it makes itself."""
    book.run(OPEN.format(path=str(path)))
    book.run("page = project.label(origin='http://localhost:1')\npage")
    (output,) = book.run("print(page.url)")
    url = output.text.strip()
    tab.goto(f"http://127.0.0.1:{book.server.server_port}/")
    expect(tab.locator("iframe")).to_be_hidden()
    expect(tab.locator("p span")).to_contain_text("project.label(origin=")
    refused = []
    tab.on("console", lambda said: refused.append(said.text))
    tab.evaluate(
        """url => new Promise((done) => { const frame = document.createElement("iframe");
        frame.onload = done; frame.src = url; document.body.append(frame); })""",
        url,
    )
    assert any("frame-ancestors" in text for text in refused)
    assert tab.frame_locator("iframe >> nth=1").locator("input").count() == 0


def test_a_notebook_that_was_saved_lets_nobody_in(book, tab, chromium, path):
    port = book.server.server_port
    book.run(OPEN.format(path=str(path)))
    book.run(f"project.label(origin='http://localhost:{port}')")
    tab.goto(f"http://localhost:{port}/")
    tab.frame_locator("iframe").locator(".pair").wait_for()
    other = chromium.new_context().new_page()  # somebody else's browser, with what the notebook holds
    other.goto(f"http://localhost:{port}/")
    expect(other.frame_locator("iframe").locator("output")).to_contain_text("not valid any more")
    other.context.close()
