"""Secrets that people register for tools (SPEC 3.17). Models only see their placeholders (agents.runtime.masking)."""

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

MIN_SECRET_LENGTH = 8  # masking a shorter value would also hit ordinary words and numbers
MAX_SECRETS = 50  # per organization, and per member


@dataclass(frozen=True, slots=True)
class OpenedSecret:
    """A decrypted registered secret."""

    placeholder: str  # the name used in the placeholder
    value: SecretText
    tool: str  # the only tool that may send the value
    origin: str  # the only origin that it may be sent to


def registered_value_check(*, name: str, value: str) -> None:
    """Raise BadRequest for a value that can't be told apart from other text."""
    value = value.strip()
    if len(value) < MIN_SECRET_LENGTH:
        raise BadRequest(
            f"A secret needs at least {MIN_SECRET_LENGTH} characters: a shorter one would be found in text that is not the secret."
        )
    if value in "{{secret:" + RegisteredSecret.MEMBER_PREFIX + name + "}}":
        raise BadRequest("A secret must not be part of its own name.")


def registered_secret_save(*, registered: RegisteredSecret, value: str, url: str, actor_user_id: int | None = None) -> None:
    """Save the row with a newly sealed value for the origin of `url`, and delete an older value.

    Needs the organization's `tenant_tx`. Writes audit events for both. Raises BadRequest (an unusable value, a name that is taken, too many
    secrets) and EgressRefused.
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
    """Delete the row and its value. Writes an audit event. Needs the organization's `tenant_tx`."""
    secret_delete(secret_id=registered.secret_id, actor_user_id=actor_user_id)


def registered_secrets_of_member(*, actor: Actor) -> QuerySet[RegisteredSecret]:
    """Return the actor's own secrets by name, with their sealed values; not those of others, nor the organization's."""
    own = RegisteredSecret.objects.filter(membership_id=actor.membership_id)
    return own.select_related("secret").order_by("name")


def registered_secret_get_for_member(*, secret_id: UUID, actor: Actor) -> RegisteredSecret:
    """Return one of the actor's own secrets. Raises NotFound alike for missing and foreign ones."""
    row = registered_secrets_of_member(actor=actor).filter(id=secret_id).first()
    if row is None:
        raise NotFound
    return row


def registered_secrets_open(*, membership_id: UUID | None) -> list[OpenedSecret]:
    """Return the opened secrets of the current organization and of this member, the member's first. One query.

    Secrets that can't be decrypted are skipped and logged: their owner must enter them again.
    """
    rows = _SHARED.rows() if membership_id is None else _REACHABLE.rows(membership_id=membership_id)
    return [opened for row in rows if (opened := _open_or_none(row)) is not None]


def registered_secrets_select(membership_id: UUID) -> BoundSelect[RegisteredSecret]:
    """Return the select of `registered_secrets_open`, for `read_ahead`."""
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
