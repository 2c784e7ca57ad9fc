"""Runs, what they have shown and not stored yet, what people send into them, and the approvals that they wait for."""

from __future__ import annotations

from typing import Final, Literal

from django.db import models
from django.db.models import F, Func, Q
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce
from django.utils.translation import gettext_lazy

from chat.models.conversations import Conversation, Message
from tenants.models import TenantForeignKey, TenantModel
from tenants.postgres.fields import VerbatimJSONField

_TOKENS: Final = sum(
    (Coalesce(Cast(KT(f"usage__{kind}_tokens"), models.BigIntegerField()), 0) for kind in ("output", "thinking")),
    Coalesce(Cast(KT("usage__input_tokens"), models.BigIntegerField()), 0),
)
_DURATION_MS: Final = Func(
    F("finished_at"),
    F("created_at"),
    template="(extract(epoch from %(expressions)s) * 1000)::bigint",
    arg_joiner=" - ",
    output_field=models.BigIntegerField(),
) - F("waited_ms")


class Run(TenantModel):
    """One execution of the chat agent, which answers one question. One process at a time owns it, through its lease."""

    class Status(models.TextChoices):
        INITIALIZING = "initializing", gettext_lazy("Starting")
        THINKING = "thinking", gettext_lazy("Thinking")
        EXECUTING_TOOL = "executing_tool", gettext_lazy("Running a tool")
        FINALIZING = "finalizing", gettext_lazy("Ending")
        WAITING_FOR_APPROVAL = "waiting_for_approval", gettext_lazy("Waiting for approval")
        WAITING_FOR_REPLY = "waiting_for_reply", gettext_lazy("Waiting for a reply")
        WAITING_FOR_CLIENT = "waiting_for_client", gettext_lazy("Waiting for the page")
        DONE = "done", gettext_lazy("Done")
        FAILED = "failed", gettext_lazy("Failed")
        STOPPED = "stopped", gettext_lazy("Stopped")

    # A process works on the run, or has to.
    ACTIVE = (Status.INITIALIZING, Status.THINKING, Status.EXECUTING_TOOL, Status.FINALIZING)
    # The run waits for a person, or for the page that shows the conversation. No process owns it.
    WAITING = (Status.WAITING_FOR_APPROVAL, Status.WAITING_FOR_REPLY, Status.WAITING_FOR_CLIENT)

    conversation = TenantForeignKey(Conversation, on_delete=models.CASCADE, related_name="runs")
    question = TenantForeignKey(Message, on_delete=models.CASCADE, related_name="+")  # the user's message that the run answers
    answer = TenantForeignKey(Message, on_delete=models.CASCADE, related_name="+")
    release = TenantForeignKey("admin_config.Release", on_delete=models.PROTECT, related_name="+")
    model_config_id = models.UUIDField()
    assistant = models.CharField(
        max_length=80, blank=True, default="", db_default=""
    )  # the key of the assistant that answers; "": the chat agent
    display = models.JSONField(default=dict)  # what the screen shows about the run: modelName, provider, isDemo, release, assistant
    thinking = models.BooleanField(default=False)
    # What the member switched on or off for this answer, by key (admin_config.services.switches); missing: as it is at first.
    switches = models.JSONField(default=dict, db_default={})
    status = models.CharField(max_length=20, choices=Status, default=Status.INITIALIZING)
    step = models.PositiveSmallIntegerField(default=0)
    epoch = models.PositiveIntegerField(default=1)  # the fencing token: grows with each owner, and every write of an owner names it
    takeovers = models.PositiveSmallIntegerField(default=0, db_default=0)  # how many owners in a row were lost
    lease_owner = models.CharField(max_length=64, blank=True, default="")
    lease_expires_at = models.DateTimeField()
    stop_requested_at = models.DateTimeField(null=True, blank=True)
    usage = models.JSONField(default=dict)
    error_code = models.CharField(max_length=40, blank=True, default="")
    session_hash = models.CharField(max_length=64, blank=True, default="", db_default="")  # the browser session whose keys it may use
    # Providers whose keys came with the request. The keys themselves exist only in the memory of the first owner.
    keys_sent_for = models.JSONField(default=list, db_default=[])
    token_id = models.UUIDField(null=True, blank=True)  # the API token that asked; the run ends when it does
    # A program's own instructions and settings for this answer (agents.runtime.request_overrides).
    request_overrides = models.JSONField(default=dict, db_default={})
    # What the page around the chat handed over with the question (agents.runtime.page_state); None: nothing.
    page_state = VerbatimJSONField(null=True, blank=True)
    # Names of the tools that this page said it carries out (agents.tools.sources.page_tool).
    page_tools = models.JSONField(default=list, db_default=[])
    # The span in which it was created, as W3C Trace Context has it; "": there are no traces. Every owner continues that trace.
    trace_parent = models.CharField(max_length=55, blank=True, default="", db_default="")
    # The recorded run that this one replays (docs/decisions/0064): its history is that run's, and tools give that run's results.
    replay_of = TenantForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    looks_up = models.BooleanField(
        default=False, db_default=False
    )  # a replay: calls that only read inside Parley may run when not recorded
    # A replay: how an admin settled calls that were not recorded, by call id (agents.runtime.replay.settled_calls).
    settled_calls = models.JSONField(default=dict, db_default={})
    # A replay: other words for its tools, by name (agents.runtime.replay.recorded_calls.DefinitionChange).
    tool_definitions = models.JSONField(default=dict, db_default={})
    # A trial: what its tools give instead of running (agents.runtime.replay.recorded_calls.GivenResult); None: they run.
    tool_results = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    waited_ms = models.PositiveBigIntegerField(default=0, db_default=0)
    finished_at = models.DateTimeField(null=True, blank=True)
    # What lists of runs are searched by. The cost is written with the calls, in the same transaction.
    cost_usd = models.FloatField(null=True, blank=True, default=0.0, db_default=0.0)  # None: a call has no known price
    tokens = models.GeneratedField(expression=_TOKENS, output_field=models.BigIntegerField(), db_persist=True)
    duration_ms = models.GeneratedField(
        expression=_DURATION_MS, output_field=models.BigIntegerField(), db_persist=True
    )  # without waits; None: it goes on

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "conversation"],
                condition=Q(finished_at=None),
                name="run_one_open",
            ),
        ]
        indexes = [
            # No index may have a column that the heartbeat writes: then its update of each second would add an entry to every index.
            models.Index(
                fields=["organization", "conversation"],
                condition=Q(status__in=["initializing", "thinking", "executing_tool", "finalizing"]),
                name="run_active",
            ),
            models.Index(fields=["paused_at"], condition=Q(status="waiting_for_client"), name="run_client_wait"),
            # The last columns are no part of the order: lists are searched by them in the index, without reading runs that don't match.
            models.Index(fields=["organization", "-created_at", "-id", "cost_usd", "duration_ms", "tokens"], name="run_newest_first"),
            models.Index(fields=["organization", "-created_at"], condition=Q(status="failed"), name="run_failed"),
            models.Index(fields=["organization", "finished_at"], condition=Q(finished_at__isnull=False), name="run_ended"),
        ]

    def __str__(self) -> str:
        return f"run {self.pk} {self.status}"

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE


class RunTool(TenantModel):
    """A tool that gave a result in a run, also to a sub-agent: runs are found by it. Stored with the result.

    A table of its own, because row security lets no index find an element of an array.
    """

    run = TenantForeignKey(Run, on_delete=models.CASCADE, related_name="tools")
    name = models.CharField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "run", "name"], name="run_tool_once")]
        indexes = [models.Index(fields=["organization", "name", "run"], name="run_tool_name")]

    def __str__(self) -> str:
        return self.name


# What a waiting run waits for, as the protocol names it (docs/protocol.md).
WaitReason = Literal["approval", "reply", "client"]
WAITING_FOR: dict[str, WaitReason] = {
    Run.Status.WAITING_FOR_APPROVAL.value: "approval",
    Run.Status.WAITING_FOR_REPLY.value: "reply",
    Run.Status.WAITING_FOR_CLIENT.value: "client",
}


class OpenText(TenantModel):
    """What a run showed in a second and has not stored as parts yet, for an owner that has to end the run (docs/decisions/0018).

    And the model calls that were open, so that the next owner can book what a lost one had spent (docs/decisions/0022).
    Rows are only added, and deleted when the parts are stored. One row with all text, rewritten each second, made the database's log
    grow with the square of the answer's length.
    """

    run = TenantForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    epoch = models.PositiveIntegerField()  # the owner's
    number = models.PositiveIntegerField()  # grows with each row of an owner
    position = models.PositiveIntegerField()  # where it will be stored: it is open while the answer has so many parts
    parts = models.JSONField()  # chat.storage.leases.Checkpoint
    calls = models.JSONField(default=list, db_default=[])  # the same

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "run", "epoch", "number"], name="open_text_number")]

    def __str__(self) -> str:
        return f"open text {self.epoch}.{self.number}"


class RunInput(TenantModel):
    """What a person sent into a run (docs/decisions/0006-waits-and-inputs.md). It is committed before it is acknowledged."""

    class Kind(models.TextChoices):
        MESSAGE = "message"
        DECISION = "decision"
        OUTPUT = "output"

    run = TenantForeignKey(Run, on_delete=models.CASCADE, related_name="inputs")
    kind = models.CharField(max_length=10, choices=Kind)
    client_id = models.CharField(max_length=64, blank=True, default="")  # makes a message or an output idempotent
    # Message: {"text": ...}. Decision: the fields of an ApprovalResponse. Output: the fields of a ClientOutput.
    content = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    delivered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "run", "client_id"], condition=~Q(client_id=""), name="run_input_once"),
        ]
        indexes = [models.Index(fields=["organization", "run", "created_at"], condition=Q(delivered_at=None), name="run_input_waiting")]

    def __str__(self) -> str:
        return f"{self.kind} {self.created_at:%Y-%m-%d %H:%M:%S}"


class Approval(TenantModel):
    """A tool call that a person has to allow. It is bound to run, step, tool and arguments, is used once, and expires (SECURITY 28)."""

    class Status(models.TextChoices):
        PENDING = "pending", gettext_lazy("Pending")
        APPROVED = "approved", gettext_lazy("Approved")
        DENIED = "denied", gettext_lazy("Denied")
        EXPIRED = "expired", gettext_lazy("Expired")
        WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn")  # the run ended, or the user sent a message instead

    run = TenantForeignKey(Run, on_delete=models.CASCADE, related_name="approvals")
    approval_id = models.UUIDField()  # the id that entries and clients use
    step = models.PositiveSmallIntegerField()
    call_id = models.CharField()  # without a limit: some gateways put signatures into it
    tool_name = models.CharField(max_length=80)
    arguments_hash = models.CharField(max_length=64)  # SHA-256 (hex) of the arguments' canonical JSON
    host = models.CharField(blank=True, default="")  # the host that may be allowed for the rest of the conversation; "": none
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    reason = models.CharField(max_length=500, blank=True, default="")
    decided_by = TenantForeignKey("tenants.Membership", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "run", "approval_id"], name="approval_once")]
        indexes = [models.Index(fields=["expires_at"], condition=Q(status="pending"), name="approval_expiry")]

    def __str__(self) -> str:
        return f"{self.tool_name} {self.status}"
