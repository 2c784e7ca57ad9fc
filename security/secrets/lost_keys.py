"""Finds the stored secrets that can't be opened, because their key was lost from CREDENTIAL_KEYS."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from security.models import Secret
from security.secrets.errors import SecretUnusable
from security.secrets.services import secret_open


@dataclass(frozen=True, slots=True)
class LostKeys:
    """What can't be opened, over all organizations. Holds no secret."""

    secrets: int
    key_ids: list[str]
    organizations: list[str]  # slugs
    origins: list[str]  # of the endpoints and other addresses that the secrets are for


@transaction.atomic(using="system")
def lost_keys() -> LostKeys:
    """Try one secret of each key and return all secrets of the keys that fail. Runs on the system alias."""
    everything = Secret.unscoped.using("system")
    samples = everything.order_by("key_id", "-created_at").distinct("key_id")
    key_ids = [secret.key_id for secret in samples if not _opens(secret)]
    concerned = everything.filter(key_id__in=key_ids)
    return LostKeys(
        secrets=concerned.count(),
        key_ids=key_ids,
        organizations=sorted(set(concerned.values_list("organization__slug", flat=True))),
        origins=sorted(set(concerned.values_list("bound_origin", flat=True))),
    )


def _opens(secret: Secret) -> bool:
    try:
        secret_open(secret)
    except SecretUnusable:
        return False
    return True
