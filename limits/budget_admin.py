"""Admin page of budgets, on an organization's site."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from django.contrib.admin import display
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _

from admin_config.admin.base import badge
from admin_config.admin.sites import organization_site
from limits.forms import BudgetForm
from limits.models import Budget, Scope
from limits.plans.read_only import PlanRowsReadOnly
from limits.spending import Spending, accounts_to_watch, current_accounts, share_percent, spending_of
from tenants.localization.figures import us_dollars
from tenants.localization.language import date_in_words

CENT = Decimal("0.01")
MAX_ON_OVERVIEW = 5


class BudgetAdmin(PlanRowsReadOnly):
    """The budgets of an organization. They hold from the next message on."""

    form = BudgetForm
    list_display = ("budget_for", "period", "spending", "reserved", "begins_anew", "state", "reason")
    list_before_template = "admin/limits/budgets_intro.html"
    change_form_outer_before_template = "admin/limits/budget_spent.html"
    sortable_by = ()

    class Media:
        css: ClassVar = {"all": ("admin_config/budgets.css",)}

    def get_fields(self, request: HttpRequest, obj: Budget | None = None) -> tuple[str, ...]:
        first = ("holder", "period") if obj is None else ("budget_for", "period")
        return (*first, "amount_usd", "alert_percents", "is_active", "last_day", "reason")

    def get_readonly_fields(self, request: HttpRequest, obj: Budget | None = None) -> tuple[str, ...]:
        return () if obj is None else ("budget_for", "period")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Budget]:
        budgets: QuerySet[Budget] = super().get_queryset(request)
        most = current_accounts().filter(budget=OuterRef("pk"))
        return budgets.select_related("group", "membership__user", "assistant", "embed_site").annotate(
            most_spent=Subquery(most.values("spent_usd")[:1]), most_held=Subquery(most.values("held_usd")[:1])
        )

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        budget: Budget | None = kwargs.get("obj")
        if budget is not None:
            context["spending"] = spending_of(budget)
            context["begins_anew"] = self.begins_anew(budget)
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    @display(description=gettext_lazy("for"))
    def budget_for(self, budget: Budget) -> str:
        return str(budget)

    @display(description=gettext_lazy("spent"))
    def spending(self, budget: Any) -> str:
        """A bar and the sums; of a budget for each of many, those of whoever spent most."""
        spent_usd: Decimal = budget.most_spent or Decimal()
        words = gettext("%(spent)s of %(amount)s") if budget.is_for_one else gettext("%(spent)s of %(amount)s at most")
        return format_html(
            '<span class="parley-spent">{}</span><meter class="parley-meter" min="0" max="100" optimum="0" low="{}" high="99.9" value="{}">{} %</meter>',
            words % {"spent": dollars(spent_usd), "amount": dollars(budget.amount_usd)},
            budget.near_percent,
            min(100, share_percent(spent_usd, budget.amount_usd)),
            share_percent(spent_usd, budget.amount_usd),
        )

    @display(description=gettext_lazy("reserved"))
    def reserved(self, budget: Any) -> str:
        return dollars(budget.most_held or Decimal())

    @display(description=gettext_lazy("begins anew"))
    def begins_anew(self, budget: Budget) -> str:
        day = budget.begins_anew
        return date_in_words(day, "j M Y") if day else gettext("Never")

    @badge(gettext_lazy("state"), {"Ended": "warning", "Off": "warning", "Used up": "danger", "Applies": "success"})
    def state(self, budget: Any) -> str | tuple[str, str]:
        if budget.has_ended:
            return _("Ended")
        if not budget.is_active:
            return _("Off")
        if (budget.most_spent or Decimal()) >= budget.amount_usd:
            return _("Used up")
        return (
            (_("Applies"), gettext("Until %(last_day)s") % {"last_day": date_in_words(budget.last_day, "j M Y")})
            if budget.last_day
            else _("Applies")
        )


def dollars(amount: Decimal) -> str:
    """Return an amount in words: cents, and more digits only for what is less than a cent."""
    if not amount or amount >= CENT:
        return us_dollars(amount)
    return gettext("under %(cent)s") % {"cent": us_dollars(CENT)}


def budgets_on_overview() -> dict[str, list[Spending]]:
    """Return the organization's own budgets, and those that go to their end, for the overview of chat, the fullest first. One statement."""
    account_spendings = [Spending("", account, account.budget.amount_usd) for account in accounts_to_watch()]
    spendings = sorted(account_spendings, key=lambda spending: (spending.percent, spending.account.spent_usd), reverse=True)
    near = [spending for spending in spendings if spending.is_near_end]
    own = [spending for spending in spendings if spending.account.budget.scope == Scope.ORGANIZATION]
    return {"near_budgets": near[:MAX_ON_OVERVIEW], "own_budgets": own}


organization_site.register(Budget, BudgetAdmin)
