"""Rows that a plan gave, on an organization's pages."""

from __future__ import annotations

from django.db.models import Model
from django.http import HttpRequest

from admin_config.admin.base import TenantModelAdmin
from limits.models import ForSomebody


class PlanRowsReadOnly(TenantModelAdmin):
    """Base of pages of rows that a plan can give: those are the operator's, shown and not changed here."""

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return not _is_from_plan(obj) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return not _is_from_plan(obj) and super().has_delete_permission(request, obj)


def _is_from_plan(row: Model | None) -> bool:
    return isinstance(row, ForSomebody) and row.from_plan
