"""The log of model calls, and the sums of each hour that are made from it."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from chat.models.conversations import Conversation
from chat.models.runs import Run
from tenants.models import TenantForeignKey, TenantModel
from tenants.postgres.fields import VerbatimJSONField


class PromptSnapshot(TenantModel):
    """System prompt, tools and context policy, which many model calls share. Stored once per content."""

    content_hash = models.CharField(max_length=64)  # SHA-256 (hex) of the JSON
    content = VerbatimJSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "content_hash"], name="prompt_snapshot_hash")]

    def __str__(self) -> str:
        return self.content_hash[:12]


class ModelCall(TenantModel):
    """One request to a model: what it was built from, what it used and how it ended (SPEC 3.16).

    chat.storage.call_log can rebuild the request as it was sent.
    """

    class Kind(models.TextChoices):
        STEP = "step"
        SUB_AGENT = "sub_agent"
        TITLE = "title"
        SUGGESTIONS = "suggestions"
        REPAIR = "repair"
        JUDGE = "judge"

    # None: the call served the conversation outside of a run, such as a title.
    run = TenantForeignKey(Run, on_delete=models.CASCADE, null=True, blank=True, related_name="model_calls")
    conversation = TenantForeignKey(Conversation, on_delete=models.CASCADE, null=True, blank=True, related_name="model_calls")
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.STEP)
    step = models.PositiveSmallIntegerField(default=0)  # the step of the run
    parent_call_id = models.CharField(blank=True, default="")  # the tool call for which a sub-agent made this call
    agent_key = models.CharField(max_length=80)
    provider = models.CharField(max_length=40, blank=True, default="")
    endpoint = models.CharField(max_length=120, blank=True, default="")
    model = models.CharField(max_length=120)
    model_version = models.CharField(blank=True, default="")
    prompt_hash = models.CharField(max_length=64)  # the PromptSnapshot; empty for a lost owner's call, whose request is not kept
    entry_count = models.PositiveIntegerField()  # how many entries of the answer's branch the context was built from
    # Entries that were sent in addition or instead (agents.runtime.call_snapshots); in a sub-agent's call, all of them.
    own_entries = VerbatimJSONField(default=list)
    settings = VerbatimJSONField()
    attempts = models.PositiveSmallIntegerField(default=1)  # how often the request was sent
    # SHA-256 (hex) of the body as it was sent, so that a replay can be compared byte for byte; "": nothing was sent, or its owner died.
    request_hash = models.CharField(max_length=64, blank=True, default="", db_default="")
    usage = models.JSONField(default=dict)  # the sum of all attempts
    # Whether some of the usage is an estimate, because the provider gave no final figure.
    is_estimated = models.BooleanField(default=False)
    cost_usd = models.FloatField(null=True, blank=True)  # by the prices of the release; None: no price is known
    finish_reason = models.CharField(max_length=20, blank=True, default="")
    error_code = models.CharField(max_length=40, blank=True, default="")
    first_token_ms = models.PositiveIntegerField(null=True, blank=True)
    duration_ms = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(run__isnull=False) | Q(conversation__isnull=False), name="model_call_has_a_place"),
        ]
        indexes = [
            models.Index(fields=["organization", "run", "created_at"], name="model_call_run"),
            models.Index(fields=["organization", "created_at"], name="model_call_time"),
            models.Index(fields=["organization", "prompt_hash"], name="model_call_prompt"),  # for the purge of prompts
        ]

    def __str__(self) -> str:
        return f"{self.model} {self.created_at:%Y-%m-%d %H:%M:%S}"


class HourFigures(TenantModel):
    """Sums over the runs that ended and the model calls that were made in one hour (chat.overview.rollup). Trials count apart.

    They can be made anew from runs and calls, and stay when those are purged.
    """

    hour = models.DateTimeField()  # its beginning
    runs = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    stopped = models.PositiveIntegerField(default=0)
    errors = models.JSONField(default=dict)  # error code: how many runs failed with it
    members = ArrayField(models.UUIDField(), default=list)  # memberships whose runs these were
    calls = models.PositiveIntegerField(default=0)
    unpriced_calls = models.PositiveIntegerField(default=0)
    cost_usd = models.FloatField(default=0)  # of the calls with a price
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)  # with those of thinking
    first_tokens = models.JSONField(default=dict)  # class of milliseconds (chat.overview.sums): how many answers
    trial_calls = models.PositiveIntegerField(default=0)
    trial_unpriced_calls = models.PositiveIntegerField(default=0)
    trial_cost_usd = models.FloatField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "hour"], name="hour_figures_once")]

    def __str__(self) -> str:
        return f"{self.hour:%Y-%m-%d %H}:00"
