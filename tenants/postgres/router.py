"""Which database login reads and writes a model."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from tenants.context import current_alias
from tenants.postgres.platform_tables import IDENTITY_APPS, IDENTITY_MODELS


class IdentityRouter:
    """Everything as the auth role inside `identity_tx`; users, sessions and what belongs to signing in always; the rest as the app role."""

    def db_for_read(self, model: type[Model], **hints: Any) -> str | None:
        alias = current_alias()
        if alias != "default":
            return alias
        return "auth" if _is_identity(model) else None

    db_for_write = db_for_read

    def allow_relation(self, *rows: Model, **hints: Any) -> bool:
        """All logins are of one database."""
        return True


def _is_identity(model: type[Model]) -> bool:
    return model._meta.app_label in IDENTITY_APPS or model._meta.label_lower in IDENTITY_MODELS
