"""GitHub's tools with the user's own token (SPEC 4.3).

They are discovered when an agent starts to work, and called over one connection of its run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_noop as _

from admin_config.defaults.github import GITHUB, GITHUB_LABEL
from admin_config.defaults.platform import GIT_MCP_AGENT
from admin_config.release import ToolSourceSnapshot
from admin_config.services.github_endpoints import demo_url, source_endpoint
from admin_config.services.tool_review import tools_pin_on_first_use
from agents.engine.ports import Danger, ToolTraits
from agents.engine.taint import PRIVATE_AND_UNTRUSTED
from agents.errors import KeyMissing, RunError, ToolFailed
from agents.messages import Notice
from agents.tools.base import LoadedTools, ToolBuildContext, is_allowed, tool_name, with_source_options
from agents.tools.github.connection import GithubCaller, github_connection, github_error_text
from agents.tools.github.settings import GithubSettings
from agents.tools.hosts import check_never_hosts, fixed_destination, host_of_url
from agents.tools.mcp.definitions import Definitions, PinnedTool, definitions_dump, definitions_of, normalized_names
from agents.tools.mcp.progress import Progress
from agents.tools.mcp.server import McpError
from agents.tools.mcp.server_session import McpAnswer, McpTool, call_timeout_s, definition_for
from tenants.db import in_db

if TYPE_CHECKING:
    from agents.tools.mcp.connection import McpConnection


CHANGED = "tools_changed"
CHANGED_TEXT = "GitHub has changed these tools, which an admin has to look at before they are used again: {names}."


@dataclass(frozen=True, slots=True)
class GithubKind:
    """Implements `SourceKind`."""

    name = GITHUB
    label = GITHUB_LABEL
    help_text = _("Repositories, issues and pull requests, through GitHub's MCP server. Each member enters a token of their own.")
    settings = GithubSettings
    secret_url = None
    reads = PRIVATE_AND_UNTRUSTED

    async def load(self, source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
        """Return the tools that GitHub offers for the user's token.

        Raises ToolFailed for the GitHub agent, which can't work without them: its caller reads why. For other agents it raises RunError,
        and the source is skipped.
        """
        try:
            return await _load(source, build)
        except (McpError, KeyMissing, ToolFailed) as error:
            text = github_error_text(error) if isinstance(error, McpError) else str(error)
            if build.agent.kind == GIT_MCP_AGENT:
                raise ToolFailed(text) from error
            raise RunError(text) from error


@dataclass(frozen=True, slots=True)
class LiveGithubTools:
    """Calls tools over a connection on which they were discovered just now."""

    connection: McpConnection

    async def call(self, tool: PinnedTool, arguments: dict[str, Any], on_progress: Callable[[Progress], None]) -> McpAnswer:
        """Call the tool. Raises ToolFailed."""
        try:
            result = await self.connection.call(tool.name, arguments, repeatable=tool.read_only, on_progress=on_progress)
            return McpAnswer(result, self.connection.server)
        except McpError as error:
            raise ToolFailed(github_error_text(error)) from error


async def _load(source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
    settings = GithubSettings.model_validate(source.settings)
    caller = GithubCaller(build.run.organization_id, build.run.key_owner)
    address = demo_url(build.agent.provider) or source_endpoint(source.id, source.settings).base_url
    await check_never_hosts(host_of_url(address), tool=source.name, organization_id=build.run.organization_id)
    connection = await github_connection(source, provider=build.agent.provider, caller=caller, exit_stack=build.exit_stack)
    server_tools = definitions_of(await connection.tools())[0]
    names, calls = normalized_names(server_tools), LiveGithubTools(connection)
    held_names = (
        frozenset[str]() if demo_url(build.agent.provider) else await _changed_tools(source, connection.server.url, server_tools, build)
    )
    usable = {
        name: tool for name, tool in server_tools.items() if is_allowed(source, names[name]) and (tool.read_only or not settings.read_only)
    }
    withheld_names = sorted(held_names & usable.keys())
    return LoadedTools(
        [
            McpTool(
                definition_for(tool_name(source, names[name]), tool),
                with_source_options(source, _traits(tool, settings, connection.server.url), name=names[name]),
                tool,
                calls,
                build.models.answer_file_store,
            )
            for name, tool in usable.items()
            if name not in held_names
        ],
        [Notice(CHANGED, CHANGED_TEXT.format(names=", ".join(withheld_names)), "warning")] if withheld_names else [],
    )


async def _changed_tools(source: ToolSourceSnapshot, server: str, server_tools: Definitions, build: ToolBuildContext) -> frozenset[str]:
    """Return the names of tools that differ from those a member met first (SECURITY 29)."""
    definitions = definitions_dump(server_tools)
    return await in_db(
        tools_pin_on_first_use, source_id=source.id, server=server, definitions=definitions, organization_id=build.run.organization_id
    )


def _traits(tool: PinnedTool, settings: GithubSettings, server: str) -> ToolTraits:
    """Return the traits. Reading is safe; writing happens in the user's name, so it asks first."""
    return ToolTraits(
        danger=Danger.SAFE if tool.read_only else Danger.DANGEROUS,
        repeatable=tool.read_only,
        timeout_s=call_timeout_s(settings.timeout_s),
        reads=PRIVATE_AND_UNTRUSTED,
        sends=True,
        destination=fixed_destination(server),
    )
