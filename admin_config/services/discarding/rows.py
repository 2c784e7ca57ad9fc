"""Writes the settings, endpoints, models and tool sources of a release back into their rows.

A release lists only the enabled ones, so rows that were added since are disabled and keep what else they hold. All functions need the
organization's `tenant_tx`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model

from admin_config.defaults.platform import PROVIDERS
from admin_config.defaults.prices import utc_today
from admin_config.models import AgentConfig, AppSettings, ModelConfig, ModelPrice, ProviderEndpoint, ToolSource
from admin_config.release import EndpointSnapshot, ModelSnapshot, ReleaseSnapshot, ToolSourceSnapshot
from admin_config.services.configuration import credential_remove, tool_source_secret_remove
from admin_config.services.model_catalogue import FACTS, PRICES, model_update, prices_replace
from admin_config.services.replaced_secrets import source_keeps_secret
from admin_config.services.tool_review import ACCEPTED_KEY, FOUND_KEY, released_pins
from security.egress import EgressRefused, origin_of

Row = TypeVar("Row", bound=Model)


def row_write(row: Model, **values: Any) -> None:
    """Save the row if one of these values differs."""
    changed = [name for name, value in values.items() if getattr(row, name) != value]
    for name in changed:
        setattr(row, name, values[name])
    if changed:
        row.save(update_fields=changed)


def row_put(old_row: Row | None, new: Row, **values: Any) -> Row:
    """Write the values to the held row, or to the new one if there is none; return it."""
    if old_row is not None:
        row_write(old_row, **values)
        return old_row
    for name, value in values.items():
        setattr(new, name, value)
    new.save(force_insert=True)
    return new


def settings_write(snapshot: ReleaseSnapshot) -> None:
    row_write(AppSettings.objects.get(), active_provider=snapshot.active_provider, offered_providers=list(snapshot.offered_providers))


def endpoints_write(endpoints: Sequence[EndpointSnapshot], author_id: int | None) -> None:
    rows = {row.id: row for row in ProviderEndpoint.objects.select_related("secret")}
    release_names = {(endpoint.provider, endpoint.name) for endpoint in endpoints}
    for row in _others(rows, endpoints):
        row_write(row, is_enabled=False, name=_other_name(row.name, row.id) if (row.provider, row.name) in release_names else row.name)
    _free_names(rows, endpoints)
    for endpoint in endpoints:
        _endpoint_write(rows.get(endpoint.id), endpoint, author_id)


def _endpoint_write(old_row: ProviderEndpoint | None, endpoint: EndpointSnapshot, author_id: int | None) -> None:
    defaults = PROVIDERS[endpoint.provider]
    row = row_put(
        old_row,
        ProviderEndpoint(id=endpoint.id),
        provider=endpoint.provider,
        name=endpoint.name,
        is_enabled=True,
        base_url="" if endpoint.base_url == defaults.base_url else endpoint.base_url,
        api_version="" if endpoint.api_version == defaults.api_version else endpoint.api_version,
        priority=endpoint.priority,
        timeout_s=endpoint.timeout_s,
        tool_mode=endpoint.tool_mode,
        compatible_options=endpoint.compatible_options.model_dump(mode="json", exclude_defaults=True),
    )
    if row.secret is not None and not _is_origin(row.secret.bound_origin, endpoint.base_url):
        credential_remove(endpoint=row, author_id=author_id)


def _is_origin(origin: str, url: str) -> bool:
    try:
        return origin_of(url) == origin
    except EgressRefused:
        return False


def models_write(models: Sequence[ModelSnapshot]) -> None:
    """Write the models. One that was added since under the same id makes room, because a provider has each id once."""
    ModelConfig.objects.filter(is_default=True).update(is_default=False)
    rows = {row.id: row for row in ModelConfig.objects.prefetch_related("prices")}
    release_ids = {(model.provider, model.model_id) for model in models}
    for row in _others(rows, models):
        if (row.provider, row.model_id) in release_ids:
            AgentConfig.objects.filter(model=row).update(model=None)
            row.delete()
        else:
            row_write(row, is_enabled=False)
    for model in models:
        if model.id in rows and rows[model.id].model_id != model.model_id:
            row_write(rows[model.id], model_id=str(model.id))
    for model in models:
        _model_write(rows.get(model.id), model)


def _model_write(old_row: ModelConfig | None, model: ModelSnapshot) -> None:
    facts = {name: getattr(model, name) for name in ModelSnapshot.model_fields if name not in {"id", "prices"}}
    row = row_put(old_row, ModelConfig(id=model.id), **facts | {"builtin_tools": list(model.builtin_tools), "is_enabled": True})
    if tuple(price.price for price in row.prices.all()) != model.prices:
        prices_replace(row, model.prices, source=ModelPrice.Source.ADMIN)
    if old_row is None:
        _keep_own_facts(row)


def _keep_own_facts(row: ModelConfig) -> None:
    """Protect from updates what the catalogue would change of a model that was deleted and is made again."""
    update = model_update(row, today=utc_today())
    if update is not None:
        facts = [fact for fact, fields in FACTS.items() if any(field in update.values for field in fields)]
        row_write(row, own_facts=sorted([*facts, *([PRICES] if update.prices is not None else [])]))


def sources_write(sources: Sequence[ToolSourceSnapshot], author_id: int | None) -> None:
    """Write the sources, locked: what their servers report is kept in them meanwhile."""
    rows = {row.id: row for row in ToolSource.objects.select_related("secret").select_for_update(of=("self",))}
    release_names = {source.name for source in sources}
    for row in _others(rows, sources):
        row_write(row, is_enabled=False, name=_other_name(row.name, row.id) if row.name in release_names else row.name)
    _free_names(rows, sources)
    for source in sources:
        _source_write(rows.get(source.id), source, author_id)


def _source_write(old_row: ToolSource | None, source: ToolSourceSnapshot, author_id: int | None) -> None:
    row = row_put(
        old_row,
        ToolSource(id=source.id),
        name=source.name,
        kind=source.kind,
        is_enabled=True,
        prefix=source.prefix,
        allowed_tools="\n".join(source.allowed_tools),
        danger=source.danger,
        confirm=source.confirm,
        tool_rules={name: rule.model_dump() for name, rule in source.tool_rules.items()},
        open_hosts="\n".join(source.open_hosts),
        member_switch=source.member_switch,
        switch_label=source.switch_label,
        switch_hint=source.switch_hint,
        settings=source.settings,
        pins=_pins(old_row, source),
    )
    if row.secret_id is not None and not source_keeps_secret(row):
        tool_source_secret_remove(source=row, author_id=author_id)


def _pins(row: ToolSource | None, source: ToolSourceSnapshot) -> dict[str, Any]:
    """Return the release's accepted tools. What was accepted since waits for a review again."""
    if row is None:
        return source.pins
    pins: dict[str, Any] = row.pins
    if released_pins(pins) == source.pins:
        return pins
    definitions = pins.get(FOUND_KEY) or pins.get(ACCEPTED_KEY)
    return {**source.pins, **({FOUND_KEY: definitions} if definitions else {})}


def _others(rows: dict[UUID, Any], snapshots: Sequence[EndpointSnapshot | ModelSnapshot | ToolSourceSnapshot]) -> list[Any]:
    """Return the rows that the release doesn't list."""
    ids = {one.id for one in snapshots}
    return [row for row_id, row in rows.items() if row_id not in ids]


def _free_names(rows: dict[UUID, Any], snapshots: Sequence[EndpointSnapshot | ToolSourceSnapshot]) -> None:
    """Give renamed rows a name that nobody has, so that rows which exchanged their names can take them back."""
    for one in snapshots:
        if one.id in rows and rows[one.id].name != one.name:
            row_write(rows[one.id], name=str(one.id))


def _other_name(name: str, row_id: UUID) -> str:
    """Return a free name that fits all rules for names."""
    return f"{name[:31]}_{row_id.hex[-8:]}"
