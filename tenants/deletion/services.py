"""Services that delete for good. They work as the role `system`, and as `auth` on users and organizations themselves, in transactions of at most BATCH rows, and can be repeated.

An interrupted deletion leaves less than before and is finished by calling it again: rows go before those that lead to them.
Backups keep what they have (docs/operations.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

import structlog
from django.apps import apps
from django.db import IntegrityError, models

from tenants.deletion.graph import BATCH, ForeignKey, Model, batches, dependent_rows, in_order, keys_to_clear, rows_of, tenant_tables
from tenants.deletion.registry import REGISTRY, Sweep
from tenants.errors import Conflict
from tenants.models import Membership, Organization, Session, User
from tenants.redis.access_notices import access_notice_send

log = structlog.get_logger(__name__)

MAX_ATTEMPTS = 5  # at rows that somebody still adds to
MAX_LEFT = 20  # rows that can't be deleted; with more of them, the storage as a whole counts as away
NAME_OF_DELETED = "Deleted organization"


class LastOwner(Conflict):
    """The user is the only owner of an organization."""

    code = "last_owner"

    def __init__(self, names: Collection[str]) -> None:
        organizations = ", ".join(sorted(names))
        super().__init__(f"This is the only owner of {organizations}. Make somebody else an owner there, or delete the organization first.")


@dataclass(slots=True)
class DeletionReport:
    """What went: rows by table (`chat.Part`), and things outside of the database by name (`files`).

    `left`: rows that could not be deleted, with the reason. They are not tried again with this report.
    """

    counts: Counter[str] = field(default_factory=Counter)
    left: dict[UUID, str] = field(default_factory=dict)

    def add(self, counts: dict[str, int]) -> None:
        self.counts.update({name: count for name, count in counts.items() if count})

    def as_dict(self) -> dict[str, int]:
        return dict(sorted(self.counts.items()))

    def log_left(self, organization_id: UUID) -> None:
        """Log once, for all rows that stay, that something could not be deleted."""
        if self.left:
            ids, reason = [str(row_id) for row_id in self.left], next(iter(self.left.values()))
            log.error("rows_not_deleted", organization_id=str(organization_id), ids=ids, reason=reason)


def rows_delete(model: Model, ids: Collection[UUID], *, organization_id: UUID, report: DeletionReport) -> None:
    """Delete the organization's rows with everything that hangs on them. Rows of other organizations are not touched."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        dependents = dependent_rows(model, _existing_ids(model, ids, organization_id), organization_id)
        try:
            _delete_dependents(dependents, organization_id, report)
            return
        except IntegrityError:  # somebody has added to them meanwhile
            if attempt == MAX_ATTEMPTS:
                raise


def rows_delete_or_leave(model: Model, ids: Collection[UUID], *, organization_id: UUID, report: DeletionReport) -> None:
    """Like `rows_delete`, but rows of which the storage keeps a file are noted in the report and hold up no others.

    Raises OSError when that are too many.
    """
    try:
        rows_delete(model, ids, organization_id=organization_id, report=report)
    except OSError as error:
        if len(report.left) > MAX_LEFT:
            raise
        if len(ids) == 1:
            [row_id] = ids
            report.left.setdefault(row_id, str(error))
            return
        for row_id in ids:
            rows_delete_or_leave(model, [row_id], organization_id=organization_id, report=report)


def organization_delete(organization_id: UUID) -> DeletionReport:
    """Delete everything that an organization has, and its name. Its members' accounts stay, and so do the audit events, which hold ids.

    The organization's row stays without its name, because the audit events refer to it. Nobody can sign in to it from the first moment.
    """
    Organization.objects.using("auth").filter(pk=organization_id).update(is_active=False)
    report = DeletionReport()
    tables = [model for model in tenant_tables() if model._meta.label not in REGISTRY.exempt_tables]
    for model in tables:
        _clear_keys(model, organization_id)
    for model in in_order(tables):
        while ids := list(rows_of(model, organization_id).values_list("pk", flat=True)[:BATCH]):
            _delete_batch(model, ids, organization_id, report)
    _sweep((*REGISTRY.sweeps, *REGISTRY.organization_sweeps), organization_id, report)
    blank_values = {"name": NAME_OF_DELETED, "slug": f"deleted-{organization_id}", "policy": _kept_policy(organization_id)}
    report.add({"tenants.Organization": Organization.objects.using("auth").filter(pk=organization_id).update(**blank_values)})
    log.info("organization_deleted", organization_id=str(organization_id), counts=report.as_dict())
    return report


def user_delete(user_id: int) -> DeletionReport:
    """Delete what a user has in all organizations, the memberships, the sessions, and the name and address. Raises LastOwner.

    The user's row stays as a number, because releases and audit events refer to it.
    """
    memberships = list(Membership.objects.using("system").filter(user_id=user_id).select_related("organization"))
    if alone := [each.organization.name for each in memberships if _is_last_owner(each)]:
        raise LastOwner(alone)
    users = User.objects.using("auth").filter(pk=user_id)
    users.update(is_active=False)
    access_notice_send("user", user_id, using="auth")
    report = DeletionReport()
    report.add({"tenants.Session": Session.objects.using("auth").filter(user_id=user_id).delete()[0]})
    for membership in memberships:
        rows_delete(Membership, [membership.pk], organization_id=membership.organization_id, report=report)
        _sweep(REGISTRY.sweeps, membership.organization_id, report)
    for address in users.values_list("email", flat=True):
        for user_sweep in REGISTRY.user_sweeps:
            report.add(user_sweep(user_id, address))
    for relation in _rows_beside(User):
        rows: models.QuerySet[models.Model] = relation.model._base_manager.using("auth").filter(**{relation.name: user_id})  # noqa: SLF001
        report.add(rows.delete()[1])
    blank_values = {"email": f"deleted-{user_id}@deleted.invalid", "name": "", "password": "!", "is_staff": False, "is_superuser": False}
    report.add({"tenants.User": users.update(**blank_values)})
    log.info("user_deleted", user_id=user_id, counts=report.as_dict())
    return report


def unreferenced_delete(organization_id: UUID, report: DeletionReport) -> None:
    """Delete the organization's shared rows that nothing refers to any more."""
    _sweep(REGISTRY.sweeps, organization_id, report)


def _existing_ids(model: Model, ids: Collection[UUID], organization_id: UUID) -> set[UUID]:
    return {pk for batch in batches(ids) for pk in rows_of(model, organization_id).filter(pk__in=batch).values_list("pk", flat=True)}


def _delete_dependents(dependents: dict[Model, set[UUID]], organization_id: UUID, report: DeletionReport) -> None:
    for model in tenant_tables():
        for key in keys_to_clear(model):
            rows = rows_of(model, organization_id)
            for batch in batches(dependents.get(key.related_model, ())):
                rows.filter(**{f"{key.attname}__in": batch}).update(**{key.attname: None})
    for model in in_order(dependents):
        for batch in batches(dependents[model]):
            _delete_batch(model, batch, organization_id, report)


def _delete_batch(model: Model, ids: list[UUID], organization_id: UUID, report: DeletionReport) -> None:
    """Delete the rows. When the storage keeps what one of them has there, delete the others one by one, then raise its OSError."""
    try:
        _delete_at_once(model, ids, organization_id, report)
        return
    except OSError as error:
        if len(ids) == 1:
            report.left[ids[0]] = str(error)
            raise
        storage_error = error
    for row_id in ids:
        with suppress(OSError):
            _delete_batch(model, [row_id], organization_id, report)
        if len(report.left) > MAX_LEFT:
            break
    raise storage_error


def _delete_at_once(model: Model, ids: list[UUID], organization_id: UUID, report: DeletionReport) -> None:
    for before in REGISTRY.before_delete[model._meta.label]:
        before(organization_id, ids)
    rows = rows_of(model, organization_id).filter(pk__in=ids)
    report.add({model._meta.label: rows._raw_delete("system")})  # noqa: SLF001  # what hangs on them is gone already: no search for it


def _clear_keys(model: Model, organization_id: UUID) -> None:
    for key in keys_to_clear(model):
        rows = rows_of(model, organization_id).filter(**{f"{key.attname}__isnull": False})
        while ids := list(rows.values_list("pk", flat=True)[:BATCH]):
            rows_of(model, organization_id).filter(pk__in=ids).update(**{key.attname: None})


def _sweep(sweeps: Iterable[Sweep], organization_id: UUID, report: DeletionReport) -> None:
    for sweep in sweeps:
        report.add(sweep(organization_id))


def _kept_policy(organization_id: UUID) -> dict[str, object]:
    policy = Organization.objects.using("system").values_list("policy", flat=True).get(pk=organization_id)
    return {name: value for name, value in policy.items() if name in REGISTRY.kept_policy}


def _is_last_owner(membership: Membership) -> bool:
    if membership.role != Membership.Role.OWNER or not membership.organization.is_active:
        return False
    others = Membership.objects.using("system").filter(organization_id=membership.organization_id, role=Membership.Role.OWNER)
    return not others.exclude(pk=membership.pk).filter(user__is_active=True).exists()


def _rows_beside(model: Model) -> list[ForeignKey]:
    """Return the keys of platform tables, such as addresses and authenticators, whose rows go with the row that they refer to."""
    tables = tenant_tables()
    others = [other for other in apps.get_models(include_auto_created=True) if other not in tables]
    keys = [field for other in others for field in other._meta.local_fields if isinstance(field, models.ForeignKey)]
    return [key for key in keys if key.related_model is model and key.remote_field.on_delete is models.CASCADE]
