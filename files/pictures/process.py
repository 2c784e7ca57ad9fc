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
    """Return the picture drawn anew, without anything but its pixels. Raises PictureTooLarge, PictureBroken."""
    done = _run_child("files.pictures", media_type, MAX_PICTURE_PIXELS, MAX_SHOWN_SIDE, MAX_SHOWN_BYTES, content=content)
    if done.returncode == TOO_MANY_PIXELS:
        raise PictureTooLarge(int(done.stdout))
    return _picture_of(done)


def first_frame(content: bytes) -> bytes:
    """Return the first frame of a GIF as PNG. Raises PictureBroken."""
    return _picture_of(_run_child("files.pictures.first_frame", content=content))


def _run_child(module: str, *arguments: object, content: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run the module on the content. The child has no network, no files, none of our environment, and bounded memory and time."""
    command = [sys.executable, "-s", "-m", module, *map(str, (*arguments, MAX_MEMORY_BYTES, MAX_CPU_S))]
    with _places:
        try:
            return subprocess.run(
                command, input=content, capture_output=True, timeout=MAX_WALL_S, env={}, cwd=settings.BASE_DIR, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise PictureBroken from error


def _picture_of(done: subprocess.CompletedProcess[bytes]) -> bytes:
    if done.returncode or not done.stdout:
        raise PictureBroken
    return done.stdout
