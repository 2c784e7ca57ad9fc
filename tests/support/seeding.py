"""The platform's defaults in an organization, as `organization_seed` writes them: in full the first time, later as a copy of those rows.

A copy has ids of its own, and costs one statement in place of two hundred.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID, uuid4

import orjson
from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.models import Model

from admin_config.defaults.platform import KINDS, PROVIDERS
from admin_config.extension_kinds import plugin_kinds
from admin_config.models import Release
from admin_config.release import ReleaseSnapshot
from admin_config.services.configuration import organization_seed
from security.models import AuditEvent
from tenants.models import Organization, TenantModel


@dataclass(frozen=True)
class SeedRows:
    """The rows of a seeded organization as JSON, and the defaults that they come from."""

    organization_id: UUID
    rows: str
    defaults: tuple[object, ...]


_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_seeds: dict[tuple[object, ...], SeedRows] = {}


def seed_organization(organization: Organization) -> None:
    """Seed an organization that has no configuration yet, and publish it as release 1. Needs its `tenant_tx`."""
    defaults = (*PROVIDERS.values(), *KINDS.values(), *plugin_kinds().values())  # a test may have changed them
    kind = (settings.DEMO_PROVIDER_URL, *map(id, defaults))
    if kind in _seeds:
        _write(organization, _seeds[kind])
    else:
        organization_seed(organization_id=organization.pk)
        _seeds[kind] = SeedRows(organization.pk, _read(), defaults)


def _tables() -> Iterator[str]:
    models: list[type[Model]] = [*apps.get_app_config("admin_config").get_models(), AuditEvent]
    return (model._meta.db_table for model in models if issubclass(model, TenantModel))


def _read() -> str:
    """The organization's rows by table, as JSON."""
    found = ", ".join(f"'{table}', (select coalesce(jsonb_agg(to_jsonb(t)), '[]') from {table} t)" for table in _tables())
    with connection.cursor() as cursor:
        cursor.execute(f"select jsonb_build_object({found})::text")
        [text] = cursor.fetchone()
    return str(text)


def _write(organization: Organization, seed: SeedRows) -> None:
    ids = {row["id"]: str(uuid4()) for table in orjson.loads(seed.rows).values() for row in table}
    ids[str(seed.organization_id)] = str(organization.pk)
    rows = orjson.loads(_ID.sub(lambda found: ids.get(found[0], found[0]), seed.rows))
    for release in rows[Release._meta.db_table]:
        release["content_hash"] = ReleaseSnapshot.model_validate(release["content"]).content_hash()
    # One statement, so that rows may point at each other.
    inserts = (f"insert into {table} select * from jsonb_populate_recordset(null::{table}, (select %s::jsonb))" for table in rows)
    *first, last = inserts
    steps = ", ".join(f"step{number} as ({insert})" for number, insert in enumerate(first))
    with connection.cursor() as cursor:
        cursor.execute(f"with {steps} {last}", [orjson.dumps(table).decode() for table in rows.values()])
