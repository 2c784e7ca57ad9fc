"""A ZIP of what a member has in one organization: their profile, and what apps say that members own (`OwnedKind.export`).

One organization each: another one may ask for a second factor, or has suspended the member. A worker makes the file, with a transaction
per thing, and notes its progress each second. Somebody has one export at a time, kept for RETENTION.
"""

from __future__ import annotations

import tempfile
import time
import zipfile
from collections.abc import Collection, Iterator
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import orjson
import structlog
from celery import current_app
from django.core.files.base import File
from django.core.files.storage import storages
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone
from kombu.exceptions import OperationalError

from accounts.members.owned_kinds import owned_kinds
from accounts.models import PersonalExport, UserPicture
from security.audit import audit
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tenants.models import ApiToken, GroupMember, Membership, Organization
from tenants.rounds import rows_round

log = structlog.get_logger(__name__)

RETENTION: Final = timedelta(days=7)
SILENCE: Final = timedelta(minutes=30)  # after which a worker is lost; longer than a task may take (CELERY_TASK_TIME_LIMIT)
PROGRESS_S: Final = 1.0

State = PersonalExport.State
ExportedThing = tuple[str, bytes]  # path in the ZIP, content


def export_of(actor: Actor) -> PersonalExport | None:
    """Return the actor's export, if there is one; one whose worker is lost has failed. Needs the organization's `tenant_tx`."""
    row = PersonalExport.objects.filter(membership_id=actor.membership_id).first()
    if row is not None and row.state == State.WAITING and row.progress_at < timezone.now() - SILENCE:
        row.state = State.FAILED
    return row


def export_begin(*, actor: Actor) -> PersonalExport:
    """Let a worker make the actor's export, in place of an older one; one that is being made stays. Needs the organization's `tenant_tx`."""
    Membership.objects.select_for_update(no_key=True).get(organization_id=actor.organization_id, pk=actor.membership_id)
    former = export_of(actor)
    if former is not None and former.state == State.WAITING:
        return former
    if former is not None:
        PersonalExport.objects.filter(pk=former.pk).delete()
        if former.stored_as:  # a store that is away must keep nobody from the new one
            stored_as = former.stored_as
            transaction.on_commit(lambda: storages["files"].delete(stored_as), robust=True)
    row = PersonalExport.objects.create(membership_id=actor.membership_id)
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="data.export",
        object_kind="membership",
        object_id=actor.membership_id,
    )
    transaction.on_commit(lambda: _enqueue(actor.organization_id, row.pk))
    row.refresh_from_db()
    return row


def export_stored_as(*, actor: Actor) -> str:
    """Return the name of the actor's finished file in the storage. Raises NotFound. Needs the organization's `tenant_tx`."""
    row = export_of(actor)
    if row is None or row.state != State.READY:
        raise NotFound
    return row.stored_as


def export_make(*, organization_id: UUID, export_id: UUID) -> int:
    """Make the file of an export that waits; return how many things are in it. Safe to repeat: a second file replaces the first."""
    with tenant_tx(organization_id):
        row = PersonalExport.objects.filter(pk=export_id, state=State.WAITING).first()
    if row is None:
        return 0
    try:
        return _make(row)
    except Exception as error:
        log.exception("personal_export_failed", export_id=str(export_id), error=type(error).__name__)
        _update(row, state=State.FAILED)
        raise


def exports_forget() -> int:
    """Delete exports that are older than RETENTION, of all organizations, with their files; return how many."""
    old = PersonalExport.unscoped.using("system").filter(created_at__lt=timezone.now() - RETENTION)
    rows = [{"organization_id": organization_id, "export_id": pk} for organization_id, pk in old.values_list("organization_id", "pk")]
    return rows_round(_forget, rows, failure="personal_export_not_deleted")


def _forget(organization_id: UUID, export_id: UUID) -> int:
    """The file goes first: while the store keeps it, the row stays and names it for the next time."""
    export_bytes_delete(organization_id, [export_id])
    with tenant_tx(organization_id):
        return PersonalExport.objects.filter(pk=export_id).delete()[0]


def export_bytes_delete(organization_id: UUID, export_ids: Collection[UUID]) -> None:
    """Delete the files of rows that are about to be deleted (tenants.deletion)."""
    rows = PersonalExport.unscoped.using("system").filter(organization_id=organization_id, pk__in=export_ids)
    for name in rows.exclude(stored_as="").values_list("stored_as", flat=True):
        storages["files"].delete(name)


def member_things(organization_id: UUID, membership_id: UUID) -> Iterator[ExportedThing]:
    """Yield path and content of each thing of a member. Opens its own transactions."""
    with tenant_tx(organization_id):
        member = Membership.objects.select_related("user").get(organization_id=organization_id, pk=membership_id)
        picture = UserPicture.objects.filter(user_id=member.user_id).first()
        profile = _profile(member)
    yield "profile.json", orjson.dumps(profile, option=orjson.OPT_INDENT_2)
    if picture is not None:
        yield "picture.png", bytes(picture.content)
    for kind in owned_kinds():
        if kind.export is not None:
            yield from kind.export(organization_id, membership_id)


def _make(row: PersonalExport) -> int:
    with tenant_tx(row.organization_id):
        total = sum(kind.count(row.membership_id) for kind in owned_kinds() if kind.export)
    with tempfile.TemporaryFile() as archive_file:
        done, noted_at = 0, 0.0
        with zipfile.ZipFile(archive_file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in member_things(row.organization_id, row.membership_id):
                archive.writestr(path, content)
                done += 1
                if time.monotonic() - noted_at > PROGRESS_S:
                    noted_at = time.monotonic()
                    _update(row, done=min(done, total), total=total)
        size = archive_file.tell()
        archive_file.seek(0)
        name = storages["files"].save(f"exports/{row.organization_id}/{row.pk}.zip", File(archive_file))
    if not _update(row, state=State.READY, done=total, total=total, size_bytes=size, stored_as=name):
        storages["files"].delete(name)  # the row has gone meanwhile
    log.info("personal_export_made", export_id=str(row.pk), things=done, size_bytes=size)
    return done


def _profile(member: Membership) -> dict[str, Any]:
    user = member.user
    tokens = ApiToken.objects.filter(membership_id=member.pk).order_by("created_at")
    groups = GroupMember.objects.filter(membership_id=member.pk).order_by("group__name")
    return {
        "name": user.name,
        "email": user.email,
        "timeZone": user.time_zone,
        "language": user.language,
        "accountSince": user.created_at,
        "organization": Organization.objects.values_list("name", flat=True).get(pk=member.organization_id),
        "role": member.role,
        "memberSince": member.created_at,
        "groups": list(groups.values_list("group__name", flat=True)),
        "preferences": member.preferences,
        "defaultAssistant": member.default_assistant,
        "commentMails": member.comment_mails,
        "showsCost": member.shows_cost,
        "codeLigatures": member.code_ligatures,
        "apiTokens": [
            {"name": token.name, "scopes": token.scopes, "createdAt": token.created_at, "lastUsedAt": token.last_used_at}
            for token in tokens
        ],
    }


def _update(row: PersonalExport, **values: Any) -> int:
    with tenant_tx(row.organization_id):
        return PersonalExport.objects.filter(pk=row.pk, state=State.WAITING).update(progress_at=Now(), **values)


def _enqueue(organization_id: UUID, export_id: UUID) -> None:
    """Tell a worker. While the broker is away the export fails by itself, and can be begun again."""
    try:
        current_app.send_task(
            "accounts.tasks.personal_export_make", (str(organization_id), str(export_id)), expires=SILENCE.total_seconds(), retry=False
        )
    except OperationalError as error:
        log.warning("personal_export_not_queued", export_id=str(export_id), reason=type(error).__name__)
        with tenant_tx(organization_id):
            PersonalExport.objects.filter(pk=export_id).update(state=State.FAILED)
