"""python -m files.pictures.first_frame <memory bytes> <CPU seconds>: a GIF on stdin, its first frame as PNG on stdout.

The exit code is 0 or UNREADABLE. The kernel enforces the limits.
"""

from __future__ import annotations

import sys
from io import BytesIO

from PIL import Image

from files.pictures.exit_codes import UNREADABLE
from files.readers.confinement import confine


def frame_draw(content: bytes) -> bytes:
    """Raises whatever Pillow raises for broken content."""
    png = BytesIO()
    with Image.open(BytesIO(content), formats=("GIF",)) as image:
        image.convert("RGBA" if image.has_transparency_data else "RGB").save(png, "PNG")
    return png.getvalue()


def load_codecs() -> None:
    """Draw a picture of one pixel, so that everything is imported that Pillow imports late: no file can be opened later."""
    one = BytesIO()
    Image.new("P", (1, 1)).save(one, "GIF")
    frame_draw(one.getvalue())


def main(memory_bytes: int, cpu_s: int) -> int:
    content = sys.stdin.buffer.read()
    load_codecs()
    confine(memory_bytes, cpu_s)
    try:
        frame = frame_draw(content)
    except (MemoryError, Exception):  # noqa: BLE001  # any error of a decoder is caused by the picture
        return UNREADABLE
    sys.stdout.buffer.write(frame)
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
