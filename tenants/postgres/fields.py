"""Model fields that Django does not have."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.sql.compiler import SQLCompiler
from psycopg.types.json import Json

OPEN_ALIASES = frozenset({"auth", "owner"})  # of the logins that read all columns

_dumps = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))


class VerbatimJSONField(models.JSONField):
    """JSON that is returned exactly as it was stored: key order, `1.0` next to `1`, NUL characters.

    It uses PostgreSQL's `json`, which keeps the text. `jsonb` sorts the keys, and a provider that receives different bytes than before
    misses its prompt cache. `json` has no equality: no filter by value, no DISTINCT. psycopg parses it, also for raw SQL.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "json"

    def from_db_value(self, value: Any, expression: object, connection: BaseDatabaseWrapper) -> Any:
        return value

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        return Json(self.get_prep_value(value), dumps=_dumps)


class ClosedColumn(models.Field):
    """Mixin of a column that only the auth and owner roles may read. Joins of other roles select NULL in its place."""

    def select_format(self, compiler: SQLCompiler, sql: str, params: Any) -> tuple[str, Any]:
        return (sql, params) if compiler.using in OPEN_ALIASES else ("NULL", ())

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        """Migrations see Django's own field."""
        name, _, args, kwargs = super().deconstruct()
        return name, f"django.db.models.{type(self).__mro__[2].__name__}", list(args), kwargs


class ClosedCharField(ClosedColumn, models.CharField):
    """Text that only the auth and owner roles may read."""


class ClosedBooleanField(ClosedColumn, models.BooleanField):
    """A flag that only the auth and owner roles may read."""


class ClosedDateTimeField(ClosedColumn, models.DateTimeField):
    """A date that only the auth and owner roles may read."""
