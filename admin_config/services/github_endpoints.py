"""The address of an organization's GitHub: GitHub's own MCP server, another one that an admin entered, or the demo's."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings as django_settings

from admin_config.defaults.github import GITHUB, GITHUB_DEMO_PATH, GITHUB_LABEL, GITHUB_URL
from admin_config.defaults.platform import is_demo
from admin_config.release import EndpointSnapshot, ReleaseSnapshot, ToolSourceSnapshot


def github_source(snapshot: ReleaseSnapshot) -> ToolSourceSnapshot | None:
    """Return the organization's first GitHub tool source by name, or None if there is none or it is disabled."""
    return next((source for source in snapshot.tool_sources if source.kind == GITHUB), None)


def github_endpoint(snapshot: ReleaseSnapshot) -> EndpointSnapshot | None:
    """Return the endpoint that members' tokens are sent to, or None."""
    source = github_source(snapshot)
    return source_endpoint(source.id, source.settings) if source else None


def source_endpoint(source_id: UUID, settings: dict[str, Any]) -> EndpointSnapshot:
    """Return a source's address as an endpoint, the form in which keys are looked up. It has no key of the organization."""
    return EndpointSnapshot(
        id=source_id,
        provider=GITHUB,
        name=GITHUB_LABEL,
        base_url=str(settings.get("url") or GITHUB_URL),
        api_version="",
        secret_id=None,
        priority=1,
        timeout_s=30,
    )


def demo_url(provider: str) -> str:
    """Return the URL of the demo's GitHub for agents of the demo; empty for other agents and where no demo runs."""
    url: str = django_settings.DEMO_PROVIDER_URL
    return url.rstrip("/") + GITHUB_DEMO_PATH if url and is_demo(provider) else ""
