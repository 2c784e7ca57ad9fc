"""The demo's web page and small JSON API, for trying page reading and HTTP tools without the internet."""

from __future__ import annotations

import re

from doubles.asgi import Receive, Scope, Send, send_body, send_json

PAGE_PATH = "/pages/tea"
_ORDER = re.compile(r"/orders/(\w{1,20})")

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
    """An ASGI application with one page, and one order per number (`/orders/7`)."""
    if order := _ORDER.fullmatch(scope.get("path", "")):
        await send_json(send, 200, _order(order[1]))
    else:
        await send_body(send, 200, _TEA.encode(), "text/html; charset=utf-8")


def is_page(scope: Scope) -> bool:
    path = scope.get("path", "")
    return scope.get("method") == "GET" and (path == PAGE_PATH or _ORDER.fullmatch(path) is not None)


def _order(number: str) -> dict[str, object]:
    items = [{"name": "Sencha", "count": 2}, {"name": "Tea pot", "count": 1}]
    return {"data": {"number": number, "state": "sent", "customer": "Demo Ltd", "items": items}}
