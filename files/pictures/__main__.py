"""python -m files.pictures <media type> <pixels> <side> <bytes> <memory bytes> <CPU seconds>: a picture on stdin, its clean copy on stdout.

The exit code is 0, TOO_MANY_PIXELS or UNREADABLE. The kernel enforces the limits, whatever a picture makes a decoder do.
"""

from __future__ import annotations

import sys
from io import BytesIO

from PIL import Image

from files.pictures.exit_codes import TOO_MANY_PIXELS, UNREADABLE
from files.pictures.redraw import FORMATS, TooManyPixels, redraw
from files.readers.confinement import confine


def load_codec(media_type: str) -> None:
    """Draw a picture of one pixel, so that everything is imported that Pillow imports late: no file can be opened later."""
    one = BytesIO()
    Image.new("RGB", (1, 1)).save(one, FORMATS[media_type])
    redraw(one.getvalue(), media_type, max_pixels=1, max_side=1, max_bytes=10_000)


def main(media_type: str, max_pixels: int, max_side: int, max_bytes: int, memory_bytes: int, cpu_s: int) -> int:
    content = sys.stdin.buffer.read()
    load_codec(media_type)
    confine(memory_bytes, cpu_s)
    try:
        picture = redraw(content, media_type, max_pixels=max_pixels, max_side=max_side, max_bytes=max_bytes)
    except TooManyPixels as error:
        sys.stdout.write(str(error))
        return TOO_MANY_PIXELS
    except (MemoryError, Exception):  # noqa: BLE001  # any error of a decoder is caused by the picture
        return UNREADABLE
    sys.stdout.buffer.write(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
