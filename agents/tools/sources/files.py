"""Tools that list, inspect, read and search the files of a folder (SPEC 4.10, docs/agents.md). Admins upload the files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final
from uuid import UUID
from weakref import WeakValueDictionary

from django.utils.translation import gettext_noop as _
from pydantic import Field

from admin_config.release import ToolSourceSnapshot
from agents.engine.ports import ReplayRule, ToolContext, ToolOutcome, ToolTraits
from agents.engine.taint import PRIVATE_AND_UNTRUSTED, Reads
from agents.errors import ToolFailed
from agents.messages import ToolDefinition
from agents.tools.base import FunctionTool, LoadedTools, SourceSettings, ToolBuildContext, ToolFunction, function_tools
from files.knowledge.models import KnowledgeFile
from files.knowledge.paths import MAX_GLOB_CHARS
from files.knowledge.search import BadPattern, texts_search
from files.knowledge.selectors import Folder, knowledge_file_get, knowledge_files_list, knowledge_texts
from tenants.db import in_db

MAX_LISTED_FILES: Final = 500
MAX_READ_CHARS: Final = 512 * 1024  # of a file; the rest can only be searched (SPEC 4.10)
DEFAULT_CHARS: Final = 20_000  # per call, unless the call asks for another number
MAX_CHARS: Final = 40_000
MAX_MATCHES: Final = 200
MAX_QUERY_CHARS: Final = 300

MAX_PARALLEL_SEARCHES: Final = 2  # in one process

_searches = ThreadPoolExecutor(max_workers=MAX_PARALLEL_SEARCHES, thread_name_prefix="knowledge")
# Weak values, so that a semaphore goes with its last search: one that had waiters keeps its loop alive.
_search_semaphores = WeakValueDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]()
PATH: Final = {"type": "string", "description": "As the list of files gives it."}
GLOB: Final = {"type": "string", "description": "Only these paths: * and ? inside a name, ** for folders, such as guides/**/*.md."}


@dataclass(frozen=True, slots=True)
class KnowledgeFolder:
    """The files of one folder, of its own organization only. Methods raise ToolFailed with messages for the model."""

    organization_id: UUID
    folder: Folder
    list_name: str = "list_files"  # as the model knows the tools
    search_name: str = "search_files"

    async def list(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        pattern = _glob(arguments)
        files = await in_db(knowledge_files_list, self.folder, pattern, organization_id=self.organization_id)
        rows = [{"path": file.path, "size_bytes": file.size_bytes, "state": file.state} for file in files[:MAX_LISTED_FILES]]
        return ToolOutcome({"files": rows, "total": len(files)})

    async def stat(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        file = await self._file(arguments["path"])
        facts: dict[str, Any] = {
            "path": file.path,
            "media_type": file.media_type,
            "size_bytes": file.size_bytes,
            "uploaded": file.created_at.isoformat(timespec="seconds"),
            "state": file.state,
        }
        if file.state == KnowledgeFile.State.READY:
            facts |= {"total_chars": len(file.text), "lines": file.text.count("\n") + 1}
        return ToolOutcome(facts | ({"reason": file.reason} if file.reason else {}))

    async def read(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        file = await self._file(arguments["path"])
        if file.state != KnowledgeFile.State.READY:
            raise ToolFailed(f"{file.path} has no text yet: it is being read. Try again in a while." if not file.reason else file.reason)
        text = file.text[:MAX_READ_CHARS]
        start = max(0, arguments.get("offset") or 0)
        end = start + min(max(1, arguments.get("max_chars") or DEFAULT_CHARS), MAX_CHARS)
        if start and start >= len(text):
            raise ToolFailed(f"Only the first {len(text)} characters of {file.path} can be read.")
        output = {"path": file.path, "text": text[start:end], "offset": start, "total_chars": len(file.text)}
        cut = (
            {"note": f"Only the first {MAX_READ_CHARS} characters can be read; {self.search_name} finds the rest."}
            if len(file.text) > MAX_READ_CHARS
            else {}
        )
        return ToolOutcome({**output, "next_offset": end if end < len(text) else None, **cut})

    async def search(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        query = arguments["query"]
        if not query.strip() or len(query) > MAX_QUERY_CHARS:
            raise ToolFailed(f"A query has 1 to {MAX_QUERY_CHARS} characters.")
        search = partial(
            texts_search,
            query=query,
            is_regex=bool(arguments.get("regex")),
            ignore_case=not arguments.get("match_case"),
            limit=MAX_MATCHES + 1,
        )
        glob = _glob(arguments)
        async with _search_semaphore():  # a folder is up to MAX_SEARCHED_CHARS characters, so only searches that run may hold one
            folder = await in_db(knowledge_texts, self.folder, glob, organization_id=self.organization_id)
            try:
                hits = await asyncio.get_running_loop().run_in_executor(_searches, search, folder.texts)
            except BadPattern as error:
                raise ToolFailed(str(error)) from error
        matches = [{"path": path, "line": line, "text": text} for path, line, text in hits[:MAX_MATCHES]]
        more = f"There are more than {MAX_MATCHES} matches. " if len(hits) > MAX_MATCHES else ""
        part = "The folder is too large for one search: name a glob." if folder.is_truncated else ""
        return ToolOutcome({"matches": matches, **({"note": more + part} if more or part else {})})

    async def _file(self, path: str) -> KnowledgeFile:
        file = await in_db(knowledge_file_get, self.folder, path, organization_id=self.organization_id)
        if file is None:
            raise ToolFailed(f"There is no such file. {self.list_name} gives the paths.")
        return file


def _search_semaphore() -> asyncio.Semaphore:
    """Return the running loop's semaphore: a semaphore can't be used in two loops."""
    return _search_semaphores.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(MAX_PARALLEL_SEARCHES))


def _glob(arguments: dict[str, Any]) -> str:
    pattern: str = arguments.get("glob") or ""
    if len(pattern) > MAX_GLOB_CHARS:
        raise ToolFailed(f"A glob has at most {MAX_GLOB_CHARS} characters.")
    return pattern


OWNER: Final = "the organization"
READ, LIST, SEARCH, STAT = "read_file", "list_files", "search_files", "stat_file"


class FolderSettings(SourceSettings):
    about: str = Field(
        default="",
        max_length=500,
        title=_("What is in it"),
        description=_("Models read this: it tells them when to look here."),
        json_schema_extra={"lines": 3},
    )

    reserved_names: ClassVar[frozenset[str]] = frozenset({SEARCH})

    def tool_names(self, source_name: str, pins: Mapping[str, Any]) -> tuple[str, ...]:
        return (LIST, READ, SEARCH, STAT)


@dataclass(frozen=True, slots=True)
class FilesKind:
    """Implements `SourceKind`."""

    name: str = "files"
    label: str = _("Knowledge files")
    help_text: str = _("A folder of texts and documents. Save it, then upload files under Knowledge files.")
    settings: type[FolderSettings] = FolderSettings
    secret_url: Callable[[Any], str] | None = None
    reads: Reads = PRIVATE_AND_UNTRUSTED

    async def load(self, source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
        about = FolderSettings.model_validate(source.settings).about.strip()
        folder = KnowledgeFolder(build.run.organization_id, Folder(source.id))
        return function_tools(
            source,
            list_tool(LIST, folder, OWNER, about),
            read_tool(READ, folder, OWNER, about),
            search_tool(SEARCH, folder, OWNER, about),
            _tool(
                STAT,
                "Tells size, type, date and state of a file of the organization.",
                {"path": PATH},
                folder.stat,
                "looked at {path}",
                required=("path",),
            ),
        )


def list_tool(name: str, folder: KnowledgeFolder, owner: str, about: str = "") -> FunctionTool:
    return _tool(name, f"Lists {owner}'s files.", {"glob": GLOB}, folder.list, "listed files", about=about)


def read_tool(name: str, folder: KnowledgeFolder, owner: str, about: str = "") -> FunctionTool:
    return _tool(
        name,
        f"Reads a file of {owner}. A long one comes in pieces: go on at `next_offset`.",
        {
            "path": PATH,
            "offset": {"type": "integer", "description": "The character to begin at. Default: 0."},
            "max_chars": {"type": "integer", "description": f"Default: {DEFAULT_CHARS}, at most {MAX_CHARS}."},
        },
        folder.read,
        "read {path}",
        required=("path",),
        about=about,
    )


def search_tool(name: str, folder: KnowledgeFolder, owner: str, about: str = "") -> FunctionTool:
    return _tool(
        name,
        f"Finds the lines with these words in {owner}'s files.",
        {
            "query": {"type": "string", "description": "The words as they stand in a line, or a regular expression."},
            "regex": {"type": "boolean", "description": "The query is a regular expression (Python's). Default: false."},
            "match_case": {"type": "boolean", "description": "Default: false."},
            "glob": GLOB,
        },
        folder.search,
        "searched the files for {query}",
        required=("query",),
        about=about,
    )


def _tool(
    name: str,
    description: str,
    properties: dict[str, Any],
    work: ToolFunction,
    compact: str,
    *,
    required: tuple[str, ...] = (),
    about: str = "",
) -> FunctionTool:
    text = f"{description} What is there: {about}" if about else description
    schema = {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}
    traits = ToolTraits(repeatable=True, timeout_s=30.0, compact_template=compact, reads=PRIVATE_AND_UNTRUSTED, replay=ReplayRule.READS)
    return FunctionTool(ToolDefinition(name, text, schema), traits, work)
