"""Rows of limits on messages, answers, tokens and cost."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from admin_config.defaults.platform import agent_label
from limits.allowances import MICRO
from limits.models.scopes import ScopedModel, scope_constraints

NUMBERS: Final = ("per_minute", "per_hour", "per_day", "per_month")  # in the order of limits.allowances.SECONDS


def _number(name: str) -> models.DecimalField[Any, Any]:
    """Return a column of numbers that fit into a bigint as millionths (limits.selectors)."""
    return models.DecimalField(name, max_digits=14, decimal_places=2, null=True, blank=True, validators=[MinValueValidator(0)])


class OutagePolicy(models.TextChoices):
    """What a limit does with what comes while Redis, which counts, can't be reached."""

    BY_KIND = "by_kind", gettext_lazy("By kind of limit")
    PASS = "pass", gettext_lazy("Let through")
    REFUSE = "refuse", gettext_lazy("Refuse")


class WindowedLimit(models.Model):
    """What is counted, and how much of it somebody has in each window. An empty number means: what the next wider limit says."""

    class Measure(models.TextChoices):
        MESSAGES = "messages", gettext_lazy("Messages")
        RUNS = "runs", gettext_lazy("Answers")
        TOKENS = "tokens", gettext_lazy("Tokens")
        COST = "cost", gettext_lazy("US dollars")

    measure = models.CharField("counts", max_length=8, choices=Measure, default=Measure.MESSAGES)
    per_minute = _number("a minute")
    per_hour = _number("an hour")
    per_day = _number("a day")
    per_month = _number("in 30 days")
    when_away = models.CharField(
        "while Redis is away",
        max_length=7,
        choices=OutagePolicy,
        default=OutagePolicy.BY_KIND,
        help_text=gettext_lazy(
            "Redis counts. By kind: limits on messages and answers let messages through uncounted, limits on tokens and US dollars refuse them."
        ),
    )

    class Meta:
        abstract = True

    @property
    def counts(self) -> tuple[int | None, ...]:
        """The numbers, in the units of limits.allowances.Allowance."""
        unit = MICRO if self.measure == self.Measure.COST else 1
        numbers = [getattr(self, name) for name in NUMBERS]
        return tuple(None if number is None else int(number * unit) for number in numbers)


class RateLimit(WindowedLimit, ScopedModel):
    """How many messages somebody may send, runs start, tokens use, or US dollars spend."""

    # The name of an agent, over all providers, by which other agents call it, too: "document_agent" (docs/decisions/0097).
    agent = models.CharField(max_length=80, blank=True)

    class Meta(ScopedModel.Meta):
        verbose_name = "limit"
        ordering: ClassVar[list[str]] = ["scope", "role", "measure", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *scope_constraints("rate_limit", gettext_lazy("There is already a limit for this. Change that one."), "agent", "measure"),
            models.CheckConstraint(condition=Q(scope="agent") ^ Q(agent=""), name="rate_limit_agent"),
            models.CheckConstraint(condition=~Q(scope="agent", measure="messages"), name="rate_limit_agent_measure"),
            models.CheckConstraint(condition=~Q(scope="all_of_group"), name="rate_limit_not_all_of_group"),
        ]

    def __str__(self) -> str:
        return agent_label(self.agent) if self.agent else super().__str__()
