"""Column types that Django does not have. Foreign keys of tenant rows are in tenants.models."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.types.json import Json

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
