"""Which database login reads and writes a model."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from tenants.context import current_alias
from tenants.postgres.platform_tables import IDENTITY_APPS, IDENTITY_MODELS
from tenants.postgres.replica import ALIAS as REPLICA


class IdentityRouter:
    """Everything as the auth role inside `identity_tx`; users, sessions and what belongs to signing in always; the rest as the app role.

    What `tenants.postgres.replica` reads comes from the replica, and what is read of those rows after it from the primary.
    """

    def db_for_read(self, model: type[Model], **hints: Any) -> str | None:
        alias = current_alias()
        if alias not in {"default", REPLICA}:
            return alias
        if _is_identity(model):
            return "auth"
        was_read = getattr(hints.get("instance"), "_state", None)  # a row's own alias counts, unless it is the replica's
        return alias if alias == REPLICA or (was_read and was_read.db == REPLICA) else None

    db_for_write = db_for_read

    def allow_relation(self, *rows: Model, **hints: Any) -> bool:
        """All logins are of one database."""
        return True


def _is_identity(model: type[Model]) -> bool:
    return model._meta.app_label in IDENTITY_APPS or model._meta.label_lower in IDENTITY_MODELS
