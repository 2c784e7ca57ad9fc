"""HTTP tools (SPEC 4.10): one request to one host, made from the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_noop as _

from admin_config.release import ToolSourceSnapshot
from agents.engine.ports import Danger, ToolContext, ToolOutcome, ToolTraits
from agents.engine.taint import PRIVATE_AND_UNTRUSTED, Reads
from agents.errors import ToolFailed
from agents.messages import ToolDefinition
from agents.runtime.masking import restore
from agents.runtime.placeholders import Placeholders
from agents.tools.base import LoadedTools, ToolBuildContext, is_allowed, tool_name, with_source_options
from agents.tools.hosts import fixed_destination
from agents.tools.http.request import HttpRequest, request_of, secret_redactor, send_http_request, with_secret
from agents.tools.http.settings import HttpSettings
from security.secrets.errors import SecretUnusable
from security.secrets.secret_text import SecretText
from security.secrets.services import secret_reveal
from tenants.db import in_db

SECRET_MISSING = "This tool's secret is missing or was entered for another address. An administrator has to enter it again."  # noqa: S105


@dataclass(frozen=True, slots=True)
class HttpToolClient:
    """Sends requests for one organization.

    Secrets are inserted only after the request was built, into its headers and body.
    """

    tool: str  # the name under which registered secrets know the tool
    settings: HttpSettings
    secret_id: UUID | None
    organization_id: UUID
    placeholders: Placeholders

    async def answer(self, request: HttpRequest) -> Any:
        """Send the request and return the configured part of the answer, a JSON value. Raises ToolFailed."""
        secret = await self._secret()
        whole = with_secret(self._with_secrets(request), self.settings, secret)
        return await send_http_request(whole, self.settings, redact_secrets=secret_redactor(secret, self.placeholders.mask))

    def _with_secrets(self, request: HttpRequest) -> HttpRequest:
        """Return the request with the registered secrets of this tool and host (SPEC 3.17)."""
        headers = restore(dict(request.headers), self.placeholders, tool=self.tool, url=request.url)
        return replace(request, headers=headers, body=restore(request.body, self.placeholders, tool=self.tool, url=request.url))

    async def _secret(self) -> SecretText | None:
        if not self.settings.secret_header:
            return None
        if self.secret_id is None:
            raise ToolFailed(SECRET_MISSING)
        try:
            return await in_db(secret_reveal, secret_id=self.secret_id, url=self.settings.origin, organization_id=self.organization_id)
        except SecretUnusable as error:
            raise ToolFailed(SECRET_MISSING) from error


@dataclass(frozen=True, slots=True)
class HttpTool:
    """Implements `Tool`."""

    caller: HttpToolClient
    definition: ToolDefinition
    traits: ToolTraits

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        return ToolOutcome(await self.caller.answer(request_of(self.caller.settings, arguments)))


def _secret_url(settings: HttpSettings) -> str:
    return settings.origin if settings.secret_header else ""


@dataclass(frozen=True, slots=True)
class HttpKind:
    """Implements `SourceKind`."""

    name: str = "http"
    label: str = _("HTTP endpoint")
    help_text: str = _("One request to your own or another server, made from the arguments of the call.")
    settings: type[HttpSettings] = HttpSettings
    secret_url: Callable[[Any], str] | None = _secret_url
    reads: Reads = PRIVATE_AND_UNTRUSTED

    async def load(self, source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
        settings = HttpSettings.model_validate(source.settings)
        if not is_allowed(source, source.name):
            return LoadedTools()
        definition = ToolDefinition(tool_name(source, source.name), settings.description, settings.arguments_schema)
        caller = HttpToolClient(source.name, settings, source.secret_id, build.run.organization_id, build.run.placeholders)
        return LoadedTools((HttpTool(caller, definition, with_source_options(source, http_traits(settings), name=source.name)),))


def http_traits(settings: HttpSettings) -> ToolTraits:
    """Return the traits. A GET changes nothing and can be repeated."""
    is_get = settings.method == "GET"
    return ToolTraits(
        repeatable=is_get,
        danger=Danger.SAFE if is_get else Danger.MODERATE,
        timeout_s=settings.timeout_s + 5.0,
        reads=PRIVATE_AND_UNTRUSTED,
        sends=True,
        destination=fixed_destination(settings.origin),
    )
