"""Releases that go live later: scheduled, cancelled, published. All functions need the organization's `tenant_tx`.

What was reviewed is stored as a release at once, so the draft may go on. Until it is live or cancelled nothing else is published.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import AppSettings, Release, ScheduledRelease
from admin_config.services.configuration import publishable_draft, release_append, stored_release_go_live
from admin_config.services.drafts.draft import DraftChoice, whole_draft
from admin_config.services.settings_lock import settings_lock
from security.audit import audit
from tenants.access import ADMIN_ROLES
from tenants.errors import BadRequest, Conflict
from tenants.models import Membership

MAX_AHEAD: Final = timedelta(days=90)
ALREADY_OVER: Final = gettext_lazy("It has been published or cancelled already.")
Outcome = ScheduledRelease.Outcome


@transaction.atomic
def release_schedule(
    *,
    organization_id: UUID,
    author_id: int,
    note: str,
    expected_hash: str,
    publish_at: datetime,
    override: str = "",
    choose: DraftChoice = whole_draft,
) -> ScheduledRelease:
    """Make a release of the draft that goes live at a time. Switches publish on save off, because saves have to wait for it.

    Locks the organization's settings row. Raises ReleaseInvalid, PublishBlocked, Conflict (the draft has changed) and BadRequest.
    """
    current = settings_lock(organization_id)
    if current.live_release is None:
        raise BadRequest(gettext("Publish a first release at once."))
    if not timezone.now() < publish_at <= timezone.now() + MAX_AHEAD:
        raise BadRequest(gettext("Choose a time within the next %(days)s days.") % {"days": MAX_AHEAD.days})
    snapshot, detail, _ = publishable_draft(current, expected_hash=expected_hash, override=override, author_id=author_id, choose=choose)
    if snapshot.content_hash() == current.live_release.content_hash:
        raise BadRequest(gettext("The draft doesn't differ from the live release."))
    release = release_append(snapshot, author_id=author_id, note=note)
    schedule = ScheduledRelease.objects.create(release=release, publish_at=publish_at)
    AppSettings.objects.filter(pk=current.pk).update(publish_on_save=False)
    _audit(schedule, author_id, "release.schedule", {"publish_at": publish_at.isoformat(), **detail})
    return schedule


@transaction.atomic
def schedule_cancel(*, schedule_id: UUID, author_id: int | None, reason: str = "") -> ScheduledRelease:
    """Don't publish it. What was changed stays in the draft. Raises Conflict when it has ended, and ScheduledRelease.DoesNotExist."""
    schedule, _ = _open(schedule_id)
    _audit(schedule, author_id, "release.unschedule", {"reason": reason})
    return _end(schedule, Outcome.CANCELLED, reason=reason, is_announced=True)


@transaction.atomic
def schedule_publish(*, schedule_id: UUID, author_id: int | None = None) -> ScheduledRelease:
    """Make the release live: by an admin before its time, or by itself if whoever set the time is still an admin.

    Raises Conflict when it has ended, and ScheduledRelease.DoesNotExist.
    """
    schedule, current = _open(schedule_id)
    release = schedule.release
    if author_id is None and not _may_publish(release):
        reason = f"{release.author} is no longer an admin."
        _audit(schedule, None, "release.unschedule", {"reason": reason})
        return _end(schedule, Outcome.REFUSED, reason=reason)
    detail = {"scheduled": schedule.publish_at.isoformat()}
    stored_release_go_live(current, release, author_id=author_id or release.author_id, detail=detail)
    return _end(schedule, Outcome.LIVE, is_announced=author_id is not None)


def _may_publish(release: Release) -> bool:
    author = release.author
    if author is None or not author.is_active:
        return False
    return Membership.objects.filter(user=author, role__in=ADMIN_ROLES, is_active=True).exists()


def open_schedule() -> ScheduledRelease | None:
    """Return the organization's release that is to go live later. One query."""
    return ScheduledRelease.objects.select_related("release__author").defer("release__content").filter(ended_at=None).first()


def _open(schedule_id: UUID) -> tuple[ScheduledRelease, AppSettings]:
    """Lock the settings row, then return the schedule. Raises Conflict when it has ended."""
    organization_id = ScheduledRelease.objects.values_list("organization_id", flat=True).get(pk=schedule_id)
    current = settings_lock(organization_id)
    schedule = ScheduledRelease.objects.select_related("release__author").get(pk=schedule_id)
    if schedule.ended_at is not None:
        raise Conflict(ALREADY_OVER)
    return schedule, current


def _end(
    schedule: ScheduledRelease, outcome: ScheduledRelease.Outcome, *, reason: str = "", is_announced: bool = False
) -> ScheduledRelease:
    schedule.outcome, schedule.ended_at, schedule.reason, schedule.is_announced = outcome, timezone.now(), reason[:300], is_announced
    schedule.save(update_fields=["outcome", "ended_at", "reason", "is_announced"])
    return schedule


def _audit(schedule: ScheduledRelease, author_id: int | None, action: str, detail: dict[str, object]) -> None:
    audit(
        organization_id=schedule.organization_id,
        actor_user_id=author_id,
        action=action,
        object_kind="release",
        object_id=schedule.release_id,
        object_label=f"release {schedule.release.number}",
        detail={"number": schedule.release.number, **detail},
    )
