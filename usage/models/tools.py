"""Sums of tools' results by day."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from tenants.models import TenantModel


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
