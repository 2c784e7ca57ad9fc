"""Tools of MCP servers (SPEC 4.10), as an admin accepted them.

They are called over Streamable HTTP, or in a program on this machine. Only the operator's settings can name such a program; a source
refers to it by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from django.conf import settings as django_settings
from django.utils.translation import gettext, gettext_noop as _
from pydantic import Field, ValidationError, field_validator, model_validator

from admin_config.release import ToolSourceSnapshot
from admin_config.services.tool_review import ACCEPTED_KEY, DiscoveredTools, DiscoveryFailed, discovery_store
from agents.engine.ports import Danger, ToolTraits
from agents.engine.taint import PRIVATE_AND_UNTRUSTED
from agents.errors import ToolFailed
from agents.tools.base import LoadedTools, SourceSettings, ToolBuildContext, is_allowed, tool_name, with_source_options
from agents.tools.hosts import fixed_destination
from agents.tools.mcp.definitions import (
    Definitions,
    PinnedTool,
    definitions_dump,
    definitions_load,
    definitions_of,
    normalized_names,
)
from agents.tools.mcp.loading import new_connection
from agents.tools.mcp.server import TIMEOUT_S, McpError, McpServer, validate_address
from agents.tools.mcp.server_session import McpServerSession, McpTool, call_timeout_s, definition_for
from security.secrets.errors import SecretUnusable
from security.secrets.secret_text import SecretText
from security.secrets.services import secret_reveal
from tenants.db import in_db

DISCOVERY_TIMEOUT_S = 20  # seconds that the admin page waits
HEADER_NAME = re.compile(r"[A-Za-z0-9-]{1,60}")
RESERVED_HEADERS = frozenset({"host", "cookie", "content-length", "content-type", "accept", "connection", "transfer-encoding"})


class McpSettings(SourceSettings):
    url: str = Field(
        default="", max_length=500, title=_("Address"), description=_("Starts with https://. Changing the host removes the secret.")
    )
    auth: Literal["none", "bearer", "header"] = Field(
        default="none",
        title=_("Secret is sent"),
        json_schema_extra={
            "choices": {"none": _("Not at all"), "bearer": _("As “Authorization: Bearer …”"), "header": _("In a header of its own")}
        },
    )
    header: str = Field(
        default="", max_length=60, title=_("Authentication header"), description=_("Only for a header of its own, such as X-Api-Key.")
    )
    timeout_s: int = Field(
        default=TIMEOUT_S,
        ge=1,
        le=120,
        title=_("Seconds to wait"),
        description=_("For one call, connecting included. Progress starts them again."),
    )
    stdio_server: str = Field(
        default="",
        max_length=60,
        title=_("Program on this machine"),
        description=_("Instead of an address: the name of a server in the operator's settings (MCP_STDIO_SERVERS)."),
    )

    @field_validator("url")
    @classmethod
    def _can_be_called(cls, url: str) -> str:
        return validate_address(url)

    @field_validator("header")
    @classmethod
    def _is_a_header(cls, header: str) -> str:
        if header and (not HEADER_NAME.fullmatch(header) or header.lower() in RESERVED_HEADERS):
            raise ValueError(gettext("This is no header that a secret can be sent in."))
        return header

    @field_validator("stdio_server")
    @classmethod
    def _is_the_operators(cls, name: str) -> str:
        if name and name not in django_settings.MCP_STDIO_SERVERS:
            raise ValueError(gettext("The operator's settings name no such server."))
        return name

    @model_validator(mode="after")
    def _is_one_thing(self) -> McpSettings:
        if bool(self.url) == bool(self.stdio_server):
            raise ValueError(gettext("Enter the address of a server, or the name of a program on this machine."))
        if self.auth == "header" and not self.header:
            raise ValueError(gettext("Name the header that the secret is sent in."))
        return self

    def tool_names(self, source_name: str, pins: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(normalized_names(definitions_load(pins, ACCEPTED_KEY)).values())

    def headers(self, secret: SecretText | None) -> dict[str, SecretText]:
        if secret is None or self.auth == "none":
            return {}
        if self.auth == "bearer":
            return {"Authorization": SecretText(f"Bearer {secret.reveal()}")}
        return {self.header: secret}

    def server(self, label: str, secret: SecretText | None) -> McpServer:
        return McpServer(label=label, url=self.url, stdio_server=self.stdio_server, headers=self.headers(secret), timeout_s=self.timeout_s)


def secret_address(settings: McpSettings) -> str:
    """Return the address to which the secret is sent; "" when none is."""
    return settings.url if settings.auth != "none" else ""


@dataclass(frozen=True, slots=True)
class McpKind:
    """Implements `SourceKind`."""

    name = "mcp"
    label = _("MCP server")
    help_text = _("A server that speaks the Model Context Protocol. Its tools are looked at here before any agent gets them.")
    settings = McpSettings
    secret_url = staticmethod(secret_address)
    reads = PRIVATE_AND_UNTRUSTED

    async def load(self, source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
        settings = McpSettings.model_validate(source.settings)
        accepted_tools = definitions_load(source.pins, ACCEPTED_KEY)
        run = _McpSourceRun(source, settings, build)
        server = McpServerSession(accepted=accepted_tools, resolve_server=run.server, on_changed=run.store, exit_stack=build.exit_stack)
        names = normalized_names(accepted_tools)
        allowed_tools = [(names[name], tool) for name, tool in accepted_tools.items() if is_allowed(source, names[name])]
        return LoadedTools(
            [
                McpTool(
                    definition_for(tool_name(source, name), tool),
                    with_source_options(source, mcp_traits(tool, settings), name=name),
                    tool,
                    server,
                    build.models.answer_file_store,
                )
                for name, tool in allowed_tools
            ]
        )

    async def discover(self, settings: Mapping[str, Any], secret: SecretText | None) -> DiscoveredTools:
        """Return the tools that the server offers now. Raises DiscoveryFailed."""
        try:
            server = McpSettings.model_validate(settings).server("The server", secret)
        except ValidationError as error:
            raise DiscoveryFailed(gettext("The settings of this source are not complete.")) from error
        connection = await new_connection(replace(server, timeout_s=min(server.timeout_s, DISCOVERY_TIMEOUT_S)))
        try:
            definitions, refusals = definitions_of(await connection.tools())
            return DiscoveredTools(definitions_dump(definitions), refusals)
        except McpError as error:
            raise DiscoveryFailed(str(error)) from error
        finally:
            await connection.aclose()


@dataclass(frozen=True, slots=True)
class _McpSourceRun:
    """The database access of a run for one source."""

    source: ToolSourceSnapshot
    settings: McpSettings
    build: ToolBuildContext

    async def server(self) -> McpServer:
        """Return the server with its key. Raises ToolFailed when the secret can't be used."""
        return self.settings.server(self.source.name, await self._secret())

    async def store(self, definitions: Definitions) -> None:
        organization_id = self.build.run.organization_id
        await in_db(discovery_store, source_id=self.source.id, definitions=definitions_dump(definitions), organization_id=organization_id)

    async def _secret(self) -> SecretText | None:
        address = secret_address(self.settings)
        if not address:
            return None
        if self.source.secret_id is None:
            raise ToolFailed(f"{self.source.name} has no secret. An admin has to enter it.")
        organization_id = self.build.run.organization_id
        try:
            return await in_db(secret_reveal, secret_id=self.source.secret_id, url=address, organization_id=organization_id)
        except SecretUnusable as error:
            raise ToolFailed(f"The secret of {self.source.name} can't be used any more. An admin has to enter it again.") from error


def mcp_traits(tool: PinnedTool, settings: McpSettings) -> ToolTraits:
    """Return the traits. A server's claims can make a tool more dangerous than the default; only an admin can make it less."""
    return ToolTraits(
        danger=Danger.DANGEROUS if tool.destructive else Danger.MODERATE,
        repeatable=tool.read_only,
        timeout_s=call_timeout_s(settings.timeout_s),
        reads=PRIVATE_AND_UNTRUSTED,
        sends=True,
        destination=fixed_destination(settings.url) if settings.url else lambda arguments: settings.stdio_server,
    )
