"""The rules around every route, each by the goal that it is there for."""

import asyncio
from itertools import product

from ofakind.web.guards import BODY, bearer_of
from ofakind.web.pages import PAGE_POLICY, static_files
from twins.pages import HOSTS, PORT, URL

FREE = {"/healthz"}  # what works without a token
SESSION = "/api/session"  # what takes one


def routes_of(page):
    """Every route and method that the application has."""
    for route in page.routes.routes:
        for method in sorted(route.methods):
            yield method, route.path.replace("{number}", "0")


def test_S1_every_route_wants_a_token(page):
    checked = 0
    wrong = page.access.tokens["Ada"][:-1] + "_"
    for method, path in routes_of(page):
        for token in (None, wrong, "x", ""):
            if path in FREE:
                continue
            found = page.client(token, **{"Sec-Fetch-Site": "same-origin"}).request(method, path)
            assert found.status_code == 401, (method, path, token)
            assert not found.cookies
            checked += 1
    assert checked > 60


def test_S1_what_is_not_there_wants_a_token_too(page):
    for path in ("/nothing", "/api/nothing", "/docs", "/redoc", "/openapi.json", "/static/nothing.js"):
        assert page.client().get(path).status_code == 401
        assert page.of("Ada").get(path).status_code == 404


def test_S1_only_the_health_check_works_without_one_and_says_nothing(page):
    assert page.client().get("/healthz").json() == {"status": "ok"}


def test_S1_every_route_is_known_to_these_tests(page):
    """A new route must be looked at: does it want a token, does it change something, whose is it?"""
    api = {path for _, path in routes_of(page) if not path.startswith("/static/")}
    assert api == {
        "/",
        "/groups",
        "/owner",
        "/healthz",
        "/map",
        "/api/answer",
        "/api/decide",
        "/api/evidence",
        "/api/export",
        "/api/groups",
        "/api/groups/0",
        "/api/last",
        "/api/owner",
        "/api/people",
        "/api/people/revoke",
        "/api/map",
        "/api/next",
        "/api/objects/0",
        "/api/openapi.json",
        "/api/picture/0",
        "/api/progress",
        "/api/screen",
        "/api/screen/answer",
        "/api/search",
        "/api/session",
        "/api/skip",
        "/api/undo",
    }


def test_S1_a_browser_without_a_token_gets_a_page_that_takes_one_and_401(page):
    found = page.client(Accept="text/html").get("/groups")
    assert found.status_code == 401
    assert "places" not in found.text
    assert "'unsafe-inline'" not in found.headers["content-security-policy"].split("style-src")[0]


def test_S1_a_session_is_given_for_a_token_or_once_for_a_code(page):
    client, code = page.client(), page.access.new_code("Bob")
    first, second = (client.post(SESSION, headers={"Authorization": f"Bearer {code}"}) for _ in range(2))
    assert (first.status_code, second.status_code) == (204, 403)  # it has a cookie then
    again = page.client().post(SESSION, headers={"Authorization": f"Bearer {code}"})
    assert again.status_code == 401
    assert page.browser("Ada").get("/api/progress").json()["person"] == "Ada"


def test_a_bearer_token_counts_more_than_a_cookie(page):
    browser = page.browser("Ada")
    found = browser.get("/api/progress", headers={"Authorization": f"Bearer {page.access.tokens['Bob']}"})
    assert found.json()["person"] == "Bob"
    assert browser.get("/api/progress", headers={"Authorization": "Bearer wrong"}).status_code == 401


GOOD_HOSTS = [*HOSTS, f"LOCALHOST:{PORT}"]
BAD_HOSTS = [
    "evil.test",
    f"evil.test:{PORT}",
    "127.0.0.1",
    "localhost",
    f"localhost.:{PORT}",
    "127.0.0.1:1",
    f"127.0.0.1:{PORT}0",
    f"127.0.0.1:{PORT}@evil.test",
    f"user@127.0.0.1:{PORT}",
    f"127.0.0.1:{PORT}, evil.test",
    f"127.1:{PORT}",
    f"0.0.0.0:{PORT}",
    f"[::ffff:127.0.0.1]:{PORT}",
    f"localhost:{PORT}/..",
    f"localhost:{PORT}?",
    "",
]


def test_S3_our_own_hosts_are_served(page):
    for host in GOOD_HOSTS:
        assert page.of("Ada").get("/api/progress", headers={"Host": host}).status_code == 200, host


def test_S3_any_other_host_is_refused_before_anything_else(page):
    for host, path in product(BAD_HOSTS, ("/", "/api/progress", "/healthz", "/nothing")):
        assert page.of("Ada").get(path, headers={"Host": host}).status_code == 421, (host, path)


def called(app, **scope):
    """Call an application as a server would, without a client in between; returns the status."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": scope.get("body", b""), "more_body": False}

    async def send(message):
        sent.append(message)

    whole = {"type": "http", "method": "GET", "path": "/healthz", "query_string": b"", "headers": []}
    asyncio.run(app({**whole, **scope}, receive, send))
    return sent[0].get("status", sent[0]["type"])


def test_S3_no_host_and_two_hosts_are_refused(page):
    own = (b"host", HOSTS[0].encode())
    assert called(page.app, headers=[own]) == 200
    assert called(page.app, headers=[]) == 421
    assert called(page.app, headers=[own, own]) == 421
    assert called(page.app, headers=[own, (b"host", b"evil.test")]) == 421


def test_there_are_no_web_sockets(page):
    assert called(page.app, type="websocket", headers=[]) == "websocket.close"


UNSAFE = [
    # what a browser or a program says, with the cookie, and whether that may change something
    ({"Sec-Fetch-Site": "same-origin"}, True),
    ({"Sec-Fetch-Site": "same-origin", "Origin": URL}, True),
    ({"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:9999"}, False),
    ({"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.test"}, False),
    ({"Sec-Fetch-Site": "none"}, False),
    ({"Sec-Fetch-Site": "same-site", "Origin": URL}, False),
    ({"Sec-Fetch-Site": "SAME-ORIGIN"}, False),
    ({"Origin": URL}, True),
    ({"Origin": "http://127.0.0.1:9999"}, False),
    ({"Origin": f"http://localhost:{PORT}"}, False),  # ours, but not where this was sent to
    ({"Origin": "null"}, False),
    ({"Origin": f"https://127.0.0.1:{PORT}"}, False),
    ({"Origin": f"{URL}.evil.test"}, False),
    ({}, False),
    ({"Authorization": "Bearer"}, False),
]


def test_S4_what_changes_something_must_come_from_the_page(page):
    for headers, allowed in UNSAFE:
        client = page.client(Cookie=f"ofakind-{PORT}={page.access.tokens['Ada']}")
        found = client.post("/api/next", json={"n": 1}, headers=headers)
        assert found.status_code in ({200} if allowed else {401, 403}), headers


def test_S4_a_bearer_token_works_without_a_cookie_and_not_with_any(page):
    token = page.access.tokens["Ada"]
    assert page.client(token).post("/api/next", json={"n": 1}).status_code == 200
    for cookie in (f"ofakind-{PORT}={token}", "other=1"):
        assert page.client(token, Cookie=cookie).post("/api/next", json={"n": 1}).status_code == 403


def test_S4_no_other_method_does_anything(page):
    methods = ("PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "PROPFIND")
    for method, path in product(methods, ("/api/answer", "/api/progress", "/")):
        assert page.of("Ada").request(method, path).status_code in (403, 405), (method, path)


def test_S5_a_request_from_another_origin_gets_no_word_that_it_may(page):
    """`check_headers` looks at every response of these tests; this is the one that would have them."""
    asking = {"Origin": "https://evil.test", "Access-Control-Request-Method": "POST"}
    assert page.of("Ada").options("/api/answer", headers=asking).status_code == 405


def test_S7_the_page_runs_no_script_but_its_own_files(page):
    found = page.of("Ada").get("/")
    assert found.headers["content-security-policy"] == PAGE_POLICY
    for words in ("require-trusted-types-for 'script'", "trusted-types 'none'", "script-src 'self';"):
        assert words in PAGE_POLICY
    assert "unsafe" not in PAGE_POLICY
    assert "data:" not in PAGE_POLICY


def test_S7_no_file_of_the_page_writes_html_or_has_inline_code():
    forbidden = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "createContextualFragment",
        "srcdoc",
        "javascript:",
        'setAttribute("on',
        "http:",
        "https:",
        "//cdn",
    ]
    assert len(static_files()) > 10
    for name, (content, _) in static_files().items():
        text = content.decode().replace("http://www.w3.org/", "")
        assert [words for words in forbidden if words in text] == [], name
        if name.endswith(".html"):
            assert "<style" not in text
            assert " style=" not in text
            assert all("src=" in tag.split(">")[0] for tag in text.split("<script")[1:])


def test_S12_a_body_over_64_kib_is_413_with_a_length_or_without(page):
    ada, large = page.of("Ada"), b" " * (BODY.bytes + 1)
    assert ada.post("/api/answer", content=large).status_code == 413
    assert ada.post("/api/answer", content=iter([large[:1000]] * 70)).status_code == 413
    assert ada.post("/api/answer", content=large[:-1]).status_code == 422
    assert called(page.app, headers=[(b"host", HOSTS[0].encode()), (b"content-length", b"-1")]) == 413


def test_S12_a_body_that_does_not_come_is_408(page, monkeypatch):
    monkeypatch.setattr("ofakind.web.guards.BODY", type(BODY)(seconds=0.05))
    sent = []

    async def never():
        await asyncio.sleep(60)

    async def send(message):
        sent.append(message)

    headers = [(b"host", HOSTS[0].encode()), (b"authorization", b"Bearer x")]
    scope = {"type": "http", "method": "POST", "path": "/api/answer", "query_string": b"", "headers": headers}
    asyncio.run(page.app(scope, never, send))
    assert sent[0]["status"] == 408


def test_tokens_are_read_from_one_authorization_header_only():
    def scope(*given):
        return {"headers": [(b"authorization", one) for one in given]}

    assert bearer_of(scope(b"Bearer abc")) == "abc"
    assert bearer_of(scope(b"bearer abc")) == "abc"
    assert bearer_of(scope(b"Basic abc")) is None
    assert bearer_of(scope(b"Bearer abc", b"Bearer abc")) is None
    assert bearer_of(scope()) is None
