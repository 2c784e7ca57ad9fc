"""Files of a branch. A File entry is stored without its text, which is in the file's own row (docs/decisions/0007-files.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import Subquery

from agents.engine.run_progress import unwrap_entry
from agents.messages import AnswerFile, Entry, File
from chat.entries import StoredEntry
from chat.models import Conversation
from files.generated_files import answer_files_attach
from files.models import File as StoredFile
from files.selectors import model_texts

FILE_TEXT_TIMEOUT_S = 20.0  # how long an answer waits for the texts of the files of its question


@dataclass(frozen=True, slots=True)
class EntriesWithFiles:
    """Entries with the texts of their files, as a model gets them."""

    entries: tuple[Entry, ...]
    pending_file_ids: tuple[str, ...]  # files whose text has not been extracted yet


def file_entry(file: StoredFile) -> File:
    """Return the entry of a stored file, without its text."""
    return File(str(file.pk), file.name, file.media_type, file.size_bytes, source=file.source)


def file_texts_load(entries: Sequence[Entry]) -> EntriesWithFiles:
    """Return the entries with the texts of their files. Entries that need no change stay the same objects.

    One query; none when there are no files.
    """
    ids = [entry.id for entry in entries if isinstance(entry, File)]
    if not ids:
        return EntriesWithFiles(tuple(entries), ())
    texts = model_texts(ids)

    def filled(entry: Entry) -> Entry:
        if not isinstance(entry, File) or (file_text := texts.get(entry.id)) is None:
            return entry
        is_known = (file_text.text, file_text.pages) == (entry.text, entry.pages)
        return entry if is_known else replace(entry, text=file_text.text, pages=file_text.pages)

    return EntriesWithFiles(tuple(map(filled, entries)), tuple(file_id for file_id, text in texts.items() if text.is_pending))


def generated_files_attach(entries: Iterable[StoredEntry], *, conversation_id: UUID) -> None:
    """Attach the files that the model, a sub-agent or a tool made to the conversation and its present owner. No query when there are none.

    Call it in the transaction that stores the entries.
    """
    if ids := [UUID(file_id) for entry in entries if (file_id := _generated_id(entry))]:
        owner = Conversation.objects.filter(pk=conversation_id).values("owner_id")
        answer_files_attach(file_ids=ids, conversation_id=conversation_id, owner_id=Subquery(owner))


def _generated_id(entry: StoredEntry) -> str:
    match unwrap_entry(entry.entry):
        case AnswerFile(id=file_id) | File(id=file_id, from_tool=True):
            return file_id
        case _:
            return ""
