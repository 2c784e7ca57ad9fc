"""Brings a release of the platform's defaults to the organizations: those that publish on save get a release of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog
from celery import current_app
from django.db.models import Count, Q
from kombu.exceptions import KombuError

from admin_config.errors import PublishBlocked, ReleaseInvalid
from admin_config.models import AppSettings, PlatformRelease
from admin_config.models.platform import defaults_of, platform_defaults
from admin_config.release import ReleaseSnapshot
from admin_config.services.agents.bases import defaults_attach
from admin_config.services.configuration import release_publish
from admin_config.services.drafts.draft import draft_compose, draft_load
from admin_config.services.drafts.draft_hashes import settings_hash
from admin_config.services.replaced_secrets import with_current_keys
from admin_config.services.settings_lock import settings_lock
from tenants.context import tenant_tx

log = structlog.get_logger(__name__)

TASK: Final = "admin_config.tasks.platform_defaults_roll_out"
RELEASE_NOTE: Final = "Platform defaults, release {number}"


@dataclass(frozen=True, slots=True)
class Rollout:
    """How many organizations a release of the platform was brought to."""

    all: int
    reached: int
    by_hand: int  # of all: those that publish themselves, in whose draft it is


def rollout_start() -> None:
    """Have a worker bring the newest release to the organizations. While the broker is down this is only logged: a job looks every minute."""
    try:
        current_app.send_task(TASK, expires=60, retry=False)
    except (KombuError, OSError) as error:
        log.warning("platform_defaults_not_queued", reason=type(error).__name__)


def organizations_behind() -> Iterator[UUID]:
    """Yield the organizations that the newest release was not brought to. Two queries, as the system role."""
    number = PlatformRelease.objects.using("system").values_list("number", flat=True).first() or 0
    behind = AppSettings.unscoped.using("system").exclude(live_release=None).filter(platform_number__lt=number)
    yield from behind.order_by("organization_id").values_list("organization_id", flat=True)


def organization_roll_out(organization_id: UUID) -> bool:
    """Give the organization a release with the newest defaults; return whether they were brought to it. Opens its own transaction.

    They stay in the draft of one that publishes itself or has unpublished work in its draft, which this must not publish. False while
    checks hold publishing up, or the organization's own values are invalid with them: it is tried again.
    """
    with tenant_tx(organization_id):
        current, newest = settings_lock(organization_id), platform_defaults()
        try:
            if current.publish_on_save and not _has_unpublished_work(current):
                release_publish(organization_id=organization_id, note=RELEASE_NOTE.format(number=newest.number))
        except PublishBlocked:
            return False
        except ReleaseInvalid as error:
            log.warning("platform_defaults_not_published", organization_id=str(organization_id), number=newest.number, reason=str(error))
            return False
        AppSettings.objects.filter(organization_id=organization_id).update(platform_number=newest.number)
        return True


def _has_unpublished_work(current: AppSettings) -> bool:
    """Return whether the organization has changed its draft since the live release was made.

    It has not when its rows are the same; a draft that differs all the same does so by the code's defaults, which a deploy changed. Rows
    that were changed in form alone make the same release with the defaults that were brought to the organization before.
    """
    former = PlatformRelease.objects.filter(number=current.platform_number).values_list("number", "content").first() or (0, {})
    draft, live = draft_load(), current.live_release
    assert live is not None
    if current.published_values and settings_hash(draft) == current.published_values:
        return False
    live_hash = with_current_keys(ReleaseSnapshot.model_validate(live.content)).content_hash()
    defaults_attach((*draft.agents, *draft.bases), defaults_of(*former))
    return draft_compose(draft).content_hash() != live_hash


def rollout_of(number: int) -> Rollout:
    """Return how far a release has come. One query, as the system role."""
    counts = AppSettings.unscoped.using("system").aggregate(
        all=Count("pk"),
        reached=Count("pk", filter=Q(platform_number__gte=number)),
        by_hand=Count("pk", filter=Q(publish_on_save=False)),
    )
    return Rollout(**counts)
