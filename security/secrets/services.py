"""Services for sealed secrets: create, open, delete, and seal again under a new key."""

from __future__ import annotations

import uuid
from collections import Counter
from functools import partial
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext

from security.audit import audit
from security.audit.actions import category_of
from security.egress import origin_of
from security.egress.urls import in_egress_allowlist, parse_target
from security.models import AuditEvent, Secret
from security.secrets.errors import SecretUnusable
from security.secrets.resealing import Rotation, reseal_in_batches
from security.secrets.secret_text import SecretText
from security.secrets.vault import VaultError, vault_from_settings
from tenants.context import tenant_tx
from tenants.errors import BadRequest

MIN_LENGTH_FOR_LAST_FOUR = 12  # four characters would reveal too much of a shorter value
MAX_SECRET_CHARS = 4096
NIL_ID = UUID(int=0)


def secret_create(*, organization_id: UUID, value: str, url: str, purpose: str, actor_user_id: int | None = None) -> Secret:
    """Seal `value` for the origin (scheme, host, port) of `url`, save it and return the row. Writes an audit event.

    Raises BadRequest for a value that can't be a key or that would travel unencrypted, and EgressRefused for a URL that can't be called.
    """
    secret = Secret(id=uuid.uuid4(), organization_id=organization_id, bound_origin=_checked_origin(url), purpose=purpose)
    return _store(secret, _checked_value(value), actor_user_id)


def signing_secret_create(*, organization_id: UUID, value: SecretText, purpose: str, actor_user_id: int | None = None) -> Secret:
    """Seal a secret that is never sent anywhere, save it and return the row. It is bound to no origin. Writes an audit event."""
    secret = Secret(id=uuid.uuid4(), organization_id=organization_id, bound_origin="", purpose=purpose)
    return _store(secret, value.reveal(), actor_user_id)


def _store(secret: Secret, value: str, actor_user_id: int | None) -> Secret:
    secret.last_four = value[-4:] if len(value) >= MIN_LENGTH_FOR_LAST_FOUR else ""
    _seal(secret, value)
    with tenant_tx(_organization_id(secret)):
        secret.save(force_insert=True)
        _audit(secret, "secret.create", actor_user_id)
    return secret


def secret_check(*, value: str, url: str) -> None:
    """Raise what `secret_create` would raise, without storing anything. For forms."""
    _checked_value(value)
    _checked_origin(url)


def secret_reveal(*, secret_id: UUID, url: str) -> SecretText:
    """Return the secret for a request to `url`. Needs the organization's `tenant_tx`.

    Raises SecretUnusable when it is missing, foreign, bound to another origin, or can't be decrypted.
    """
    return secret_reveal_row(Secret.objects.filter(id=secret_id).first(), url=url)


def secret_reveal_row(secret: Secret | None, *, url: str) -> SecretText:
    """Like `secret_reveal`, for a row that is loaded already; None: it is missing."""
    if secret is None or secret.bound_origin != origin_of(url):
        raise SecretUnusable
    return secret_open(secret)


def secret_open(secret: Secret) -> SecretText:
    """Return the value of a loaded row. The caller must check its origin. Raises SecretUnusable when it can't be decrypted."""
    try:
        return SecretText(_open(secret))
    except VaultError as exc:
        raise SecretUnusable from exc


def secret_delete(*, secret_id: UUID, actor_user_id: int | None = None) -> None:
    """Delete the secret if it exists. Writes an audit event. Needs the organization's `tenant_tx`."""
    secret = Secret.objects.filter(id=secret_id).first()
    if secret is not None:
        _audit(secret, "secret.delete", actor_user_id)
        secret.delete()


def secrets_rotate(*, batch_size: int = 200) -> Rotation:
    """Seal every secret of every organization under the current key, in batches of one transaction each.

    Runs on the system alias. It is safe to run it again, or twice at the same time.
    """
    return reseal_in_batches(partial(_rotate_batch, size=batch_size), name="secret", first_id=NIL_ID)


@transaction.atomic(using="system")
def _rotate_batch(after: UUID, size: int) -> list[tuple[UUID, bool]]:
    """Return the ids of the next secrets under an old key, in order of id, and whether each was sealed again."""
    rows = Secret.unscoped.using("system").select_for_update().filter(id__gt=after).exclude(key_id=vault_from_settings().current)
    batch = list(rows.order_by("id")[:size])
    outcome = [(secret.id, _reseal(secret)) for secret in batch]
    Secret.unscoped.using("system").bulk_update(batch, ["ciphertext", "key_id"])
    _audit_rotation(Counter(_organization_id(secret) for secret, (_, done) in zip(batch, outcome, strict=True) if done))
    return outcome


def _audit_rotation(counts: Counter[UUID]) -> None:
    """Write one event for each organization."""
    AuditEvent.unscoped.using("system").bulk_create(
        AuditEvent(
            organization_id=organization_id,
            action="secret.rotate",
            category=category_of("secret.rotate"),
            object_kind="secret",
            object_id=vault_from_settings().current,
            object_label=f"{count:,} secrets" if count > 1 else "1 secret",
        )
        for organization_id, count in counts.items()
    )


def _reseal(secret: Secret) -> bool:
    try:
        _seal(secret, _open(secret))
    except VaultError:
        return False
    return True


def _seal(secret: Secret, value: str) -> None:
    vault = vault_from_settings()
    secret.ciphertext = vault.seal(value, organization_id=_organization_id(secret), binding=_binding(secret))
    secret.key_id = vault.current


def _open(secret: Secret) -> str:
    return vault_from_settings().open(secret.ciphertext, organization_id=_organization_id(secret), binding=_binding(secret))


def _organization_id(secret: Secret) -> UUID:
    assert secret.organization_id is not None  # the type stubs treat a column with a default as nullable
    return secret.organization_id


def _binding(secret: Secret) -> str:
    """Return what a secret is bound to besides its organization. It includes the origin, so that editing that column gains nothing."""
    return f"security_secret|{secret.id}|{secret.bound_origin}"


def _checked_value(value: str) -> str:
    value = value.strip()
    if not value or len(value) > MAX_SECRET_CHARS or not value.isascii() or not value.isprintable():
        raise BadRequest(gettext("A key has between 1 and 4096 letters, digits and signs, without line breaks."))
    return value


def _checked_origin(url: str) -> str:
    """Return the origin of `url`. Keys are only sent over https, or over http to hosts that the operator listed."""
    target = parse_target(url)
    if target.scheme != "https" and not in_egress_allowlist(target.host, target.port):
        raise BadRequest(gettext("A key is only sent to an address that starts with https://."))
    return target.origin


def _audit(secret: Secret, action: str, actor_user_id: int | None) -> None:
    audit(
        organization_id=_organization_id(secret),
        actor_user_id=actor_user_id,
        action=action,
        object_kind="secret",
        object_id=secret.id,
        detail={"purpose": secret.purpose, "origin": secret.bound_origin},
    )
