"""Publishes releases whose time has come, and tells the admins. Called by `evaluations.tasks` once a minute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from accounts.mail.admin_mails import admins_write
from accounts.mail.message import Mail
from admin_config.models import ScheduledRelease
from admin_config.services.configuration import live_in_place_of
from admin_config.services.scheduling import schedule_publish
from evaluations.canary.notices import new_number_note
from tenants.context import tenant_tx
from tenants.errors import Conflict
from tenants.models import Organization
from tenants.rounds import rows_round


def schedules_publish() -> int:
    """Publish what is due in all organizations; return how many ended. One that fails keeps no other one waiting."""
    return rows_round(_publish, _due(), failure="release_not_published")


def _due() -> Sequence[Mapping[str, Any]]:
    """Return the organizations and ids of what is due, or has ended without mails about it. One query over all organizations."""
    due = ScheduledRelease.unscoped.using("system").filter(is_announced=False, publish_at__lte=timezone.now(), organization__is_active=True)
    return list(due.order_by("publish_at").values("organization_id", schedule_id=F("pk")))


def _publish(organization_id: UUID, schedule_id: UUID) -> int:
    """Publish, then write the mails: also those of a worker that died in between. Return 1."""
    with tenant_tx(organization_id):
        with suppress(Conflict):  # it has ended already, perhaps by a worker whose mails are missing
            schedule_publish(schedule_id=schedule_id)
        schedule = ScheduledRelease.objects.select_related("release__author").get(pk=schedule_id)
        live_number = live_in_place_of(schedule.release).number
    if schedule.is_announced:
        return 1
    admins_write(organization_id, f"schedule:{schedule.pk}", partial(_mail, schedule, live_number))
    with tenant_tx(organization_id):
        ScheduledRelease.objects.filter(pk=schedule_id).update(is_announced=True)
    return 1


def _mail(schedule: ScheduledRelease, live_number: int, organization: Organization) -> Mail:
    """`live_number`: of the release that went live in its place; the same number unless a key was changed."""
    values = {"number": schedule.release.number, "organization": organization.name, "author": schedule.release.author}
    paragraphs: list[str] = []
    if schedule.outcome == ScheduledRelease.Outcome.LIVE:
        paragraphs = new_number_note(schedule.release.number, live_number)
        values["number"] = live_number
        subject = gettext("Release %(number)d of %(organization)s is live for everyone")
        means = gettext("Its time had come. %(author)s had set it.")
    else:
        subject = gettext("Release %(number)d of %(organization)s was not published")
        means = gettext("%(author)s had set its time and is no longer an admin. What was changed is still in the draft.")
    return Mail(
        kind="schedule",
        subject=subject % values,
        paragraphs=[means % values, *paragraphs],
        button=(gettext("Open the releases"), f"{settings.PUBLIC_URL}/o/{organization.slug}/admin/admin_config/release/"),
    )
