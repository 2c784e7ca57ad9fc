"""Secrets of second factors, sealed by the vault: of authenticator apps, and the seeds of recovery codes. They belong to no organization."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.db import transaction

from security.secrets.services import Rotation
from security.secrets.vault import VERSION, VaultError, vault_from_settings

NO_ORGANIZATION: Final = UUID(int=0)
BINDING: Final = "mfa_authenticator"
FIELDS: Final = {Authenticator.Type.TOTP.value: "secret", Authenticator.Type.RECOVERY_CODES.value: "seed"}  # in `data`, by type


def factor_seal(secret: str) -> str:
    return vault_from_settings().seal(secret, organization_id=NO_ORGANIZATION, binding=BINDING)


def factor_open(sealed: str) -> str:
    """Return the secret; text that was never sealed, from before they were, as it is. Raises VaultError."""
    if not sealed.startswith(f"{VERSION}."):
        return sealed
    return vault_from_settings().open(sealed, organization_id=NO_ORGANIZATION, binding=BINDING)


@transaction.atomic(using="auth")
def factors_reseal() -> Rotation:
    """Seal the secrets of all factors under the current key."""
    current = f"{VERSION}.{vault_from_settings().current}."
    resealed, broken = 0, list[str]()
    for factor in Authenticator.objects.select_for_update().filter(type__in=FIELDS):
        field = FIELDS[factor.type]
        if factor.data[field].startswith(current):
            continue
        try:
            factor.data[field] = factor_seal(factor_open(factor.data[field]))
        except VaultError:
            broken.append(f"second factor {factor.pk}")
            continue
        factor.save(update_fields=["data"])
        resealed += 1
    return Rotation(resealed, tuple(broken))
