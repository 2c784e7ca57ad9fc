"""Database models of usage: sums by day over the call log, calculations beside it, and comparisons with providers' own figures."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from tenants.models import TenantForeignKey, TenantModel


def _cost() -> models.DecimalField[Any, Any]:
    """US dollars. A price per million tokens has six decimals, so every cost is a whole number of the twelfth decimal: sums are exact."""
    return models.DecimalField(max_digits=24, decimal_places=12, default=0)


class Figures(models.Model):
    """What is added up of model calls."""

    calls = models.PositiveBigIntegerField(default=0)
    answers = models.PositiveBigIntegerField(default=0)  # first steps of chat runs that did not fail
    failed_calls = models.PositiveBigIntegerField(default=0)
    estimated_calls = models.PositiveBigIntegerField(default=0)  # whose usage the provider never told
    unpriced_calls = models.PositiveBigIntegerField(default=0)
    unpriced_tokens = models.PositiveBigIntegerField(default=0)  # of all kinds, in calls without a known price
    input_tokens = models.PositiveBigIntegerField(default=0)  # with those of the cache
    cached_tokens = models.PositiveBigIntegerField(default=0)
    cache_write_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)  # without thinking
    thinking_tokens = models.PositiveBigIntegerField(default=0)
    cost_usd = _cost()  # of the calls with a price

    class Meta:
        abstract = True


class UsageSum(Figures, TenantModel):
    """The model calls of one day (UTC) that have all of these in common. Nothing in it goes with a purge of runs and conversations."""

    day = models.DateField()
    kind = models.CharField(max_length=14)  # a key of usage.ledger.KINDS
    agent = models.CharField(max_length=80)  # the agent's key
    assistant = models.CharField(max_length=80, blank=True)  # the assistant's key; "": the chat agent
    provider = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=120)
    member_id = models.UUIDField()  # whose conversation it was
    project_id = models.UUIDField(null=True)  # where the conversation lay when the call was added up
    token_id = models.UUIDField(null=True)  # the API token that asked

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "day", "kind", "agent", "assistant", "provider", "model", "member_id", "project_id", "token_id"],
                name="usage_sum_once",
                nulls_distinct=False,
            ),
        ]
        verbose_name = verbose_name_plural = "usage"

    def __str__(self) -> str:
        return f"{self.day} {self.model}"


class ModelSum(Figures, TenantModel):
    """The same of all members together: pages that ask for nobody in particular read a hundredth of the rows."""

    day = models.DateField()
    kind = models.CharField(max_length=14)
    agent = models.CharField(max_length=80)
    assistant = models.CharField(max_length=80, blank=True)
    provider = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=120)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "day", "kind", "agent", "assistant", "provider", "model"], name="model_sum_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.model}"


class MemberSum(Figures, TenantModel):
    """The same of all agents and models together."""

    day = models.DateField()
    member_id = models.UUIDField()
    project_id = models.UUIDField(null=True)
    token_id = models.UUIDField(null=True)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "day", "member_id", "project_id", "token_id"], name="member_sum_once", nulls_distinct=False
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.member_id}"


class UsageTime(TenantModel):
    """How many calls of a day took a time of one class (usage.reading.times), so that percentiles of any period can be told."""

    day = models.DateField()
    kind = models.CharField(max_length=14)
    agent = models.CharField(max_length=80)
    assistant = models.CharField(max_length=80, blank=True)
    provider = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=120)
    measure = models.CharField(max_length=8)  # "first": to the first token; "whole": of the call
    place = models.PositiveSmallIntegerField()  # the class
    calls = models.PositiveBigIntegerField()

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "day", "kind", "agent", "assistant", "provider", "model", "measure", "place"],
                name="usage_time_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.measure} {self.place}"


class ToolFigures(models.Model):
    """What is added up of results of tools."""

    calls = models.PositiveBigIntegerField()  # that ended, each with its result
    failed_calls = models.PositiveBigIntegerField()
    denied_calls = models.PositiveBigIntegerField()  # which the user did not allow
    timed_calls = models.PositiveBigIntegerField()  # whose time is known
    duration_ms = models.PositiveBigIntegerField()  # of these together
    result_chars = models.PositiveBigIntegerField()  # of the results that went into the context; of the provider's own tools nobody knows

    class Meta:
        abstract = True


class ToolSum(ToolFigures, TenantModel):
    """The results of tools on one day (UTC) that have all of these in common. A purge of conversations takes nothing from it."""

    day = models.DateField()
    tool = models.CharField(max_length=200)  # a longer name, which a model may make up, is cut
    by_provider = models.BooleanField()  # the provider ran it while it answered
    agent = models.CharField(max_length=80)  # the key of the agent that called it; "": no call of a model is left of the run
    assistant = models.CharField(max_length=80, blank=True)
    member_id = models.UUIDField()
    project_id = models.UUIDField(null=True)
    token_id = models.UUIDField(null=True)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "day", "tool", "by_provider", "agent", "assistant", "member_id", "project_id", "token_id"],
                name="tool_sum_once",
                nulls_distinct=False,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.tool}"


class ToolAgentSum(ToolFigures, TenantModel):
    """The same of all members together, for pages that ask for nobody in particular."""

    day = models.DateField()
    tool = models.CharField(max_length=200)
    by_provider = models.BooleanField()
    agent = models.CharField(max_length=80)
    assistant = models.CharField(max_length=80, blank=True)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "day", "tool", "by_provider", "agent", "assistant"], name="tool_agent_sum_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.tool}"


class UsageConversation(TenantModel):
    """What a conversation used in a month, for the list of those that cost most."""

    month = models.DateField()  # its first day
    conversation_id = models.UUIDField()
    member_id = models.UUIDField()
    calls = models.PositiveBigIntegerField()
    tokens = models.PositiveBigIntegerField()
    unpriced_tokens = models.PositiveBigIntegerField()
    cost_usd = _cost()

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "month", "conversation_id"], name="usage_conversation_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["organization", "month", "-cost_usd", "-tokens"], name="usage_conversation_top"),
        ]

    def __str__(self) -> str:
        return f"{self.month} {self.conversation_id}"


class UsageProgress(TenantModel):
    """Up to when an organization's calls are added up. Its lock keeps two workers from adding the same calls.

    And what was found when somebody last looked for ways to save.
    """

    summed_until = models.DateTimeField()
    hints = models.JSONField(default=list)  # how to save: usage.savings.hints.Hint
    hints_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization"], name="usage_progress_once"),
        ]

    def __str__(self) -> str:
        return f"{self.summed_until:%Y-%m-%d %H:%M}"


class OrganizationStorage(TenantModel):
    """What the organization's files take (usage.platform.storage)."""

    size_bytes = models.PositiveBigIntegerField()
    counted_at = models.DateTimeField()

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization"], name="organization_storage_once"),
        ]

    def __str__(self) -> str:
        return f"{self.size_bytes} bytes"


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
    cost_usd = _cost()
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
