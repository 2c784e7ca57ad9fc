"""The demo's web page and small JSON API, for trying page reading and HTTP tools without the internet, and its picture.

The picture is a bar chart, drawn pixel by pixel as a PNG (https://www.w3.org/TR/png-3/).
"""

from __future__ import annotations

import re
import struct
import zlib
from functools import cache

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
HEIGHTS = (0.35, 0.55, 0.45, 0.75, 0.62, 0.9, 0.8)
BARS = (bytes((47, 111, 138)), bytes((214, 130, 68)))


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


WIDTH, HEIGHT, MARGIN, GAP = 720, 420, 40, 18
PAPER, LINE = bytes((250, 249, 246)), bytes((120, 118, 112))


@cache
def chart() -> bytes:
    """Return the chart as PNG; always the same bytes."""
    return _png(WIDTH, HEIGHT, b"".join(b"\0" + _row(y) for y in range(HEIGHT)))


def _row(y: int) -> bytes:
    """Return one line of pixels. In a PNG, each line begins with its filter type, 0 for none."""
    base = HEIGHT - MARGIN
    if base <= y < base + 2:
        return PAPER * MARGIN + LINE * (WIDTH - 2 * MARGIN) + PAPER * MARGIN
    slot = (WIDTH - 2 * MARGIN) // len(HEIGHTS)
    bars = b"".join(_slot(number, y, base, slot) for number in range(len(HEIGHTS)))
    return PAPER * MARGIN + bars + PAPER * (WIDTH - MARGIN - slot * len(HEIGHTS))


def _slot(number: int, y: int, base: int, slot: int) -> bytes:
    top = base - round((base - MARGIN) * HEIGHTS[number])
    color = BARS[number % len(BARS)] if top <= y < base else PAPER
    return PAPER * (GAP // 2) + color * (slot - GAP) + PAPER * (GAP - GAP // 2)


def _png(width: int, height: int, rows: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits each of red, green and blue
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
