"""python -m files.reading <media type> <characters> <memory bytes> <CPU seconds>: a document on stdin, its text as JSON on stdout.

The answer is {"text", "cut", "reason"}; `reason` is a sentence when there is no text. The limits are the kernel's, and hold for
whatever a document makes a parser do.
"""

from __future__ import annotations

import contextlib
import encodings
import importlib
import json
import pkgutil
import resource
import sys

import pypdf

from files.reading.documents import READERS, NoText
from files.reading.pieces import collected

TOO_MUCH = "It needs too much memory to be read."
BROKEN = "It is broken, or not what it seems to be."


def load_all() -> None:
    """What parsers import when a document first needs it: afterwards no file can be opened."""
    for package in (encodings, pypdf):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            with contextlib.suppress(ImportError):  # codecs of other systems
                importlib.import_module(module.name)


def confine(memory_bytes: int, cpu_s: int) -> None:
    """From here on: no new file and no socket (there is no number left for one), no bytes on disk, no new process, bounded memory."""
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 0),
    ):
        if limit != resource.RLIMIT_AS or sys.platform != "darwin":  # macOS takes no limit of memory; time holds there, too
            resource.setrlimit(limit, (value, value))


def answer(media_type: str, content: bytes, characters: int) -> dict[str, object]:
    try:
        text, is_cut = collected(READERS[media_type](content), characters)
    except NoText as exc:
        return {"text": "", "cut": False, "reason": str(exc)}
    except MemoryError:
        return {"text": "", "cut": False, "reason": TOO_MUCH}
    except Exception:  # noqa: BLE001  # a parser's error is the document's fault, whichever it is
        return {"text": "", "cut": False, "reason": BROKEN}
    return {"text": text, "cut": is_cut, "reason": ""}


if __name__ == "__main__":
    media_type, characters, memory_bytes, cpu_s = sys.argv[1], *map(int, sys.argv[2:])
    content = sys.stdin.buffer.read()
    load_all()
    confine(memory_bytes, cpu_s)
    sys.stdout.write(json.dumps(answer(media_type, content, characters)))
