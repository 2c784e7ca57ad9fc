"""Secrets of second factors, sealed by the vault: of authenticator apps, and the seeds of recovery codes. They belong to no organization."""

from __future__ import annotations

from functools import partial, reduce
from operator import or_
from typing import Final
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.db.models import Q
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from security.secrets.lost_keys import LostSeals, lost_seals
from security.secrets.resealing import Rotation, reseal_in_batches
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


def factors_reseal(*, batch_size: int = 200) -> Rotation:
    """Seal the secrets of all factors under the current key, in batches of one transaction each."""
    return reseal_in_batches(partial(_reseal_batch, size=batch_size), name="second factor", first_id=0)


@transaction.atomic(using="auth")
def factors_lost() -> LostSeals:
    """Return how many factors take no code any more."""
    sealed = Coalesce(*(KT(f"data__{field}") for field in FIELDS.values()))
    rows = Authenticator.objects.using("auth").filter(type__in=FIELDS).annotate(sealed=sealed)
    return lost_seals(rows.filter(sealed__startswith=f"{VERSION}."), "sealed", _opens)


def _opens(factor: Authenticator) -> bool:
    try:
        factor_open(factor.data[FIELDS[factor.type]])
    except VaultError:
        return False
    return True


@transaction.atomic(using="auth")
def _reseal_batch(after: int, size: int) -> list[tuple[int, bool]]:
    """Return the ids of the next factors under an old key, in order of id, and whether each was sealed again."""
    current = f"{VERSION}.{vault_from_settings().current}."
    is_current = reduce(or_, (Q(type=kind, **{f"data__{field}__startswith": current}) for kind, field in FIELDS.items()))
    rows = Authenticator.objects.select_for_update().filter(pk__gt=after, type__in=FIELDS).exclude(is_current)
    return [(factor.pk, _reseal(factor)) for factor in rows.order_by("pk")[:size]]


def _reseal(factor: Authenticator) -> bool:
    field = FIELDS[factor.type]
    try:
        factor.data[field] = factor_seal(factor_open(factor.data[field]))
    except VaultError:
        return False
    factor.save(update_fields=["data"])
    return True
