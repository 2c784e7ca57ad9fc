"""Begins a canary, promotes it, takes it back. All functions need the organization's `tenant_tx`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import AppSettings, Canary
from admin_config.models.canaries import reason_text
from admin_config.services.canary.choice import is_in_canary_sql
from admin_config.services.configuration import publishable_draft, release_append, stored_release_go_live
from admin_config.services.drafts.draft import DraftChoice, whole_draft
from admin_config.services.settings_lock import settings_lock
from security.audit import audit
from tenants.errors import BadRequest, Conflict
from tenants.models import MemberGroup

ALREADY_OVER = gettext_lazy("This canary has ended already.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Who gets a canary: a share of the members in per cent, or a group."""

    percent: int | None = None
    group_id: UUID | None = None
    rules: Mapping[str, Any] = field(default_factory=dict)  # evaluations.canary.rules


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Why a canary ends. `author_id`: None when its rules end it. `figures`: the measures, as they are kept."""

    reason: str
    values: Mapping[str, str | float] = field(default_factory=dict)  # in the sentence of a rule
    author_id: int | None = None
    figures: Sequence[Mapping[str, Any]] = ()


@transaction.atomic
def canary_start(
    *,
    organization_id: UUID,
    author_id: int,
    note: str,
    expected_hash: str,
    audience: Audience,
    override: str = "",
    choose: DraftChoice = whole_draft,
) -> Canary:
    """Make a release of the draft and give it to some members. Switches publish on save off: the next save would give it to all.

    Locks the organization's settings row. Raises ReleaseInvalid, PublishBlocked, Conflict (the draft has changed) and BadRequest.
    """
    current = settings_lock(organization_id)
    if current.live_release is None:
        raise BadRequest(gettext("Publish a first release to everyone."))
    _check(audience)
    snapshot, detail, _ = publishable_draft(current, expected_hash=expected_hash, override=override, author_id=author_id, choose=choose)
    if snapshot.content_hash() == current.live_release.content_hash:
        raise BadRequest(gettext("The draft doesn't differ from the live release."))
    release = release_append(snapshot, author_id=author_id, note=note)
    canary = Canary.objects.create(
        release=release, base=current.live_release, percent=audience.percent, group_id=audience.group_id, rules=dict(audience.rules)
    )
    AppSettings.objects.filter(pk=current.pk).update(publish_on_save=False)
    _audit(canary, author_id, "release.canary", {"audience": canary.audience, **detail})
    return canary


@transaction.atomic
def canary_promote(*, canary_id: UUID, end: End) -> Canary:
    """Make the canary's release live for everybody, with the keys that the endpoints hold today. Raises Conflict when it has ended."""
    canary, current = _open(canary_id)
    detail = {"canary": canary.release.number, "reason": reason_text(end.reason, end.values)}
    stored_release_go_live(current, canary.release, author_id=end.author_id, detail=detail)
    return _end(canary, Canary.Outcome.PROMOTED, end)


@transaction.atomic
def canary_take_back(*, canary_id: UUID, end: End) -> Canary:
    """Give everybody the live release again. What was changed stays in the draft. Raises Conflict when it has ended."""
    canary, _ = _open(canary_id)
    _audit(canary, end.author_id, "release.take_back", {"reason": reason_text(end.reason, end.values)})
    return _end(canary, Canary.Outcome.TAKEN_BACK, end)


@transaction.atomic
def canary_change(*, canary_id: UUID, audience: Audience, author_id: int) -> Canary:
    """Give it to another share or group, with other rules. A larger share keeps the members of the smaller. Raises Conflict, BadRequest."""
    _check(audience)
    canary, _ = _open(canary_id)
    before, rules_before = canary.audience, canary.rules
    canary.percent, canary.group_id, canary.rules = audience.percent, audience.group_id, dict(audience.rules)
    canary.save(update_fields=["percent", "group", "rules"])
    _audit(
        canary,
        author_id,
        "release.canary_change",
        {"before": before, "audience": canary.audience, "rules_before": rules_before, "rules": canary.rules},
    )
    return canary


def open_canary() -> Canary | None:
    """Return the organization's canary that is under way. One query."""
    return (
        Canary.objects.select_related("release", "base", "group").defer("release__content", "base__content").filter(ended_at=None).first()
    )


def member_counts(canary: Canary) -> tuple[int, int]:
    """Return how many active members get the canary, and how many there are. One query."""
    select = f"""\
SELECT count(*) FILTER (WHERE {is_in_canary_sql("m.id")}), count(*)
FROM admin_config_canary c JOIN tenants_membership m ON m.organization_id = c.organization_id AND m.is_active
WHERE c.organization_id = %s AND c.id = %s"""  # noqa: S608  expressions of our own
    with connection.cursor() as cursor:
        cursor.execute(select, [canary.organization_id, canary.pk])
        inside, members = cursor.fetchone()
    return inside, members


def _open(canary_id: UUID) -> tuple[Canary, AppSettings]:
    """Lock the settings row, then return the canary. Raises Conflict when it has ended, and Canary.DoesNotExist."""
    canary = Canary.objects.select_related("release", "base", "group").get(pk=canary_id)
    current = settings_lock(canary.organization_id)
    if not Canary.objects.filter(Q(pk=canary_id), ended_at=None).exists():
        raise Conflict(ALREADY_OVER)
    return canary, current


def _end(canary: Canary, outcome: Canary.Outcome, end: End) -> Canary:
    canary.outcome, canary.ended_at, canary.by_itself = outcome, timezone.now(), end.author_id is None
    canary.reason, canary.reason_values, canary.figures = end.reason[:300], dict(end.values), list(end.figures)
    canary.save(update_fields=["outcome", "ended_at", "by_itself", "reason", "reason_values", "figures"])
    return canary


def _check(audience: Audience) -> None:
    if (audience.percent is None) == (audience.group_id is None):
        raise BadRequest(gettext("Choose a share of the members, or a group."))
    if audience.percent is not None and not 1 <= audience.percent <= 99:
        raise BadRequest(gettext("The share must be between 1 and 99 %."))
    if audience.group_id is not None and not MemberGroup.objects.filter(pk=audience.group_id).exists():
        raise BadRequest(gettext("This group is not there any more."))


def _audit(canary: Canary, author_id: int | None, action: str, detail: Mapping[str, Any]) -> None:
    audit(
        organization_id=canary.organization_id,
        actor_user_id=author_id,
        action=action,
        object_kind="release",
        object_id=canary.release_id,
        object_label=f"release {canary.release.number}",
        detail={"number": canary.release.number, **detail},
    )
