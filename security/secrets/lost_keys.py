"""Finds the stored secrets that can't be opened, because their key was lost from CREDENTIAL_KEYS, and what higher apps seal themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F, Func, Model, QuerySet, TextField, Value

from security.models import Secret
from security.secrets.errors import SecretUnusable
from security.secrets.services import secret_open

Row = TypeVar("Row", bound=Model)


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
    lost_secrets = everything.filter(key_id__in=key_ids)
    return LostKeys(
        secrets=lost_secrets.count(),
        key_ids=key_ids,
        organizations=sorted(set(lost_secrets.values_list("organization__slug", flat=True))),
        origins=sorted(set(lost_secrets.values_list("bound_origin", flat=True))),
    )


@dataclass(frozen=True, slots=True)
class LostSeals:
    """How many rows of one kind can't be opened, and the keys that sealed them."""

    count: int
    key_ids: list[str]


def lost_seals(rows: QuerySet[Row, Any], sealed: str, opens: Callable[[Row], bool]) -> LostSeals:
    """Try one row of each key, and count all rows of the keys that fail. `sealed`: the column or annotation with the vault's text.

    Reads all rows: for an operator's command, not for a start.
    """
    key_id = Func(F(sealed), Value("."), Value(2), function="split_part", output_field=TextField())
    by_key = rows.annotate(sealing_key=key_id)
    samples = by_key.order_by("sealing_key", "-pk").distinct("sealing_key")
    key_ids = [row.sealing_key for row in samples if not opens(row)]
    return LostSeals(by_key.filter(sealing_key__in=key_ids).count(), key_ids)


def _opens(secret: Secret) -> bool:
    try:
        secret_open(secret)
    except SecretUnusable:
        return False
    return True
