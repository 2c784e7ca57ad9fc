"""python -m artifacts.rendering <pdf|docx|png> <memory bytes> <CPU seconds>: a document on stdin, the file on stdout.

The kernel enforces the limits, whatever a document makes a library do. Exits with EXIT_TOO_LARGE when memory ran out.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

from PIL import Image

from artifacts.rendering import EXIT_TOO_LARGE
from artifacts.rendering.blocks import SourcePart, parse_blocks
from files.readers.confinement import confine

MAX_PIXELS = 40_000_000
PNG_MODES = {"1", "L", "LA", "I", "I;16", "P", "RGB", "RGBA"}
SAMPLE = "# A\n\n**b** *i* ~~s~~ `c` [l](https://example.org)\n\n1. one\n   - two\n\n> q\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\n```\nx\n```\n漢 かな 한\n"

Render = Callable[[bytes], bytes]


def renderer_load(name: str) -> Render:
    """Return the function that makes the file.

    It has rendered a sample before, so that everything it may import and open is loaded.
    """
    Image.init()
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    if name == "png":
        return _png
    render = _document_render(name)
    picture = BytesIO()
    Image.new("RGB", (2, 2)).save(picture, "PNG")
    encoded = base64.b64encode(picture.getvalue()).decode()
    sample = [
        {"kind": "markdown", "text": SAMPLE},
        {"kind": "picture", "bytes": encoded},
        {"kind": "code", "text": "x", "language": "mermaid"},
    ]
    render(json.dumps({"title": "Sample", "parts": sample, "diagrams": {"x": encoded}}).encode())
    return render


def _document_render(name: str) -> Render:
    if name == "docx":
        from artifacts.rendering.docx import docx, template_load

        template_load()
        write = docx
    else:
        from artifacts.rendering.pdf import fonts_load, pdf

        fonts_load()
        write = pdf

    def render(source: bytes) -> bytes:
        order = json.loads(source)
        diagrams = {source: base64.b64decode(png) for source, png in order.get("diagrams", {}).items()}
        return write(order["title"], parse_blocks(map(_part, order["parts"]), diagrams))

    return render


def _part(part: Mapping[str, Any]) -> SourcePart:
    rows = tuple(map(tuple, part.get("rows", ())))
    content = base64.b64decode(part.get("bytes", ""))
    return SourcePart(part["kind"], part.get("text", ""), rows, part.get("level", 0), content, part.get("language", ""))


def _png(source: bytes) -> bytes:
    target = BytesIO()
    with Image.open(BytesIO(source)) as image:
        convertible = image if image.mode in PNG_MODES else image.convert("RGB")  # print photos may be CMYK
        convertible.save(target, "PNG")
    return target.getvalue()


if __name__ == "__main__":
    name, memory_bytes, cpu_s = sys.argv[1], *map(int, sys.argv[2:])
    source = sys.stdin.buffer.read()
    render = renderer_load(name)
    confine(memory_bytes, cpu_s)
    try:
        sys.stdout.buffer.write(render(source))
    except MemoryError:
        sys.exit(EXIT_TOO_LARGE)
