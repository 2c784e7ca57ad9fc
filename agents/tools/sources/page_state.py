"""The tool that changes the state of the page around the chat (SPEC 4.12), when that page provided a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils.translation import gettext_noop as _

from admin_config.release import ToolSourceSnapshot
from agents.engine.taint import NOTHING, Reads
from agents.runtime.page_state import TOOL_NAME, PageStateTool
from agents.tools.base import FunctionTool, LoadedTools, SourceSettings, ToolBuildContext, function_tools


class PageStateSettings(SourceSettings):
    """There are no settings."""

    reserved_names: ClassVar[frozenset[str]] = frozenset({TOOL_NAME})

    def tool_names(self, source_name: str, pins: Mapping[str, Any]) -> tuple[str, ...]:
        return (TOOL_NAME,)


@dataclass(frozen=True, slots=True)
class PageStateKind:
    """Implements `SourceKind`. Sub-agents do not get the tool: their calls can't wait for the page."""

    name: str = "page_state"
    label: str = _("Host page")
    help_text: str = _(
        "For chats inside a page of yours that hands over its state: the agent may write the keys of that state, and the page carries it out. "
        "Only the chat agent has this tool, and only where a page hands over a state."
    )
    settings: type[PageStateSettings] = PageStateSettings
    secret_url: Callable[[Any], str] | None = None
    reads: Reads = NOTHING  # a sub-agent has no page; what the chat agent reads is in the tool's own traits

    async def load(self, source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
        if not build.run.page_state or len(build.path) > 1:
            return LoadedTools()
        tool = PageStateTool(build.run.page_state)
        return function_tools(source, FunctionTool(tool.definition, tool.traits, tool.run))
