"""Secrets that people register for tools (SPEC 3.17). A model only ever sees their placeholders (agents.runtime.masking)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet

from security.errors import SecretUnusable
from security.models import RegisteredSecret
from security.secret_text import SecretText
from security.services import secret_check, secret_create, secret_delete, secret_open
from tenants.access import Actor
from tenants.context import current_organization_id
from tenants.errors import BadRequest, NotFound
from tenants.postgres.prepared_select import BoundSelect, PreparedSelect

logger = logging.getLogger(__name__)

MIN_SECRET_LENGTH = 8  # a shorter value would be found in words and numbers that are not the secret
MAX_SECRETS = 50  # of an organization, and of each member


@dataclass(frozen=True, slots=True)
class OpenedSecret:
    """`placeholder`: the name that stands for it. `tool` may send it to `origin`."""

    placeholder: str
    value: SecretText
    tool: str
    origin: str


def registered_value_check(*, name: str, value: str) -> None:
    """Raises BadRequest for a value that can't be told from other text."""
    value = value.strip()
    if len(value) < MIN_SECRET_LENGTH:
        raise BadRequest(
            f"A secret needs at least {MIN_SECRET_LENGTH} characters: a shorter one would be found in text that is not the secret."
        )
    if value in "{{secret:" + RegisteredSecret.MEMBER_PREFIX + name + "}}":
        raise BadRequest("A secret must not be part of its own name.")


def registered_secret_save(*, registered: RegisteredSecret, value: str, url: str, actor_user_id: int | None = None) -> None:
    """Save the row with a newly sealed value for the origin of `url`; an older value is deleted.

    Needs the organization's `tenant_tx`; both are in the audit log. Raises BadRequest (a value that is no secret, a name that is taken, too
    many secrets) and EgressRefused.
    """
    _check_names(registered)
    registered_value_check(name=registered.name, value=value)
    secret_check(value=value, url=url)
    _check_quota(registered)
    old_id = registered.secret_id
    registered.secret = secret_create(
        organization_id=current_organization_id(),
        value=value,
        url=url,
        purpose=f"secret of {registered.tool}"[:60],
        actor_user_id=actor_user_id,
    )
    registered.save()
    secret_delete(secret_id=old_id, actor_user_id=actor_user_id)


def registered_secret_delete(*, registered: RegisteredSecret, actor_user_id: int | None = None) -> None:
    """Delete the row with its value; the deletion is in the audit log. Needs the organization's `tenant_tx`."""
    secret_delete(secret_id=registered.secret_id, actor_user_id=actor_user_id)


def registered_secrets_of_member(*, actor: Actor) -> QuerySet[RegisteredSecret]:
    """The actor's own ones by name, with their sealed values; nobody else's, not even the organization's."""
    own = RegisteredSecret.objects.filter(membership_id=actor.membership_id)
    return own.select_related("secret").order_by("name")


def registered_secret_get_for_member(*, secret_id: UUID, actor: Actor) -> RegisteredSecret:
    """One of the actor's own; raises NotFound alike for missing and foreign ones."""
    row = registered_secrets_of_member(actor=actor).filter(id=secret_id).first()
    if row is None:
        raise NotFound
    return row


def registered_secrets_open(*, membership_id: UUID | None) -> list[OpenedSecret]:
    """The secrets of the current organization and of this member, the member's first. One query.

    One that no longer opens is left out and logged: its owner has to enter it again.
    """
    rows = _SHARED.rows() if membership_id is None else _REACHABLE.rows(membership_id=membership_id)
    return [opened for row in rows if (opened := _open_or_none(row)) is not None]


def registered_secrets_select(membership_id: UUID) -> BoundSelect[RegisteredSecret]:
    """What `registered_secrets_open` asks the database."""
    return _REACHABLE.bind(membership_id=membership_id)


def _ordered_secrets(reachable: Q) -> QuerySet[RegisteredSecret]:
    return RegisteredSecret.objects.filter(reachable).select_related("secret").order_by("membership_id", "name")


_SHARED = PreparedSelect(lambda: _ordered_secrets(Q(membership=None)))
_REACHABLE = PreparedSelect(lambda *, membership_id: _ordered_secrets(Q(membership=None) | Q(membership_id=membership_id)))


def _open_or_none(row: RegisteredSecret) -> OpenedSecret | None:
    try:
        return OpenedSecret(row.placeholder, secret_open(row.secret), row.tool, row.secret.bound_origin)
    except SecretUnusable:
        logger.warning("The registered secret %s no longer opens, so it is not masked.", row.pk)
        return None


def _check_names(registered: RegisteredSecret) -> None:
    try:
        registered.clean_fields(exclude={"secret"})
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error


def _check_quota(registered: RegisteredSecret) -> None:
    others = RegisteredSecret.objects.filter(membership=registered.membership).exclude(id=registered.id)
    if others.filter(name=registered.name).exists():
        raise BadRequest(f"There is already a secret named {registered.name}.")
    if others.count() >= MAX_SECRETS:
        raise BadRequest(f"There are {MAX_SECRETS} secrets already. Delete one that is no longer used.")
