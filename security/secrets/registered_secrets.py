"""Secrets that people register for tools (SPEC 3.17). Models only see their placeholders (agents.runtime.masking)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext

from security.models import RegisteredSecret, Secret
from security.secrets.errors import SecretUnusable
from security.secrets.secret_text import SecretText
from security.secrets.services import secret_check, secret_create, secret_delete, secret_open
from tenants.access import Actor
from tenants.context import current_organization_id
from tenants.errors import BadRequest, NotFound
from tenants.postgres.prepared_statements import read_rows

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
            gettext(
                "A secret needs at least %(min_secret_length)s characters: a shorter one would be found in text that is not the secret."
            )
            % {"min_secret_length": MIN_SECRET_LENGTH}
        )
    if value in "{{secret:" + RegisteredSecret.MEMBER_PREFIX + name + "}}":
        raise BadRequest(gettext("A secret must not be part of its own name."))


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


def registered_secrets_open(*, membership_id: UUID | None) -> Sequence[OpenedSecret]:
    """Return the opened secrets of the current organization and of this member, the member's first. One query.

    Secrets that can't be decrypted are skipped and logged: their owner must enter them again.
    """
    return run_secrets_read(membership_id=membership_id).registered


@dataclass(frozen=True, slots=True)
class RunSecrets:
    """The secrets that a run needs from its start."""

    endpoint_key: Secret | None  # the organization's key of one endpoint
    registered: Sequence[OpenedSecret]  # see `registered_secrets_open`


def run_secrets_read(*, membership_id: UUID | None, endpoint_secret_id: UUID | None = None) -> RunSecrets:
    """Return the secrets of a run of this member in the current organization. One query."""
    organization_id = current_organization_id()
    select = run_secrets_select(organization_id=organization_id, membership_id=membership_id, endpoint_secret_id=endpoint_secret_id)
    return run_secrets_from_rows(read_rows(*select))


def run_secrets_select(
    *, organization_id: UUID | None, membership_id: UUID | None, endpoint_secret_id: UUID | None
) -> tuple[str, dict[str, Any]]:
    """Return the select of a run's secrets, for `read_together` and `run_secrets_from_rows`."""
    return _RUN_SECRETS, {"organization": organization_id, "membership": membership_id, "endpoint_secret": endpoint_secret_id}


def run_secrets_from_rows(rows: Sequence[tuple[Any, ...]]) -> RunSecrets:
    """Return the secrets in the rows of `run_secrets_select`, the member's own registered secrets first."""
    endpoint_key, registered = None, list[OpenedSecret]()
    for row_id, name, tool, owner_id, *values in rows:
        secret = Secret.from_db("default", _SECRET_COLUMNS, values)
        if row_id is None:
            endpoint_key = secret
        elif (
            opened_secret := _open_or_none(RegisteredSecret(id=row_id, name=name, tool=tool, membership_id=owner_id, secret=secret))
        ) is not None:
            registered.append(opened_secret)
    return RunSecrets(endpoint_key, registered)


_SECRET_COLUMNS = ("id", "organization_id", "ciphertext", "key_id", "bound_origin")  # in the order of the model's fields
_RUN_SECRETS = """\
SELECT NULL::uuid, '' AS name, '', NULL::uuid AS membership_id, s.id, s.organization_id, s.ciphertext, s.key_id, s.bound_origin
FROM security_secret s WHERE s.organization_id = %(organization)s AND s.id = %(endpoint_secret)s
UNION ALL
SELECT r.id, r.name, r.tool, r.membership_id, s.id, s.organization_id, s.ciphertext, s.key_id, s.bound_origin
FROM security_registeredsecret r JOIN security_secret s ON s.organization_id = r.organization_id AND s.id = r.secret_id
WHERE r.organization_id = %(organization)s AND (r.membership_id IS NULL OR r.membership_id = %(membership)s)
ORDER BY membership_id, name
"""


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
        raise BadRequest(gettext("There is already a secret named %(registered)s.") % {"registered": registered.name})
    if others.count() >= MAX_SECRETS:
        raise BadRequest(
            gettext("There are %(max_secrets)s secrets already. Delete one that is no longer used.") % {"max_secrets": MAX_SECRETS}
        )
