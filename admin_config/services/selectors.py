"""Reads of releases. A release never changes, so loaded ones are cached."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache
from threading import Lock
from typing import Final
from uuid import UUID

from cachetools import LRUCache
from django.conf import settings

from admin_config.errors import NothingPublished, Problem
from admin_config.models import APPROVAL_DAYS, DELETED_KEPT_DAYS, AppSettings, Release
from admin_config.release import ReleaseSnapshot
from admin_config.services.canary.choice import release_of_sql
from admin_config.services.drafts.draft import Draft, draft_compose, draft_load, draft_problems
from admin_config.validation.text_lists import parse_names
from tenants.context import current_organization_id
from tenants.postgres.prepared_statements import read_rows

MAX_CACHED_RELEASES = 1024
_RELEASE_OF: Final = f"SELECT {release_of_sql('%(organization)s', '%(membership)s::uuid')}"


@dataclass(frozen=True)
class LoadedRelease:
    """A release with its parsed content."""

    id: UUID
    number: int
    snapshot: ReleaseSnapshot
    is_trial: bool = False  # never live: what an admin tries (admin_config.services.trials)


@dataclass(frozen=True)
class DraftState:
    """The draft compared with the live release."""

    live_number: int | None
    differs: bool
    problems: list[Problem]  # what prevents the draft from being published


def live_release(*, organization_id: UUID, membership_id: UUID | None = None) -> LoadedRelease:
    """Return the release that the member's new runs start with, which may be a canary. One query, or two for a release that this process
    has not loaded yet.

    `membership_id`: None for work that belongs to no member; it gets the live release. Needs the organization's `tenant_tx`. Raises
    NothingPublished.
    """
    rows = read_rows(_RELEASE_OF, {"organization": organization_id, "membership": membership_id})
    return live_release_load(rows[0][0])


def live_release_load(release_id: UUID | None) -> LoadedRelease:
    """Return the current organization's release, and remember it as the live one. `release_id`: as just read. Raises NothingPublished."""
    if release_id is None:
        raise NothingPublished
    release = release_load(release_id)
    with _live_lock:
        _live_cache[current_organization_id()] = release
    return release


def cached_live_release(organization_id: UUID) -> LoadedRelease | None:
    """Return the release that this process last found live, for preparations; it may be outdated. No query."""
    with _live_lock:
        return _live_cache.get(organization_id)


_live_cache: LRUCache[UUID, LoadedRelease] = LRUCache(MAX_CACHED_RELEASES)
_live_lock = Lock()


def approval_wait() -> timedelta:
    """Return how long an agent's approval request waits in the current organization. One query; not part of a release."""
    days = AppSettings.objects.values_list("approval_days", flat=True).first()
    return timedelta(days=days or APPROVAL_DAYS)


@dataclass(frozen=True, slots=True)
class StoragePolicy:
    """What the organization decided about stored files; None: the platform's limit."""

    member_storage_mb: int | None = None
    member_files: int | None = None
    organization_storage_mb: int | None = None
    organization_files: int | None = None
    retention_days: int = DELETED_KEPT_DAYS

    def limits(self) -> dict[str, int | None]:
        return {name: getattr(self, name) for name in STORAGE_LIMITS}


STORAGE_LIMITS: Final = ("member_storage_mb", "member_files", "organization_storage_mb", "organization_files")


def storage_policy() -> StoragePolicy:
    """Return the current organization's policy. One query; not part of a release."""
    values = AppSettings.objects.values(*STORAGE_LIMITS, "retention_days").first()
    return StoragePolicy(**values) if values else StoragePolicy()


def deleted_kept_days() -> int:
    """Return for how many days the current organization keeps what its members deleted. One query; not part of a release."""
    return AppSettings.objects.values_list("retention_days", flat=True).first() or DELETED_KEPT_DAYS


def never_hosts() -> tuple[str, ...]:
    """Return the patterns of hosts that the current organization never calls. One query; not part of a release."""
    return parse_names(AppSettings.objects.values_list("never_hosts", flat=True).first() or "")


def release_load(release_id: UUID) -> LoadedRelease:
    """Return the release of the current organization; no query if this process has loaded it before. Raises Release.DoesNotExist."""
    return _load(current_organization_id(), release_id, settings.DEMO_PROVIDER_URL)


def release_content(release_id: UUID) -> ReleaseSnapshot:
    """Return what the release of the current organization holds, without this machine's demo address. One query.

    Raises Release.DoesNotExist. The content is not cached: a cache saved a page of the draft only 7 % (6.6 of 97 ms of CPU).
    """
    return _read(current_organization_id(), release_id).snapshot


def draft_state(draft: Draft | None = None) -> DraftState:
    """Return the current organization's draft compared with its live release. `draft`: where the caller has loaded it already."""
    draft = draft or draft_load()
    live = release_load(draft.settings.live_release_id) if draft.settings.live_release_id else None
    snapshot = draft_compose(draft).with_demo_url(settings.DEMO_PROVIDER_URL)
    return DraftState(
        live_number=live.number if live else None,
        differs=live is None or live.snapshot.content_hash() != snapshot.content_hash(),
        problems=draft_problems(draft),
    )


@lru_cache(maxsize=MAX_CACHED_RELEASES)
def _load(organization_id: UUID, release_id: UUID, demo_url: str) -> LoadedRelease:
    """Load a release. The organization is part of the cache key: another organization's id finds nothing, cached or not (SECURITY 32)."""
    release = _read(organization_id, release_id)
    return replace(release, snapshot=release.snapshot.with_demo_url(demo_url))


def _read(organization_id: UUID, release_id: UUID) -> LoadedRelease:
    row = Release.objects.get(organization_id=organization_id, id=release_id)
    return LoadedRelease(row.id, row.number, ReleaseSnapshot.model_validate(row.content), row.is_trial)
