"""Reads of folders for agents. All need the organization's `tenant_tx`, and see only the files of the given folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from files.knowledge.models import KnowledgeFile
from files.knowledge.paths import matches_glob, normalize_path

MAX_SEARCHED_CHARS = 20 * 1024 * 1024  # characters that one search reads


@dataclass(frozen=True, slots=True)
class Folder:
    """Where files lie: the id of a tool source, or of a member's project."""

    id: UUID
    is_project: bool = False

    @property
    def files(self) -> QuerySet[KnowledgeFile]:
        return KnowledgeFile.objects.filter(project_id=self.id) if self.is_project else KnowledgeFile.objects.filter(source_id=self.id)


@dataclass(frozen=True, slots=True)
class FolderTexts:
    """The texts of a folder's files."""

    texts: tuple[tuple[str, str], ...]  # (path, text) pairs
    is_truncated: bool = False  # the folder has more than MAX_SEARCHED_CHARS


def knowledge_file_get(folder: Folder, path: str) -> KnowledgeFile | None:
    file_path = normalize_path(path)
    return folder.files.filter(path=file_path).first() if file_path else None


def knowledge_files_list(folder: Folder, pattern: str) -> list[KnowledgeFile]:
    """Return the files without their texts, ordered by path. `pattern`: see `matches_glob`; empty: all."""
    files = folder.files.defer("text").order_by("path")
    return [file for file in files if not pattern or matches_glob(file.path, pattern)]


def knowledge_texts(folder: Folder, pattern: str) -> FolderTexts:
    texts: list[tuple[str, str]] = []
    room = MAX_SEARCHED_CHARS
    for path, text in _ready_texts(folder, pattern):
        room -= len(text)
        if room < 0:
            return FolderTexts(tuple(texts), is_truncated=True)
        texts.append((path, text))
    return FolderTexts(tuple(texts))


def _ready_texts(folder: Folder, pattern: str) -> Iterator[tuple[str, str]]:
    ready = folder.files.filter(state=KnowledgeFile.State.READY).order_by("path")
    file_ids = [pk for pk, path in ready.values_list("pk", "path") if not pattern or matches_glob(path, pattern)]
    for start in range(0, len(file_ids), 50):
        yield from ready.filter(pk__in=file_ids[start : start + 50]).values_list("path", "text")
