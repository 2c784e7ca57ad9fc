"""Loads an agent's tools from all its sources. A broken source is skipped, and on a name clash the later tool is left out.

Both are reported to the user in notices.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import structlog
from pydantic import ValidationError

from admin_config.errors import RunConfigError
from admin_config.release import ToolSourceSnapshot
from admin_config.validation.reserved_names import is_reserved
from agents.engine.ports import Tool
from agents.errors import RunError
from agents.messages import Notice
from agents.runtime.replay.recorded_calls import ReplayedTool, RunReplay
from agents.runtime.traced_tools import trace_tool
from agents.tools.base import LoadedTools, ToolBuildContext
from agents.tools.hosts import guard_tools
from agents.tools.recent_calls import FAILED, NotedTool, call_note
from agents.tools.registry import SOURCE_KINDS
from agents.tools.sources.artifacts import artifact_tools
from agents.tools.sources.project_files import project_file_tools
from agents.tools.sources.sub_agents import sub_agent_tools

log = structlog.get_logger(__name__)

SOURCE_SKIPPED = "tool_source_skipped"
NAME_CLASH = "tool_name_clash"
NAME_RESERVED = "tool_name_reserved"
RESERVED_TEXT = "The tool {name} of {source} is left out: its name is that of a tool of Parley's own."


async def tools_load(build: ToolBuildContext, *, own: Iterable[Tool] = ()) -> LoadedTools:
    """Return all tools of the agent in `build`. `own`: tools of its completion mode, whose names take precedence."""
    if not build.model.supports_tools:
        return LoadedTools()
    is_chat_agent = len(build.path) == 1
    parts = [
        LoadedTools(tuple(own)),
        LoadedTools(artifact_tools(build) if is_chat_agent else ()),
        LoadedTools(project_file_tools(build) if is_chat_agent else ()),
        sub_agent_tools(build, tools_load, SOURCE_KINDS),
    ]
    parts += [await _load(source, build) for source in build.models.snapshot.sources_of(build.agent)]
    return _merge(parts, build.run.replay)


async def _load(source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
    kind = SOURCE_KINDS.get(source.kind)
    try:
        if kind is None:
            raise RunConfigError(f"There is no kind of tool source named {source.kind}.")
        loaded_tools = guard_tools(await kind.load(source, build), build.run.organization_id)
        loaded_tools = _without_reserved(loaded_tools, source)
        return replace(loaded_tools, tools=[NotedTool(tool, build.run.organization_id, source.id) for tool in loaded_tools.tools])
    except (RunConfigError, RunError, ValidationError) as error:
        await call_note(build.run.organization_id, source.id, took_s=0, outcome=FAILED)
        log.warning("tool_source_skipped", source=source.name, error=type(error).__name__, organization_id=str(build.run.organization_id))
        return LoadedTools(notices=(Notice(SOURCE_SKIPPED, f"The tools of {source.name} are missing in this answer: {error}", "warning"),))


def _without_reserved(loaded_tools: LoadedTools, source: ToolSourceSnapshot) -> LoadedTools:
    """Leave out tools with a name of the platform's own. A server may name its tools anew after the release was checked."""
    reserved_names = [tool.definition.name for tool in loaded_tools.tools if is_reserved(tool.definition.name, kind=source.kind)]
    tools = [tool for tool in loaded_tools.tools if tool.definition.name not in reserved_names]
    notices = [Notice(NAME_RESERVED, RESERVED_TEXT.format(name=name, source=source.name), "warning") for name in reserved_names]
    return LoadedTools(tools, (*loaded_tools.notices, *notices))


def _merge(parts: Iterable[LoadedTools], replay: RunReplay | None) -> LoadedTools:
    """Merge the tools; the first tool with a name keeps it. In a replay they give what was recorded."""
    tools: dict[str, Tool] = {}
    notices: list[Notice] = []
    for part in parts:
        notices += part.notices
        for tool in part.tools:
            name = tool.definition.name
            if name in tools:
                notices.append(Notice(NAME_CLASH, f"Two tools are named {name}. The second one is left out.", "warning"))
            tools.setdefault(name, trace_tool(tool if replay is None else ReplayedTool(tool, replay)))
    return LoadedTools(tuple(tools.values()), tuple(notices))
