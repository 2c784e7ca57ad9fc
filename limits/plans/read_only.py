"""Rows that a plan can give, on an organization's pages."""

from __future__ import annotations

from typing import Any

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from admin_config.admin.base import TenantModelAdmin
from limits.models import ScopedModel
from tenants.localization.currency import USD, shown_currency
from tenants.localization.figures import dollar_rate


class PlanRowsReadOnly(TenantModelAdmin):
    """Base of pages whose rows a plan can give. Such rows belong to the operator: organizations see them and can't change them."""

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        response: HttpResponse = super().changelist_view(request, {"currency_note": _currency_note(), **(extra_context or {})})
        return response

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return not _is_from_plan(obj) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return not _is_from_plan(obj) and super().has_delete_permission(request, obj)


def _currency_note() -> str:
    """Return a note that these amounts are in US dollars, with the rate of the currency that members see. "" if that is the US dollar."""
    currency = shown_currency()
    if currency.code == USD:
        return ""
    words = gettext("Amounts here are in US dollars. Members and mails read them in your currency, in which 1 US dollar is %(rate)s.")
    return words % {"rate": dollar_rate(currency)}


def _is_from_plan(row: Model | None) -> bool:
    return isinstance(row, ScopedModel) and row.from_plan
