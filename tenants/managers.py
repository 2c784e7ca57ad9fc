"""Managers whose statements carry the current organization.

The organization is read when a statement is compiled, not when the queryset is built, so that forms and admin classes may build querysets
at import. Without a tenant context the statement raises NoTenantContext.
"""

from __future__ import annotations

from typing import Any, Self, TypeVar

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.sql.compiler import SQLCompiler

from tenants.context import current_organization_id
from tenants.errors import NoTenantContext

Row = TypeVar("Row", bound=models.Model)


class CurrentOrganization(models.Expression):
    """SQL expression: the id of the organization whose `tenant_tx` is open."""

    def __init__(self) -> None:
        super().__init__(output_field=models.UUIDField())

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        return "%s", (current_organization_id(),)


_filtered: dict[type[models.Model], models.QuerySet[Any]] = {}
_CURRENT = CurrentOrganization()  # shared: building its field takes longer than the rest of a queryset


class TenantQuerySet(models.QuerySet[Row]):
    """QuerySet that inserts only into the current organization; TenantManager filters all other statements."""

    def _insert(self, objs: list[Any], fields: Any, **kwargs: Any) -> Any:
        organization_id = current_organization_id()
        if any(row.organization_id != organization_id for row in objs):
            raise NoTenantContext("A row of one organization cannot be written in the transaction of another.")
        return super()._insert(objs, fields, **kwargs)  # type: ignore[misc]

    def with_rows(self, rows: list[Row], **conditions: object) -> Self:
        """This queryset with the rows that these conditions give, loaded already. What is asked beyond them goes to the database."""
        self._result_cache = rows
        self._prefetch_done = True
        # Django puts these into the statement when it needs one.
        self._deferred_filter = (False, (), {"organization_id": _CURRENT, **conditions})
        return self


class TenantManager(models.Manager[Row]):
    """Manager that limits every select, update and delete to the current organization.

    Statements raise NoTenantContext when there is none.
    """

    _queryset_class = TenantQuerySet

    def get_queryset(self) -> models.QuerySet[Row]:
        """A copy of the filtered queryset: each row of a prefetch takes one, and a copy costs a fifth of the filter."""
        queryset = _filtered.get(self.model)
        if queryset is None:
            queryset = _filtered[self.model] = TenantQuerySet(self.model).filter(organization_id=_CURRENT)
        return queryset.using(self._db)
