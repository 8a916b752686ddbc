"""The files of the page, read once at the start: no path that comes from outside is ever opened."""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from ofakind.html import whole_page
from ofakind.web.guards import COMMON, App, Message, Receive, Scope, Send

TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
DOOR_SCRIPT = """
"use strict";
const field = document.querySelector("input"), said = document.querySelector("output");
async function enter(secret) {
  history.replaceState(null, "", location.pathname);
  const headers = { Authorization: "Bearer " + secret };
  let found = null;
  try { found = await fetch("/api/session", { method: "POST", headers, credentials: "same-origin" }); }
  catch { said.textContent = "ofakind does not answer. Is it still running?"; return; }
  if (found.ok) location.reload();
  else said.textContent = "This link is not valid any more. Use the one that ofakind printed last.";
}
document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const typed = field.value.trim();
  enter(typed.slice(typed.indexOf("#") + 1));
});
window.addEventListener("hashchange", () => { if (location.hash.length > 1) enter(location.hash.slice(1)); });
if (location.hash.length > 1) enter(location.hash.slice(1));
"""
DOOR_STYLE = """
body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1rem; }
:root { color: light-dark(#1f2328, #e6e8eb); background: light-dark(#fff, #14171a); }
input { font: inherit; width: 100%; padding: .4rem; box-sizing: border-box; }
"""


@cache
def static_files() -> dict[str, tuple[bytes, str]]:
    """Return all files of the page by their paths, with their media types."""
    found: dict[str, tuple[bytes, str]] = {}

    def gather(folder: Traversable, above: str) -> None:
        for one in folder.iterdir():
            if one.is_dir():
                gather(one, f"{above}{one.name}/")
            elif (kind := one.name.rpartition(".")[2]) in TYPES:
                found[f"{above}{one.name}"] = one.read_bytes(), f"{TYPES[kind]}; charset=utf-8"

    gather(files("ofakind.web") / "static", "")
    return found


def _digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


@cache
def door_page() -> tuple[bytes, str]:
    """Return the page for whoever has no token yet, and its policy.

    A link carries the token behind ``#``, which browsers never send; a script hands it over and forgets it.
    """
    body = (
        "<main><h1>ofakind</h1>"
        "<p>Open the link that <code>ofakind label</code> printed, or paste it here.</p>"
        '<form><label>Link <input autocomplete="off" spellcheck="false"></label></form>'
        f"<p><output></output></p></main><script>{DOOR_SCRIPT}</script>"
    )
    script = f"script-src {_digest(DOOR_SCRIPT)}"
    own = f"default-src 'none'; {script}; style-src 'unsafe-inline'; connect-src 'self'"
    text = whole_page(title="ofakind", style=DOOR_STYLE, body=body, policy=own)
    return text.encode(), f"{own}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


async def door(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer 401 with the page that takes a token."""
    body, policy = door_page()
    every = {
        "content-type": "text/html; charset=utf-8",
        "content-length": str(len(body)),
        "content-security-policy": policy,
    }
    headers = [(key.encode(), value.encode()) for key, value in {**COMMON, **every}.items()]
    start: Message = {"type": "http.response.start", "status": 401, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": body})


DOOR: App = door
