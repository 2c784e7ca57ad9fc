"""Files of a branch: a File entry is stored without its text, which the files' own rows have (docs/decisions/0007-files.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from agents.engine.messages import AnswerFile, Entry, File
from agents.engine.nested_runs import unwrap_entry
from chat.entries import StoredEntry
from files.generated_files import answer_files_attach
from files.models import File as StoredFile
from files.selectors import model_texts

FILE_TEXT_TIMEOUT_S = 20.0  # how long an answer waits for the text of what it was sent with


@dataclass(frozen=True, slots=True)
class EntriesWithFiles:
    """A branch as a model is told of it. `pending_file_ids`: ids of files whose text is not known yet."""

    entries: tuple[Entry, ...]
    pending_file_ids: tuple[str, ...]


def file_entry(file: StoredFile) -> File:
    return File(str(file.pk), file.name, file.media_type, file.size_bytes, source=file.source)


def file_texts_load(entries: Sequence[Entry]) -> EntriesWithFiles:
    """`entries` with the texts of their files; entries that have it, or are none, are the same objects. One query, none when there are no files."""
    ids = [entry.id for entry in entries if isinstance(entry, File)]
    if not ids:
        return EntriesWithFiles(tuple(entries), ())
    texts = model_texts(ids)

    def has_new_text(file: File) -> bool:
        return file.id in texts and texts[file.id].text != file.text

    filled = (replace(entry, text=texts[entry.id].text) if isinstance(entry, File) and has_new_text(entry) else entry for entry in entries)
    return EntriesWithFiles(tuple(filled), tuple(file_id for file_id, text in texts.items() if text.is_pending))


def generated_files_attach(entries: Iterable[StoredEntry], *, conversation_id: UUID) -> None:
    """Make the files that a model made, sub-agents' too, the conversation's, in the transaction that stores their entries. No query for none."""
    files = (entry for stored in entries if isinstance(entry := unwrap_entry(stored.entry), AnswerFile) and entry.id)
    if ids := [UUID(file.id) for file in files]:
        answer_files_attach(file_ids=ids, conversation_id=conversation_id)
