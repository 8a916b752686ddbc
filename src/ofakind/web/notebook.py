"""The page in a notebook: served in a thread beside, shown in a frame that only this notebook may have."""

import json
import os
import re
import secrets
import sys
import webbrowser
from contextlib import ExitStack
from html import escape
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self

from ofakind.errors import InvalidInputError, OfakindError
from ofakind.project.project import Project
from ofakind.web.people import new_access
from ofakind.web.serving import Server, listen, page_of

ORIGIN = re.compile(r"http://(localhost|127\.0\.0\.1)(:\d{1,5})?")
NAMES = ("localhost", "127.0.0.1")  # of this machine; cookies come along where frame and page have the same
FRAME_HEIGHT = 760  # of the frame, in pixels
STARTING = 20.0  # seconds that a server has to begin, and to end
FRAME = """<div id="{id}"><iframe title="ofakind" hidden
style="width:100%;height:{height}px;border:1px solid #8886;border-radius:8px"></iframe>
<p style="font-size:90%">{words}
<a href="{link}" target="_blank" rel="noopener">Open it in a tab of its own</a>
(once; <code>page.link</code> has the link for later).
<span hidden></span></p><script>(() => {{
const place = document.getElementById({id_text}), frame = place.querySelector("iframe");
const note = place.querySelector("span");
if ({origins}.includes(location.origin)) {{
  frame.src = "http://" + location.hostname + ":{port}/#{code}";
  frame.hidden = false;
}} else {{
  note.textContent = /^http:\\/\\/(localhost|127\\.0\\.0\\.1)(:|$)/.test(location.origin)
    ? 'To see it here: project.label(origin="' + location.origin + '")'
    : "It cannot be shown inside this notebook, which is not at an address of this machine.";
  note.hidden = false;
}}
}})();</script></div>"""


class LabelPage:
    """The page of a project, served in a thread beside; `Project.label` starts it, and closing ends it.

    A notebook shows it in a frame. What is shown holds a code that works once, not the token, so a notebook
    that is saved or sent around lets nobody in.
    """

    def __init__(self, project: Project, annotator: str, origins: tuple[str, ...]) -> None:
        self._name, self.origins, self._access = annotator, origins, new_access([annotator])
        self._address = listen()
        self._port = self._address.port
        self._open, ready = ExitStack(), Event()
        self._open.callback(self._address.socket.close)
        server = self._open.enter_context(page_of(project, self._access, self._address, frames=origins))
        self._server: Server = server
        self._thread = Thread(target=server.run, args=(ready.set,), name="ofakind-page", daemon=True)
        self._thread.start()
        if not ready.wait(STARTING):
            self.close()
            raise OfakindError(f"the page did not start within {STARTING:.0f} seconds; nothing was changed")

    @property
    def url(self) -> str:
        """Where the page is, without its token."""
        return f"http://{self._address.host}:{self._port}"

    @property
    def link(self) -> str:
        """The link, with its token: whoever has it answers under this name."""
        return f"{self.url}/#{self._access.tokens[self._name]}"

    @property
    def running(self) -> bool:
        """Whether it is served."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Stop it; every answer that the page calls saved is kept. Twice does no harm."""
        self._server.stop()
        self._thread.join(STARTING)
        self._open.close()

    def wait(self) -> None:
        """Wait until somebody stops it, or presses Ctrl-C."""
        try:
            while self.running:
                self._thread.join(0.2)
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def open_browser(self) -> None:
        """Open a browser; the link it gets works once, since others may see how programs were started."""
        link = f"{self.url}/#{self._access.new_code(self._name)}"
        Thread(target=webbrowser.open, args=(link,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "its link is page.link" if self.running else "stopped"
        return f"LabelPage({self.url}; {state})"

    def _repr_html_(self) -> str:
        if not self.running:
            return "<p>The page is stopped; <code>project.label()</code> starts it again.</p>"
        own = f"ofakind-{secrets.token_hex(8)}"
        who = f"for {escape(self._name)}" if self._name else ""
        return FRAME.format(
            id=own,
            id_text=json.dumps(own),
            height=FRAME_HEIGHT,
            words=f"Questions {who}".strip() + " are answered here, and kept at once.",
            link=f"{self.url}/#{self._access.new_code(self._name)}",
            origins=json.dumps(list(self.origins)),
            port=self._port,
            code=self._access.new_code(self._name),
        )


def start_page(
    project: Project, annotator: str, origin: str | None, *, browser: bool | None = None
) -> LabelPage:
    """Serve a project beside, for one person, and open a browser where there is no notebook to show it."""
    kernel = connection_file()
    origins = origins_of(checked_origin(origin)) if origin else origins_beside(kernel)
    page = LabelPage(project, annotator, origins)
    if browser or (browser is None and kernel is None):
        page.open_browser()
    return page


def checked_origin(origin: str) -> int:
    """Return the port of the notebook's address, which must be one of this machine.

    >>> checked_origin("http://localhost:8888")
    8888
    """
    found = ORIGIN.fullmatch(origin) if isinstance(origin, str) else None
    port = int((found[2] or ":80")[1:]) if found else 0
    if not 0 < port < 65536:
        expected = 'what stands before the path in the browser, as in "http://localhost:8888"'
        raise InvalidInputError(
            f"origin is {origin!r:.80}; expected {expected}; a notebook elsewhere cannot show the page"
        )
    return port


def origins_of(port: int) -> tuple[str, ...]:
    """Return the addresses under which a browser on this machine sees a server on a port.

    >>> origins_of(8888)
    ('http://localhost:8888', 'http://127.0.0.1:8888')
    """
    return tuple(f"http://{name}" + ("" if port == 80 else f":{port}") for name in NAMES)


def connection_file() -> Path | None:
    """Return the file by which a notebook reaches this process, None if this is no notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return None
    return Path(str(getattr(getattr(kernel, "parent", None), "abs_connection_file", "")))


def origins_beside(kernel: Path | None) -> tuple[str, ...]:
    """Return the addresses of the Jupyter server that started this kernel; none if it cannot be told.

    Servers say in files beside that of the kernel which process and port they have.
    """
    parent = os.environ.get("JPY_PARENT_PID", "")
    if kernel is None or not parent.isdecimal():
        return ()
    for name in (f"jpserver-{parent}.json", f"nbserver-{parent}.json"):
        try:
            found = json.loads((kernel.parent / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        port = found.get("port") if isinstance(found, dict) else None
        if isinstance(port, int) and 0 < port < 65536 and not _encrypted(found):
            return origins_of(port)
    return ()


def _encrypted(server: dict[str, Any]) -> bool:
    return bool(server.get("secure")) or str(server.get("url", "")).startswith("https:")
