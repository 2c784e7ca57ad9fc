"""Admin page of the rates at which costs are shown in another currency than US dollars."""

from __future__ import annotations

from django.contrib.admin import display
from django.utils.translation import gettext_lazy

from admin_config.admin.base import TenantModelAdmin
from admin_config.forms.base import TenantForm
from admin_config.models import CurrencyRate
from tenants.localization.figures import figure_as_it_is


class CurrencyRateForm(TenantForm[CurrencyRate]):
    """A rate, of which each day has one."""


class CurrencyRateAdmin(TenantModelAdmin):
    """The dated rates of an organization."""

    form = CurrencyRateForm
    list_display = ("valid_from", "currency", "rate")
    list_before_template = "admin/limits/currency_intro.html"
    ordering = ("-valid_from",)
    sortable_by = ()
    fields = ("valid_from", "currency", "per_usd")

    @display(description=gettext_lazy("one US dollar is"))
    def rate(self, row: CurrencyRate) -> str:
        return f"{figure_as_it_is(float(row.per_usd))} {row.currency}"
