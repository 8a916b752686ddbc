"""What somebody does in a tab of a browser."""

import struct
import time
import zlib

from playwright.sync_api import expect


def enter(page, link, wanted=".pair"):
    page.goto(link)
    page.wait_for_selector(wanted)


PATIENCE = 120  # seconds until a test gives up: machines that run tests can be slow
WATCH = """() => {
    if (window.changedAt) return;
    const note = () => { window.changedAt = performance.now(); };
    note();
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
}"""


def settle(page, milliseconds=180):
    """Wait as long as nobody can have seen a question, however late the browser shows it."""
    page.evaluate(WATCH)
    shown = "!document.querySelector('.place > p.quiet')"  # which says that questions are on their way
    page.wait_for_function(
        f"time => {shown} && performance.now() - window.changedAt > time",
        arg=milliseconds,
        polling=20,
        timeout=1000 * PATIENCE,
    )


def fetched(page, number, kind=""):
    """Wait until so many questions, or screens, are there to be answered one after the other."""
    held = f"JSON.parse(sessionStorage.getItem('ofakind-held{kind}') ?? '[]').length"
    until(page, lambda: page.evaluate(held) >= number)


def until(page, happened):
    """Wait until something is so, and let the page go on meanwhile."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end
        page.wait_for_timeout(20)


def press(page, *keys):
    for key in keys:
        settle(page)
        page.keyboard.press(key)


def saved(page):
    expect(page.locator(".dot")).to_have_class("dot filled")


def two_ids(page):
    return page.locator(".pair").get_attribute("aria-label")


def values(project):
    return [one.value for one in project.answers if one.in_force]


class Fingers:
    """Fingers on a screen, as the browser gets them from one."""

    def __init__(self, page):
        self._page, self._line = page, page.context.new_cdp_session(page)

    def touch(self, kind, *points):
        places = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        self._line.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": places})

    def swipe(self, start, end, steps=6):
        """Go from one place to another."""
        self.touch("Start", start)
        for step in range(1, steps + 1):
            part = step / steps
            self.touch("Move", tuple(a + (b - a) * part for a, b in zip(start, end, strict=True)))
            self._page.wait_for_timeout(15)
        self.touch("End")

    def pinch(self, middle, begin, end, steps=6):
        """Put two fingers apart, or together."""
        x, y = middle
        self.touch("Start", (x - begin, y), (x + begin, y))
        for step in range(1, steps + 1):
            wide = begin + (end - begin) * step / steps
            self.touch("Move", (x - wide, y), (x + wide, y))
            self._page.wait_for_timeout(15)
        self.touch("End")


def png(width, height, shade):
    """A picture made on the spot: ``shade(x, y)`` is its grey."""
    rows = b"".join(b"\0" + bytes(shade(x, y) for x in range(width)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
