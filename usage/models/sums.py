"""Sums of model calls by day, in four grains (usage.call_sums), and how long the calls took."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from tenants.models import TenantModel


def cost_column() -> models.DecimalField[Any, Any]:
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
    input_tokens = models.PositiveBigIntegerField(default=0)  # with the three below
    cached_tokens = models.PositiveBigIntegerField(default=0)
    cache_write_tokens = models.PositiveBigIntegerField(default=0)
    tool_tokens = models.PositiveBigIntegerField(default=0)  # that the provider's own tools added
    output_tokens = models.PositiveBigIntegerField(default=0)  # without thinking
    thinking_tokens = models.PositiveBigIntegerField(default=0)
    cost_usd = cost_column()  # of the calls with a price

    class Meta:
        abstract = True


class UsageSum(Figures, TenantModel):
    """The model calls of one day (UTC) that have all of these in common. Nothing in it goes with a purge of runs and conversations."""

    day = models.DateField()
    kind = models.CharField(max_length=14)  # a key of usage.call_sums.KINDS
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
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["organization", "member_id", "day"], name="usage_sum_member")]
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
    """The same of all agents together."""

    day = models.DateField()
    model = models.CharField(max_length=120)
    member_id = models.UUIDField()
    project_id = models.UUIDField(null=True)
    token_id = models.UUIDField(null=True)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "day", "model", "member_id", "project_id", "token_id"],
                name="member_sum_once",
                nulls_distinct=False,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.member_id}"


class ConversationSum(Figures, TenantModel):
    """The same of one conversation. The API gives a page of them in the order of their ids, which the indexes have for each day."""

    day = models.DateField()
    conversation_id = models.UUIDField()
    member_id = models.UUIDField()  # whose it was when the call was added up
    is_trial = models.BooleanField()  # by an admin

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "day", "conversation_id", "member_id", "is_trial"], name="conversation_sum_once"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["organization", "member_id", "day", "conversation_id"],
                condition=models.Q(is_trial=False),
                name="conversation_sum_member",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.conversation_id}"


class UsageTime(TenantModel):
    """How many calls of a day took a time of one class (usage.reading.percentiles), so that percentiles of any period can be told."""

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
