"""HTTP tools (SPEC 4.10): one request to one host, made from the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from admin_config.release import ToolSourceSnapshot
from agents.engine.errors import ToolFailed
from agents.engine.messages import ToolDefinition
from agents.engine.ports import Danger, ToolContext, ToolOutcome, ToolTraits
from agents.masking import restored
from agents.run_context import RunContext
from agents.tool_sources.base import LoadedTools, ToolBuild
from agents.tool_sources.http_request import HttpRequest, hiding, request_of, sent, with_secret
from agents.tool_sources.http_settings import HttpSettings
from agents.tool_sources.traits import is_allowed, tool_name, traits_for
from security.errors import SecretUnusable
from security.secret_text import SecretText
from security.services import secret_reveal
from tenants.db import in_db

SECRET_MISSING = "This tool's secret is missing or was entered for another address. An administrator has to enter it again."  # noqa: S105


@dataclass(frozen=True, slots=True)
class HttpTool:
    """Implements `Tool`. Secrets are put in after the request was made of the arguments, into headers and body alone."""

    source: ToolSourceSnapshot
    settings: HttpSettings
    run_context: RunContext
    definition: ToolDefinition
    traits: ToolTraits

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        request, secret = self._restored(request_of(self.settings, arguments)), await self._secret()
        placeholders = self.run_context.placeholders
        return ToolOutcome(await sent(with_secret(request, self.settings, secret), self.settings, hide=hiding(secret, placeholders.mask)))

    def _restored(self, request: HttpRequest) -> HttpRequest:
        """With the registered secrets of this tool and host (SPEC 3.17)."""
        places = {"tool": self.source.name, "url": request.url}
        headers = restored(dict(request.headers), self.run_context.placeholders, **places)
        return replace(request, headers=headers, body=restored(request.body, self.run_context.placeholders, **places))

    async def _secret(self) -> SecretText | None:
        if not self.settings.secret_header:
            return None
        if self.source.secret_id is None:
            raise ToolFailed(SECRET_MISSING)
        organization_id = self.run_context.organization_id
        try:
            return await in_db(secret_reveal, secret_id=self.source.secret_id, url=self.settings.origin, organization_id=organization_id)
        except SecretUnusable as error:
            raise ToolFailed(SECRET_MISSING) from error


def _secret_url(settings: HttpSettings) -> str:
    return settings.origin if settings.secret_header else ""


@dataclass(frozen=True, slots=True)
class HttpKind:
    """Implements `SourceKind`."""

    name: str = "http"
    label: str = "HTTP endpoint"
    help_text: str = "One request to your own or another server, made from the arguments of the call."
    settings: type[HttpSettings] = HttpSettings
    secret_url: Callable[[Any], str] | None = _secret_url

    async def load(self, source: ToolSourceSnapshot, build: ToolBuild) -> LoadedTools:
        settings = HttpSettings.model_validate(source.settings)
        if not is_allowed(source, source.name):
            return LoadedTools()
        definition = ToolDefinition(tool_name(source, source.name), settings.description, settings.schema)
        return LoadedTools((HttpTool(source, settings, build.run, definition, traits_for(source, http_traits(settings))),))


def http_traits(settings: HttpSettings) -> ToolTraits:
    """A GET changes nothing and can be repeated."""
    reading = settings.method == "GET"
    return ToolTraits(
        repeatable=reading,
        danger=Danger.SAFE if reading else Danger.MODERATE,
        timeout_s=settings.timeout_s + 5.0,
        reads=frozenset({"untrusted"}),
        sends=True,
    )
