"""A folder of files that admins uploaded, for agents to read and search (SPEC 4.10, docs/agents.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import Field

from admin_config.release import ToolSourceSnapshot
from agents.engine.messages import ToolDefinition
from agents.engine.ports import ToolTraits
from agents.tools.base import LoadedTools, SourceSettings, ToolBuildContext
from agents.tools.knowledge import DEFAULT_CHARS, MAX_CHARS, KnowledgeFolder
from agents.tools.plain import FunctionTool, ToolFunction, function_tools

READ, LIST, SEARCH, STAT = "read_file", "list_files", "search_files", "stat_file"
PATH: Final = {"type": "string", "description": "As list_files gives it."}
GLOB: Final = {"type": "string", "description": "Only these paths: * and ? inside a name, ** for folders, such as guides/**/*.md."}


class FolderSettings(SourceSettings):
    about: str = Field(
        default="",
        max_length=500,
        title="What is in it",
        description="Models read this: it tells them when to look here.",
        json_schema_extra={"lines": 3},
    )

    def tool_names(self, source_name: str, pins: Mapping[str, Any]) -> tuple[str, ...]:
        return (LIST, READ, SEARCH, STAT)


@dataclass(frozen=True, slots=True)
class FilesKind:
    """Implements `SourceKind`."""

    name: str = "files"
    label: str = "Knowledge files"
    help_text: str = "A folder of texts and documents. Save it, then upload files under Knowledge files."
    settings: type[FolderSettings] = FolderSettings
    secret_url: Callable[[Any], str] | None = None

    async def load(self, source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
        about = FolderSettings.model_validate(source.settings).about.strip()
        folder = KnowledgeFolder(build.run.organization_id, source.id)
        return function_tools(
            source,
            _tool(LIST, "Lists the organization's files.", {"glob": GLOB}, folder.list, "listed files", about=about),
            _tool(
                READ,
                "Reads a file of the organization. A long one comes in pieces: go on at `next_offset`.",
                {
                    "path": PATH,
                    "offset": {"type": "integer", "description": "The character to begin at. Default: 0."},
                    "max_chars": {"type": "integer", "description": f"Default: {DEFAULT_CHARS}, at most {MAX_CHARS}."},
                },
                folder.read,
                "read {path}",
                required=("path",),
                about=about,
            ),
            _tool(
                SEARCH,
                "Finds the lines with these words in the organization's files.",
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
            ),
            _tool(
                STAT,
                "Tells size, type, date and state of a file of the organization.",
                {"path": PATH},
                folder.stat,
                "looked at {path}",
                required=("path",),
            ),
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
    traits = ToolTraits(repeatable=True, timeout_s=30.0, compact_template=compact, reads=frozenset({"private"}))
    return FunctionTool(ToolDefinition(name, text, schema), traits, work)
