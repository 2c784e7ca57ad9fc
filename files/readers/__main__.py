"""python -m files.readers <media type> <characters> <memory bytes> <CPU seconds>: a document on stdin, its text as JSON on stdout.

The output is {"text", "cut", "reason"}; `reason` is a sentence when there is no text. The pages of a PDF file come first, in a line of
their own ({"pages"}), so that they are known when reading takes too long. The kernel enforces the limits, whatever a document
makes a parser do.
"""

from __future__ import annotations

import contextlib
import encodings
import importlib
import json
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator

from files.readers.confinement import confine
from files.readers.output import NoText, gettext_noop, join_pieces

HTML, PDF = "text/html", "application/pdf"
Reader = Callable[[bytes], Iterator[str]]

TOO_MUCH = gettext_noop("It needs too much memory to be read.")
DOCUMENT_BROKEN = gettext_noop("It is broken, or not what it seems to be.")


def reader_load(media_type: str) -> Reader:
    """Return the reader and import everything that it may need, because no file can be opened later.

    Imports for other media types are skipped, to save time.
    """
    load_all(encodings.__name__, encodings.__path__)
    if media_type == HTML:
        from files.readers.web_pages import html_markdown

        return html_markdown
    import pypdf

    from files.readers.documents import READERS

    load_all(pypdf.__name__, pypdf.__path__)
    return READERS[media_type]


def load_all(name: str, path: Iterable[str]) -> None:
    """Import all submodules, including those that parsers import only when a document needs them."""
    for module in pkgutil.walk_packages(path, f"{name}."):
        with contextlib.suppress(ImportError):  # codecs of other operating systems
            importlib.import_module(module.name)


def answer(read: Reader, content: bytes, characters: int) -> dict[str, object]:
    try:
        text, is_cut = join_pieces(read(content), characters)
    except NoText as exc:
        return {"text": "", "cut": False, "reason": str(exc)}
    except MemoryError:
        return {"text": "", "cut": False, "reason": TOO_MUCH}
    except Exception:  # noqa: BLE001  # any error of a parser is caused by the document
        return {"text": "", "cut": False, "reason": DOCUMENT_BROKEN}
    return {"text": text, "cut": is_cut, "reason": ""}


if __name__ == "__main__":
    media_type, characters, memory_bytes, cpu_s = sys.argv[1], *map(int, sys.argv[2:])
    content = sys.stdin.buffer.read()
    read = reader_load(media_type)
    confine(memory_bytes, cpu_s)
    if media_type == PDF:
        from files.readers.documents import pdf_pages

        print(json.dumps({"pages": pdf_pages(content)}), flush=True)  # noqa: T201
    sys.stdout.write(json.dumps(answer(read, content, characters)))
