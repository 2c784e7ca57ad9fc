"""Fields of columns that only the auth and owner roles may read (tenants.postgres.platform_tables)."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models.sql.compiler import SQLCompiler

OPEN_ALIASES = frozenset({"auth", "owner"})  # of the logins that read all columns


class ClosedColumn(models.Field):  # type: ignore[type-arg]  # generic in the stubs alone
    """Mixin of such a column. Joins of other roles select NULL in its place."""

    def select_format(self, compiler: SQLCompiler, sql: str, params: Any) -> tuple[str, Any]:
        return (sql, params) if compiler.using in OPEN_ALIASES else ("NULL", ())

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        """Migrations see Django's own field."""
        name, _, args, kwargs = super().deconstruct()
        return name, f"django.db.models.{type(self).__mro__[2].__name__}", list(args), kwargs


class ClosedCharField(ClosedColumn, models.CharField):  # type: ignore[type-arg]  # generic in the stubs alone
    """Text that only the auth and owner roles may read."""


class ClosedBooleanField(ClosedColumn, models.BooleanField):  # type: ignore[type-arg]  # generic in the stubs alone
    """A flag that only the auth and owner roles may read."""


class ClosedDateTimeField(ClosedColumn, models.DateTimeField):  # type: ignore[type-arg]  # generic in the stubs alone
    """A date that only the auth and owner roles may read."""
