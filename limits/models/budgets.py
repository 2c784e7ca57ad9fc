"""Rows of budgets: their amounts, what is spent of them, and what is on hold."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import ClassVar, Final, cast

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_lazy

from limits import periods
from limits.models.scopes import Scope, ScopedModel, scope_constraints
from tenants.models import TenantForeignKey, TenantModel

MAX_ALERTS: Final = 5
NEAR_OVER: Final = 50  # percent; an alert below it is no sign that a budget goes to its end


def default_percents() -> list[int]:
    return [80]


def percents_check(percents: Sequence[int]) -> None:
    """Raise ValidationError unless these are the shares of a budget's alerts: from 1 to 100, each once, ascending, at most MAX_ALERTS."""
    if any(not 1 <= percent <= 100 for percent in percents):
        raise ValidationError(gettext("Enter numbers from 1 to 100."))
    if len(set(percents)) < len(percents):
        raise ValidationError(gettext("Enter each number once."))
    if len(percents) > MAX_ALERTS:
        raise ValidationError(gettext("Enter at most %(count)d numbers.") % {"count": MAX_ALERTS})
    if list(percents) != sorted(percents):
        raise ValidationError(gettext("Enter the numbers from the lowest to the highest."))


class Amount(models.Model):
    """How much may be spent in a period."""

    class Period(models.TextChoices):
        DAY = "day", gettext_lazy("A day")
        MONTH = "month", gettext_lazy("A month")
        TOTAL = "total", gettext_lazy("In total")

    period = models.CharField(
        max_length=5, choices=Period, default=Period.MONTH, help_text=gettext_lazy("Days and months begin at midnight UTC.")
    )
    amount_usd = models.DecimalField(
        "amount in US dollars",
        max_digits=12,
        decimal_places=2,
        validators=[MinValueValidator(0)],
        help_text=gettext_lazy("0 blocks every message."),
    )
    alert_percents = ArrayField(
        models.PositiveSmallIntegerField(),
        verbose_name="alert at percent",
        default=default_percents,
        validators=[percents_check],
        help_text=gettext_lazy(
            "Owners get one e-mail in each period when this share is spent, and one when all is. Up to five shares, such as 50, 80, 95."
        ),
    )

    class Meta:
        abstract = True

    @property
    def near_percent(self) -> int:
        """From which share on it goes to its end, which pages point out: the first alert over NEAR_OVER, or when it is used up."""
        return min((percent for percent in self.alert_percents if percent > NEAR_OVER), default=100)


class Budget(Amount, ScopedModel):
    """How much somebody's model calls may cost in a period. Each member, or token, has an account of their own."""

    is_active = models.BooleanField("active", default=True)

    class Meta(ScopedModel.Meta):
        ordering: ClassVar[list[str]] = ["scope", "role", "period", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *scope_constraints("budget", gettext_lazy("There is already a budget for this. Change that one."), "period"),
            models.CheckConstraint(condition=~Q(scope="agent"), name="budget_no_agent"),
        ]

    @property
    def begins_anew(self) -> date | None:
        """The first day of its next period; None: it has one period."""
        return periods.next_start(cast(periods.Period, self.period), periods.utc_today())

    @property
    def is_for_one(self) -> bool:
        """Whether it has one account in a period."""
        return self.scope in (Scope.ORGANIZATION, Scope.ALL_OF_GROUP, Scope.MEMBER, Scope.ASSISTANT, Scope.EMBED)


class BudgetAccount(TenantModel):
    """What one holder has spent of a budget in one period, and what is held for calls under way (limits.budget_accounts)."""

    budget = TenantForeignKey(Budget, models.CASCADE, related_name="accounts")
    subject_id = models.UUIDField()  # the organization, the group, the membership, the API token, the assistant or the embedded chat
    starts_on = models.DateField()  # the period's first day (limits.periods)
    spent_usd = models.DecimalField(max_digits=20, decimal_places=8, default=0)
    estimated_usd = models.DecimalField(max_digits=20, decimal_places=8, default=0)  # how much of it is an estimate
    held_usd = models.DecimalField(max_digits=20, decimal_places=8, default=0)
    unpriced_calls = models.PositiveIntegerField(default=0)  # calls of models without a price: they add nothing
    alerted_usd = models.DecimalField(max_digits=20, decimal_places=8, null=True)  # what was spent when owners were last told; None: never
    alerted_percent = models.PositiveSmallIntegerField(null=True)  # the share that this was then, 100 at most
    created_at = models.DateTimeField(db_default=Now(), editable=False)  # when the first call of the period was counted

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "budget", "subject_id", "starts_on"], name="budget_account_once"),
        ]

    def __str__(self) -> str:
        return gettext("%(spent_usd)s since %(starts_on)s") % {"spent_usd": self.spent_usd, "starts_on": self.starts_on}


class Hold(TenantModel):
    """What one model call may cost, in one account, until it is settled."""

    account = TenantForeignKey(BudgetAccount, models.CASCADE, related_name="holds")
    call_id = models.UUIDField()  # of the row in the call log
    amount_usd = models.DecimalField(max_digits=20, decimal_places=8)
    until = models.DateTimeField()  # then the process that made it is lost

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "call_id", "account"], name="hold_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["until"], name="hold_until")]

    def __str__(self) -> str:
        return gettext("%(amount_usd)s for %(call_id)s") % {"amount_usd": self.amount_usd, "call_id": self.call_id}
