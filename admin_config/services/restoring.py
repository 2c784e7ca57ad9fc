"""Makes an older release live again, which also ends a canary."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import Canary, Release, ScheduledRelease
from admin_config.release import ReleaseSnapshot
from admin_config.services.canary.lifecycle import End, canary_take_back, open_canary
from admin_config.services.changes.draft_authors import KEPT_DRAFT
from admin_config.services.configuration import release_go_live
from admin_config.services.drafts.draft import draft_compose, draft_load
from admin_config.services.replaced_secrets import with_current_keys
from admin_config.services.scheduling import open_schedule, schedule_cancel
from admin_config.services.settings_lock import settings_lock
from tenants.errors import BadRequest

RESTORED = gettext_lazy("An older release was restored.")


@transaction.atomic
def release_restore(*, organization_id: UUID, release_id: UUID, author_id: int | None = None, kept_draft: bool = False) -> Release:
    """Make an older release's content live again, as a new release, with the keys that the endpoints hold today.

    If the draft differs from the restored release, publish on save is switched off, because the next save would undo the restore.
    `kept_draft`: the draft holds unpublished work, which this goes around. Checks are not asked, and a canary ends: this is the way out when
    something is wrong. Raises Release.DoesNotExist, and BadRequest for one that was never live for everybody.
    """
    current = settings_lock(organization_id)
    canaries = Canary.objects.filter(release=release_id).exclude(outcome=Canary.Outcome.PROMOTED)
    if canaries.exists() or ScheduledRelease.objects.filter(release=release_id).exclude(outcome=ScheduledRelease.Outcome.LIVE).exists():
        raise BadRequest(gettext("This release was never live for everyone. Load it into the draft and publish that."))
    if canary := open_canary():
        canary_take_back(canary_id=canary.pk, end=End(reason=str(RESTORED), author_id=author_id))
    if schedule := open_schedule():
        schedule_cancel(schedule_id=schedule.pk, author_id=author_id, reason=str(RESTORED))
    old = Release.objects.get(id=release_id, is_trial=False)
    snapshot = with_current_keys(ReleaseSnapshot.model_validate(old.content))
    note, detail = gettext("Restores release %(number)s") % {"number": old.number}, {KEPT_DRAFT: True} if kept_draft else {}
    release = release_go_live(current, snapshot, author_id=author_id, note=note, detail=detail)
    if draft_compose(draft_load()).content_hash() != release.content_hash:
        current.publish_on_save = False
        current.save(update_fields=["publish_on_save"])
    return release
