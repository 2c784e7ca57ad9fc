"""Which rows hang on which, and the order in which they can be deleted one small transaction after another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import models
from django.db.models import QuerySet

from tenants.deletion.registry import REGISTRY
from tenants.models import Membership, TenantModel
from tenants.plain_keys import PLAIN_KEYS

BATCH = 500  # rows of one transaction

Model = type[models.Model]
ForeignKey = models.ForeignKey[Any, Any]
_LETS_GO = (models.SET_NULL, models.DO_NOTHING)


def rows_of(model: Model, organization_id: UUID) -> QuerySet[Any]:
    manager: models.Manager[Any] = model.unscoped if issubclass(model, TenantModel) else Membership.objects
    return manager.using("system").filter(organization_id=organization_id)


def tenant_tables() -> list[Model]:
    return [model for model in apps.get_models() if issubclass(model, TenantModel) or model is Membership]


def batches(ids: Collection[UUID]) -> Iterator[list[UUID]]:
    sorted_ids = sorted(ids)
    for start in range(0, len(sorted_ids), BATCH):
        yield sorted_ids[start : start + BATCH]


def dependent_rows(model: Model, ids: Collection[UUID], organization_id: UUID) -> dict[Model, set[UUID]]:
    """Return the ids of these rows and of all that hang on them, by model."""
    dependents: dict[Model, set[UUID]] = defaultdict(set)
    waiting = [(model, set(ids))]
    while waiting:
        model, row_ids = waiting.pop()
        new = row_ids - dependents[model]
        if new:
            dependents[model] |= new
            waiting += _children(model, new, organization_id)
            waiting += _owned_rows(model, new, organization_id)
    return dependents


def _children(model: Model, ids: set[UUID], organization_id: UUID) -> Iterator[tuple[Model, set[UUID]]]:
    for child, column in _references(model):
        rows = rows_of(child, organization_id)
        yield child, {pk for batch in batches(ids) for pk in rows.filter(**{f"{column}__in": batch}).values_list("pk", flat=True)}


def _owned_rows(model: Model, ids: set[UUID], organization_id: UUID) -> Iterator[tuple[Model, set[UUID]]]:
    for name in REGISTRY.owned[model._meta.label]:
        field: Any = model._meta.get_field(name)
        rows = rows_of(model, organization_id).exclude(**{name: None})
        yield field.related_model, {pk for batch in batches(ids) for pk in rows.filter(pk__in=batch).values_list(field.attname, flat=True)}


def _references(model: Model) -> Iterator[tuple[Model, str]]:
    """Yield the columns that hold ids of the model and can't do without it."""
    for child in tenant_tables():
        yield from ((child, key.attname) for key in foreign_keys(child) if key.related_model is model and not lets_go(key))
    for label, column in PLAIN_KEYS[model._meta.label]:
        yield apps.get_model(label), column


def foreign_keys(model: Model) -> list[ForeignKey]:
    """Return the keys to rows of the same organization."""
    tables = tenant_tables()
    keys = [field for field in model._meta.local_fields if isinstance(field, models.ForeignKey)]
    return [key for key in keys if key.related_model in tables]


def lets_go(key: ForeignKey) -> bool:
    """Return whether the row stays when the other one is deleted."""
    return key.remote_field.on_delete in _LETS_GO


def keys_to_clear(model: Model) -> list[ForeignKey]:
    """Return the keys that are set to null first: of rows that stay, and of a table to itself, whose rows have no order."""
    return [key for key in foreign_keys(model) if key.null and (lets_go(key) or key.related_model is model)]


def in_order(tables: Collection[Model]) -> Sequence[Model]:
    """Return the tables so that each comes before those that its rows refer to."""
    left, order = [*tables], list[Model]()
    while left:
        targets = {target for model in left for target in _targets(model)}
        free = [model for model in left if model not in targets]
        assert free, f"these tables refer to each other: {left}"
        order += free
        left = [model for model in left if model in targets]
    return order


def _targets(model: Model) -> set[Model]:
    """Return the tables whose rows must outlive this one's: a row is found through its parent until it is deleted."""
    cleared_keys = keys_to_clear(model)
    targets: set[Any] = {key.related_model for key in foreign_keys(model) if key not in cleared_keys}
    plain = {parent for parent, keys in PLAIN_KEYS.items() for child, _ in keys if child == model._meta.label}
    return targets | {apps.get_model(parent) for parent in plain}
