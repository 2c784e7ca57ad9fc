"""A web page of the demo's own, so that reading pages can be tried without the internet."""

from __future__ import annotations

from agents.providers.doubles.asgi import Receive, Scope, Send, send_body

PAGE_PATH = "/pages/tea"

_TEA = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>How to brew green tea</title></head>
<body>
<nav><a href="/pages/tea">Home</a></nav>
<main>
<h1>How to brew green tea</h1>
<p>Green tea wants <strong>water below the boil</strong> and little time. This page is a part of Parley's demo provider, which serves it
so that the tool <code>fetch_url</code> can be tried without the internet.</p>
<h2>In short</h2>
<ol><li>Heat the water to 80 degrees.</li><li>Take 3 grams for a cup.</li><li>Wait for two minutes.</li></ol>
<table><thead><tr><th>Tea</th><th>Degrees</th><th>Minutes</th></tr></thead>
<tbody><tr><td>Green</td><td>80</td><td>2</td></tr><tr><td>Black</td><td>95</td><td>4</td></tr></tbody></table>
</main>
</body>
</html>
"""


async def send_page(scope: Scope, receive: Receive, send: Send) -> None:
    """An ASGI application with one page."""
    await send_body(send, 200, _TEA.encode(), "text/html; charset=utf-8")


def is_page(scope: Scope) -> bool:
    return scope.get("path") == PAGE_PATH and scope.get("method") == "GET"
