"""Conversations, messages, parts and runs (ARCHITECTURE 5).

A message is a node of a tree, a part is one context entry of it, a run is one execution of the chat agent. Parts are only ever
added. All ids are random UUIDs; all rows belong to an organization.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from tenants.models import TenantForeignKey, TenantModel
from tenants.postgres.fields import VerbatimJSONField

TITLE_MAX = 200
PART_POSITION = "part_position"


class Conversation(TenantModel):
    """One member's conversation. `client_id`: the id that a client chose when it is not a UUID.

    `listed`: in the owner's list; what programs ask over the OpenAI-compatible API is not. `seen_at`: up to when its owner has seen
    what happened in it; answers that ended later are unread.
    """

    class TitleSource(models.TextChoices):
        DEFAULT = "default"
        GENERATED = "generated"
        USER = "user"

    owner = TenantForeignKey("tenants.Membership", on_delete=models.CASCADE, related_name="+")
    client_id = models.CharField(max_length=64, blank=True, default="")
    title = models.CharField(max_length=TITLE_MAX)
    title_source = models.CharField(max_length=10, choices=TitleSource, default=TitleSource.DEFAULT)
    model_config_id = models.UUIDField(null=True, blank=True)
    head = TenantForeignKey("chat.Message", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    listed = models.BooleanField(default=True, db_default=True)
    seen_at = models.DateTimeField(db_default=Now())
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "owner", "client_id"], condition=~Q(client_id=""), name="conversation_client_id"
            ),
        ]
        indexes = [
            models.Index(
                fields=["organization", "owner", "-updated_at", "-id"], condition=Q(deleted_at=None, listed=True), name="conversation_list"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Message(TenantModel):
    """A user's or the assistant's turn. `client_msg_id`: the sender's id, which makes a send idempotent."""

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"

    conversation = TenantForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    parent = TenantForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    role = models.CharField(max_length=10, choices=Role)
    client_msg_id = models.CharField(max_length=64, blank=True, default="")
    run = TenantForeignKey("chat.Run", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "conversation", "client_msg_id"], condition=~Q(client_msg_id=""), name="message_client_msg_id"
            ),
        ]
        indexes = [models.Index(fields=["organization", "conversation", "created_at"], name="message_conversation")]

    def __str__(self) -> str:
        return f"{self.role} {self.pk}"


class Part(TenantModel):
    """One context entry (agents.engine.messages) of a message, `position` from 0. Never altered."""

    message = TenantForeignKey(Message, on_delete=models.CASCADE, related_name="parts")
    position = models.PositiveIntegerField()
    step = models.PositiveSmallIntegerField(default=0)
    kind = models.CharField(max_length=24)
    content = VerbatimJSONField()
    extras = VerbatimJSONField(null=True, blank=True)
    duration_ms = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "message", "position"], name=PART_POSITION)]

    def __str__(self) -> str:
        return f"{self.kind} {self.position}"


class Run(TenantModel):
    """One execution of the chat agent, owned by one process at a time through its lease.

    `epoch` is the fencing token: it grows with every change of owner, and every write of an owner names it. `open_part` is the last
    checkpoint of text that is not a part yet. `takeovers`: how many owners in a row were lost. `question` is the user's message that the run answers. `display`: what the screen says of
    it (modelName, provider, isDemo, release). `session_hash` names the browser session that began it, whose keys it may use;
    `keys_sent_for`: providers whose keys came with its request, and are nowhere but in its first owner's memory. `request_overrides`: a
    program's own instructions and settings for this answer (agents.runtime.request_overrides). `page_state`: what the page that shows the conversation
    handed over with the question (agents.runtime.page_state); None: nothing.
    """

    class Status(models.TextChoices):
        INITIALIZING = "initializing"
        THINKING = "thinking"
        EXECUTING_TOOL = "executing_tool"
        FINALIZING = "finalizing"
        WAITING_FOR_APPROVAL = "waiting_for_approval"
        WAITING_FOR_REPLY = "waiting_for_reply"
        WAITING_FOR_CLIENT = "waiting_for_client"
        DONE = "done"
        FAILED = "failed"
        STOPPED = "stopped"

    ACTIVE = (Status.INITIALIZING, Status.THINKING, Status.EXECUTING_TOOL, Status.FINALIZING)  # a process works on it, or has to
    # For a person, or for the page that shows the conversation; no process holds it.
    WAITING = (Status.WAITING_FOR_APPROVAL, Status.WAITING_FOR_REPLY, Status.WAITING_FOR_CLIENT)

    conversation = TenantForeignKey(Conversation, on_delete=models.CASCADE, related_name="runs")
    question = TenantForeignKey(Message, on_delete=models.CASCADE, related_name="+")
    answer = TenantForeignKey(Message, on_delete=models.CASCADE, related_name="+")
    release = TenantForeignKey("admin_config.Release", on_delete=models.PROTECT, related_name="+")
    model_config_id = models.UUIDField()
    display = models.JSONField(default=dict)
    thinking = models.BooleanField(default=False)
    status = models.CharField(max_length=20, choices=Status, default=Status.INITIALIZING)
    step = models.PositiveSmallIntegerField(default=0)
    epoch = models.PositiveIntegerField(default=1)
    takeovers = models.PositiveSmallIntegerField(default=0, db_default=0)
    lease_owner = models.CharField(max_length=64, blank=True, default="")
    lease_expires_at = models.DateTimeField()
    stop_requested_at = models.DateTimeField(null=True, blank=True)
    open_part = models.JSONField(null=True, blank=True)
    usage = models.JSONField(default=dict)
    error_code = models.CharField(max_length=40, blank=True, default="")
    session_hash = models.CharField(max_length=64, blank=True, default="", db_default="")
    keys_sent_for = models.JSONField(default=list, db_default=[])
    request_overrides = models.JSONField(default=dict, db_default={})
    page_state = VerbatimJSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    waited_ms = models.PositiveBigIntegerField(default=0, db_default=0)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "conversation"],
                condition=Q(finished_at=None),
                name="run_one_open",
            ),
        ]
        indexes = [
            models.Index(
                fields=["lease_expires_at"],
                condition=Q(status__in=["initializing", "thinking", "executing_tool", "finalizing"]),
                name="run_lease",
            ),
            models.Index(fields=["paused_at"], condition=Q(status="waiting_for_client"), name="run_client_wait"),
        ]

    def __str__(self) -> str:
        return f"run {self.pk} {self.status}"

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE


# What a waiting run waits for, in the client's words (docs/protocol.md).
WAITING_FOR = {
    Run.Status.WAITING_FOR_APPROVAL.value: "approval",
    Run.Status.WAITING_FOR_REPLY.value: "reply",
    Run.Status.WAITING_FOR_CLIENT.value: "client",
}


class RunInput(TenantModel):
    """What a person sent into a run (docs/decisions/0006-waits-and-inputs.md). Committed before it is acknowledged.

    `content`: of a message {"text"}, of a decision the fields of an ApprovalResponse, of an output those of a ClientOutput. `client_id`
    makes a message and an output idempotent.
    """

    class Kind(models.TextChoices):
        MESSAGE = "message"
        DECISION = "decision"
        OUTPUT = "output"

    run = TenantForeignKey(Run, on_delete=models.CASCADE, related_name="inputs")
    kind = models.CharField(max_length=10, choices=Kind)
    client_id = models.CharField(max_length=64, blank=True, default="")
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
    """A tool call that a person has to allow: bound to run, step, tool and arguments, used once, expiring (SECURITY 28).

    `approval_id` is the entries' and the client's name of it. `arguments_hash`: SHA-256 of the arguments' canonical JSON.
    """

    class Status(models.TextChoices):
        PENDING = "pending"
        APPROVED = "approved"
        DENIED = "denied"
        EXPIRED = "expired"
        WITHDRAWN = "withdrawn"  # the run ended, or a message came instead

    run = TenantForeignKey(Run, on_delete=models.CASCADE, related_name="approvals")
    approval_id = models.UUIDField()
    step = models.PositiveSmallIntegerField()
    call_id = models.CharField()  # some gateways put signatures into it
    tool_name = models.CharField(max_length=80)
    arguments_hash = models.CharField(max_length=64)
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


class PromptSnapshot(TenantModel):
    """What many model calls have in common, stored once by the SHA-256 of its JSON: system prompt, tools and context policy."""

    content_hash = models.CharField(max_length=64)
    content = VerbatimJSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "content_hash"], name="prompt_snapshot_hash")]

    def __str__(self) -> str:
        return self.content_hash[:12]


class ModelCall(TenantModel):
    """One request to a model: what it was made of, what it used, how it ended (SPEC 3.16). chat.storage.call_log rebuilds it.

    `prompt_hash` names the PromptSnapshot with its system prompt, tools and context policy. `entry_count`: of how many entries of the
    answer's branch its context was made; `own_entries` (agents.runtime.call_snapshots): what was sent besides or instead, all of it in a
    sub-agent's call. `run`: None for a call that serves a conversation after its run. `step` is the run's. `parent_call_id`: the tool
    call that a sub-agent's call worked for. `attempts`: how often it was sent; `usage` is the sum of all, `cost_usd` by the release's prices.
    """

    class Kind(models.TextChoices):
        STEP = "step"
        SUB_AGENT = "sub_agent"
        TITLE = "title"
        SUGGESTIONS = "suggestions"

    run = TenantForeignKey(Run, on_delete=models.CASCADE, null=True, blank=True, related_name="model_calls")
    conversation = TenantForeignKey(Conversation, on_delete=models.CASCADE, null=True, blank=True, related_name="model_calls")
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.STEP)
    step = models.PositiveSmallIntegerField(default=0)
    parent_call_id = models.CharField(blank=True, default="")
    agent_key = models.CharField(max_length=80)
    provider = models.CharField(max_length=40, blank=True, default="")
    endpoint = models.CharField(max_length=120, blank=True, default="")
    model = models.CharField(max_length=120)
    model_version = models.CharField(blank=True, default="")
    prompt_hash = models.CharField(max_length=64)
    entry_count = models.PositiveIntegerField()
    own_entries = VerbatimJSONField(default=list)
    settings = VerbatimJSONField()
    attempts = models.PositiveSmallIntegerField(default=1)
    usage = models.JSONField(default=dict)
    cost_usd = models.FloatField(null=True, blank=True)
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
        ]

    def __str__(self) -> str:
        return f"{self.model} {self.created_at:%Y-%m-%d %H:%M:%S}"
