"""The picture that the demo makes: a bar chart, drawn pixel by pixel as a PNG (https://www.w3.org/TR/png-3/)."""

from __future__ import annotations

import struct
import zlib
from functools import cache

WIDTH, HEIGHT, MARGIN, GAP = 720, 420, 40, 18
PAPER, LINE = bytes((250, 249, 246)), bytes((120, 118, 112))
HEIGHTS = (0.35, 0.55, 0.45, 0.75, 0.62, 0.9, 0.8)
BARS = (bytes((47, 111, 138)), bytes((214, 130, 68)))


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
