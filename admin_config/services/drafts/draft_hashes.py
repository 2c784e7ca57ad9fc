"""A hash of what an organization has set itself, whatever the defaults of the code and the platform are (docs/decisions/0100)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, Final

from django.db.models import Model

from admin_config.models import AgentConfig, AgentOperation, PromptSection, ToolSource
from admin_config.services.drafts.agent_snapshots import AGENT_PARTS
from admin_config.services.drafts.draft import Draft
from admin_config.services.tool_review import released_pins

_NO_SETTING: Final = frozenset({"organization_id", "last_test"})
# Keys are in no release: one that was replaced is gone for the live release, too.
_KEYS: Final = frozenset({"secret_id"})


def settings_hash(draft: Draft) -> str:
    """Return the SHA-256 (hex) of what the columns of the draft's rows have other than their defaults.

    Blank columns, sections and operations say nothing: a deploy may add some.
    """
    return _hash(draft, _NO_SETTING | _KEYS)


def rows_hash(draft: Draft) -> str:
    """Return a hash that every save of the draft changes, also one of a key, or of a row that is switched off and so in no release."""
    return _hash(draft, _NO_SETTING)


def _hash(draft: Draft, left_out: frozenset[str]) -> str:
    rows = sorted(((type(row).__name__, str(row.pk), _values(row, left_out)) for row in _rows(draft)), key=lambda row: row[:2])
    providers = [draft.settings.active_provider, draft.settings.offered_providers]
    # Rows that are switched off are in no release, and may hold whole numbers of any size, which orjson refuses.
    return hashlib.sha256(json.dumps([providers, rows], default=str, sort_keys=True).encode()).hexdigest()


def _rows(draft: Draft) -> Iterator[Model]:
    yield from (*draft.endpoints, *draft.models, *draft.tool_sources)
    for model in draft.models:
        yield from model.prices.all()
    for agent in (*draft.bases, *draft.agents):
        yield agent
        yield from (row for row in _parts(agent) if not _is_blank(row))


def _parts(agent: AgentConfig) -> Iterator[Model]:
    for name in AGENT_PARTS:
        yield from getattr(agent, name).all()


def _is_blank(row: Model) -> bool:
    if not isinstance(row, AgentOperation | PromptSection):
        return False
    return _values(row, _NO_SETTING).keys() <= {"id", "agent_id", "name"}


def _values(row: Model, left_out: frozenset[str]) -> dict[str, Any]:
    columns = [(field, getattr(row, field.attname)) for field in row._meta.concrete_fields if field.attname not in left_out]
    values = {field.attname: value for field, value in columns if value != field.get_default()}
    return {**values, "pins": released_pins(row.pins)} if isinstance(row, ToolSource) else values
