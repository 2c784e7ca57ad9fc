"""The files of a conversation that an artifact agent gets with its prompt (SPEC 6.5).

They are entries of the branch, where the chat agent has read them: what an agent gets here counts in the branch's taint
already. Providers frame them as they frame the chat agent's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agents.messages import Entry, File

MAX_FILES: Final = 10  # the newest
MAX_FILE_CHARS: Final = 12_000  # of one file's text
MAX_ALL_CHARS: Final = 40_000  # of all texts
CUT: Final = "[Only the beginning is here. The whole file has {size} bytes.]"


def attached_files(branch: Sequence[Entry]) -> tuple[File, ...]:
    """Return what the user attached, oldest first, with as much of their texts as the bounds allow: the newest file first.

    Of several files with one name it is the newest alone.
    """
    newest_by_name: dict[str, File] = {}
    for entry in reversed(branch):
        if isinstance(entry, File) and not entry.from_tool and len(newest_by_name) < MAX_FILES:
            newest_by_name.setdefault(entry.name, entry)
    free_chars = MAX_ALL_CHARS
    files: list[File] = []
    for file in newest_by_name.values():
        files.append(short := _shorten(file, min(MAX_FILE_CHARS, free_chars)))
        free_chars -= min(len(short.text), free_chars)
    return tuple(reversed(files))


def _shorten(file: File, max_chars: int) -> File:
    if len(file.text) <= max_chars:
        return file
    beginning = file.text[:max_chars]
    whole_lines = beginning.rpartition("\n")[0] or beginning  # half a line of a table would mislead
    return replace(file, text=f"{whole_lines}\n{CUT.format(size=file.size_bytes)}".lstrip())
