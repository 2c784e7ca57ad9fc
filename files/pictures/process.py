"""The clean copy of a picture, which is what pages and providers get. The bytes as they came stay for the download of their owner."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import BoundedSemaphore
from typing import Final

from django.conf import settings

from files.errors import PictureBroken, PictureTooLarge
from files.kinds import MAX_PICTURE_PIXELS, MAX_SHOWN_BYTES, MAX_SHOWN_SIDE
from files.pictures.exit_codes import TOO_MANY_PIXELS

MAX_WALL_S: Final = 30.0
MAX_CPU_S: Final = 15
MAX_MEMORY_BYTES: Final = 1536 * 1024 * 1024  # address space: four bytes a pixel, several times, and the libraries

_places = BoundedSemaphore(os.cpu_count() or 1)  # of children of this process, so that pictures leave memory and cores to others


def picture_redraw(content: bytes, media_type: str) -> bytes:
    """Return the picture drawn anew in a child process, without anything but its pixels. Raises PictureTooLarge, PictureBroken.

    The child has no network, no files, none of our environment, and bounded memory and time.
    """
    limits = (MAX_PICTURE_PIXELS, MAX_SHOWN_SIDE, MAX_SHOWN_BYTES, MAX_MEMORY_BYTES, MAX_CPU_S)
    command = [sys.executable, "-s", "-m", "files.pictures", media_type, *map(str, limits)]
    with _places:
        try:
            done = subprocess.run(
                command, input=content, capture_output=True, timeout=MAX_WALL_S, env={}, cwd=settings.BASE_DIR, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise PictureBroken from error
    if done.returncode == TOO_MANY_PIXELS:
        raise PictureTooLarge(int(done.stdout))
    if done.returncode or not done.stdout:
        raise PictureBroken
    return done.stdout
