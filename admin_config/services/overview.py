"""What the overview of an organization's admin says of its configuration: what is live, what waits for an admin, and what is broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext

from admin_config.defaults.platform import PROVIDERS
from admin_config.models import AppSettings, ProviderEndpoint, Release, ToolSource
from admin_config.services.breakers import BreakerState, BreakerStatus, breaker_statuses
from admin_config.services.changes.draft_authors import DraftAuthor, draft_authors, draft_changes
from admin_config.services.own_keys import NO_KEY, key_state
from admin_config.services.tool_review import pending_changes


@dataclass(frozen=True)
class Review:
    """A tool source whose server offers other tools than were accepted."""

    source: ToolSource
    changes: int


@dataclass(frozen=True)
class Breaker:
    """An endpoint that is not asked, or only on trial, after failures."""

    endpoint: ProviderEndpoint
    status: BreakerStatus


@dataclass(frozen=True)
class Overview:
    """Facts of the overview page. `key` is that of the active provider; `draft`: who has changes that are not published."""

    provider: str
    key: str
    publish_on_save: bool
    live: Release | None
    draft: Sequence[DraftAuthor]
    reviews: Sequence[Review]
    breakers: Sequence[Breaker]


def overview_load(current: AppSettings | None) -> Overview:
    """Return the overview of the organization with these settings. Five statements, and one question to Redis.

    Raises AppSettings.DoesNotExist before it was seeded.
    """
    if current is None:
        raise AppSettings.DoesNotExist
    endpoints = list(ProviderEndpoint.objects.filter(is_enabled=True).order_by("provider", "priority", "name", "id"))
    return Overview(
        provider=PROVIDERS[current.active_provider].label,
        key=_key_state(current.active_provider, endpoints),
        publish_on_save=current.publish_on_save,
        live=current.live_release,
        draft=draft_authors(draft_changes()),
        reviews=_reviews(),
        breakers=_breakers(current.organization_id, endpoints),
    )


def _reviews() -> list[Review]:
    sources = ToolSource.objects.filter(pins__found__isnull=False).order_by("name")
    return [Review(source, len(changes)) for source in sources if (changes := pending_changes(source.pins))]


def _breakers(organization_id: UUID, endpoints: Sequence[ProviderEndpoint]) -> list[Breaker]:
    statuses = breaker_statuses(organization_id=organization_id, endpoint_ids=[endpoint.pk for endpoint in endpoints])
    breakers = [Breaker(endpoint, statuses[endpoint.pk]) for endpoint in endpoints if endpoint.pk in statuses]
    return [breaker for breaker in breakers if breaker.status.state != BreakerState.CLOSED]


def _key_state(provider: str, endpoints: Sequence[ProviderEndpoint]) -> str:
    """Return which key is used first. One that is missing counts only if no other endpoint has one."""
    words = [key_state(row) for row in endpoints if row.provider == provider]
    return next((word for word in words if word != NO_KEY), NO_KEY if PROVIDERS[provider].needs_key else gettext("not needed"))
