"""Calculations beside the call log: later prices, and a provider's own figures."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from tenants.models import TenantForeignKey, TenantModel
from usage.models.sums import cost_column


class Repricing(TenantModel):
    """A calculation of what calls that had no price would have cost by the prices that are set now. The calls keep their unknown cost."""

    first = models.DateField()
    last = models.DateField()
    done_until = models.DateField(null=True)  # the last day that is calculated; a worker goes on with the next one
    asked_by = TenantForeignKey("tenants.Membership", on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["organization", "-created_at"], name="repricing_newest")]

    def __str__(self) -> str:
        return f"{self.first} to {self.last}"

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def days_done(self) -> int:
        return (self.done_until - self.first).days + 1 if self.done_until else 0

    @property
    def is_done(self) -> bool:
        return self.done_until == self.last


class RepricedSum(TenantModel):
    """What a calculation found for one day and model."""

    repricing = TenantForeignKey(Repricing, on_delete=models.CASCADE, related_name="sums")
    day = models.DateField()
    provider = models.CharField(max_length=40)
    model = models.CharField(max_length=120)
    calls = models.PositiveBigIntegerField()
    tokens = models.PositiveBigIntegerField()
    cost_usd = cost_column()
    prices = models.CharField(max_length=400)  # those that were used, in words

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "day", "provider", "model", "repricing"], name="repriced_sum_once"),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.model}"


class Reconciliation(TenantModel):
    """A comparison of a provider's usage export with the call log."""

    provider = models.CharField(max_length=40)
    file_name = models.CharField(max_length=200)
    first = models.DateField()
    last = models.DateField()
    lines = models.PositiveIntegerField()  # days and models that were compared
    differences = models.JSONField(default=list)  # usage.reconciliation.comparison.Difference
    asked_by = TenantForeignKey("tenants.Membership", on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["organization", "-created_at"], name="reconciliation_newest")]

    def __str__(self) -> str:
        return f"{self.provider} {self.first} to {self.last}"
