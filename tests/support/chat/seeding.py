"""An organization's configuration, as the services write it: in full the first time, later as a copy of those rows.

A copy has ids of its own, and costs one statement in place of two hundred.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import uuid4

import orjson
from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.models import Model

from admin_config.defaults.platform import KINDS, PROVIDERS
from admin_config.extension_kinds import plugin_kinds
from admin_config.models import Release
from admin_config.services.configuration import organization_seed
from security.models import AuditEvent
from tenants.models import Organization, TenantModel


@dataclass(frozen=True)
class ConfigurationRows:
    """The rows of a configured organization.

    `pieces`: their JSON, of which every second piece is an id or a text that each copy has of its own.
    """

    pieces: Sequence[str]
    own_ids: frozenset[str]
    own_texts: tuple[str, ...]
    defaults: tuple[object, ...]  # that they come from


_ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_originals: dict[tuple[object, ...], ConfigurationRows] = {}


def seed_organization(organization: Organization) -> None:
    """Seed an organization that has no configuration yet, and publish it as release 1. Needs its `tenant_tx`."""
    make_or_copy(organization, "defaults", partial(organization_seed, organization_id=organization.pk))


def make_or_copy(organization: Organization, kind: object, make: Callable[[], object], texts: tuple[str, ...] = ()) -> None:
    """Write what `make` writes. Needs the organization's `tenant_tx`.

    `kind`: all that tells one `make` from another. `texts`: addresses and ids of other rows that are in what it writes, in a fixed order.
    """
    providers = [provider for provider in PROVIDERS.values() if provider.base_url not in texts]
    defaults = (*providers, *KINDS.values(), *plugin_kinds().values())  # a test may have changed them
    key = (kind, settings.DEMO_PROVIDER_URL, *map(id, defaults))
    if key in _originals:
        _write(organization, _originals[key], texts)
    else:
        make()
        _originals[key] = _read((str(organization.pk), *texts), defaults)


def _tables() -> Iterator[str]:
    models: list[type[Model]] = [*apps.get_app_config("admin_config").get_models(), AuditEvent]
    return (model._meta.db_table for model in models if issubclass(model, TenantModel))


def _read(own_texts: tuple[str, ...], defaults: tuple[object, ...]) -> ConfigurationRows:
    """The organization's rows, without the events about other rows that `own_texts` names."""
    fields = ", ".join(f"'{table}', (select coalesce(jsonb_agg(to_jsonb(t)), '[]') from {table} t)" for table in _tables())
    with connection.cursor() as cursor:
        cursor.execute(f"select jsonb_build_object({fields})::text")
        [text] = cursor.fetchone()
    rows: dict[str, list[dict[str, str]]] = orjson.loads(text)
    assert all(release["content_hash"] == _content_hash(release) for release in rows[Release._meta.db_table])
    events = AuditEvent._meta.db_table
    rows[events] = [row for row in rows[events] if row["object_id"] not in own_texts[1:]]
    own = "|".join([_ID, *map(re.escape, own_texts)])
    own_ids = frozenset(row["id"] for table in rows.values() for row in table)
    return ConfigurationRows(re.split(f"({own})", orjson.dumps(rows).decode()), own_ids, own_texts, defaults)


def _write(organization: Organization, original: ConfigurationRows, texts: tuple[str, ...]) -> None:
    own = {former: str(uuid4()) for former in original.own_ids} | dict(zip(original.own_texts, (str(organization.pk), *texts), strict=True))
    pieces = [*original.pieces]
    pieces[1::2] = [own.get(piece, piece) for piece in pieces[1::2]]
    rows = orjson.loads("".join(pieces))
    for release in rows[Release._meta.db_table]:
        release["content_hash"] = _content_hash(release)
    # One statement, so that rows may point at each other.
    inserts = (f"insert into {table} select * from jsonb_populate_recordset(null::{table}, (select %s::jsonb))" for table in rows)
    *first, last = inserts
    steps = ", ".join(f"step{number} as ({insert})" for number, insert in enumerate(first))
    with connection.cursor() as cursor:
        cursor.execute(f"with {steps} {last}", [orjson.dumps(table).decode() for table in rows.values()])


def _content_hash(release: dict[str, str]) -> str:
    """As `ReleaseSnapshot.content_hash` has it, whose JSON this is."""
    return hashlib.sha256(orjson.dumps(release["content"], option=orjson.OPT_SORT_KEYS)).hexdigest()
