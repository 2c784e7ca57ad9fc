"""System checks: models that would break the separation of organizations, and a database without row security."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections, models

from tenants.models import Membership, TenantForeignKey, TenantModel
from tenants.postgres.row_security_checks import row_security_problems, tenant_models


@register(Tags.database)
def check_row_security(*, databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Report the row security problems of each database (E001).

    The alias `owner` is skipped: migrations use it, and they must be able to repair what is wrong.
    """
    aliases = [alias for alias in databases or () if alias != "owner"]
    return [Error(problem, id="parley.E001") for alias in aliases for problem in row_security_problems(connections[alias])]


@register(Tags.models)
def check_tenant_models(*, app_configs: Sequence[AppConfig] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Report tenant models with plain foreign keys to tenant rows (E002) or unique constraints across organizations (E003)."""
    problems: list[CheckMessage] = []
    for model in tenant_models():
        problems += [Error(problem, obj=model, id="parley.E002") for problem in _plain_foreign_keys(model)]
        problems += [Error(problem, obj=model, id="parley.E003") for problem in _cross_tenant_uniques(model)]
    return problems


def _plain_foreign_keys(model: type[TenantModel]) -> Iterator[str]:
    for field in model._meta.local_fields:
        target = field.related_model if isinstance(field, models.ForeignKey) else None
        is_tenant_row = isinstance(target, type) and issubclass(target, (TenantModel, Membership))
        if is_tenant_row and not isinstance(field, TenantForeignKey):
            yield f"{field.name} points at rows of organizations: make it a TenantForeignKey."


def _cross_tenant_uniques(model: type[TenantModel]) -> Iterator[str]:
    """Find unique constraints that don't start with the organization: a violation tells one organization what another one has."""
    for field in model._meta.local_fields:
        if field.unique and not field.primary_key and field.name != "organization":
            yield f"{field.name} is unique across organizations: use a UniqueConstraint that starts with organization."
    for constraint in model._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint) and _first_column(constraint) != "organization":
            yield f"{constraint.name} must start with organization."


def _first_column(constraint: models.UniqueConstraint) -> str | None:
    names = [*constraint.fields, *(getattr(expression, "name", None) for expression in constraint.expressions)]
    return names[0]
