"""Files of a branch: a File entry is stored without its text, which the files' own rows have (docs/decisions/0007-files.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.engine.messages import Entry, File
from files.models import File as StoredFile
from files.selectors import model_texts

FILES_WAIT_S = 20.0  # how long an answer waits for the text of what it was sent with


@dataclass(frozen=True, slots=True)
class FilledBranch:
    """A branch as a model is told of it. `unread`: ids of files whose text is not known yet."""

    entries: tuple[Entry, ...]
    unread: tuple[str, ...]


def file_entry(file: StoredFile) -> File:
    return File(str(file.pk), file.name, file.media_type, file.size_bytes, source=file.source)


def files_filled(entries: Sequence[Entry]) -> FilledBranch:
    """`entries` with the texts of their files; entries that have it, or are none, are the same objects. One query, none when there are no files."""
    ids = [entry.id for entry in entries if isinstance(entry, File)]
    if not ids:
        return FilledBranch(tuple(entries), ())
    texts = model_texts(ids)

    def is_news(file: File) -> bool:
        return file.id in texts and texts[file.id].text != file.text

    filled = (replace(entry, text=texts[entry.id].text) if isinstance(entry, File) and is_news(entry) else entry for entry in entries)
    return FilledBranch(tuple(filled), tuple(file_id for file_id, text in texts.items() if text.is_pending))
