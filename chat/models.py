"""Database models of conversations, messages, parts and runs (ARCHITECTURE 5).

A conversation is a tree of messages. A part is one context entry of a message; parts are only added, never changed. A run is one
execution of the chat agent. All ids are random UUIDs, and every row belongs to an organization.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from tenants.models import TenantForeignKey, TenantModel
from tenants.postgres.fields import VerbatimJSONField

TITLE_MAX = 200
MAX_COMMENT_CHARS = 2000
MAX_INSTRUCTIONS_CHARS = 8000  # of a project
PROJECT_COLORS = 6
PART_POSITION = "part_position"
NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class Project(TenantModel):
    """A folder of one member's conversations, with instructions and knowledge files (files.knowledge) of its own."""

    owner = TenantForeignKey("tenants.Membership", on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=80)
    description = models.CharField(max_length=200, blank=True, default="")
    color = models.PositiveSmallIntegerField(default=1)  # of the identity colours, from 1
    instructions = models.TextField(max_length=MAX_INSTRUCTIONS_CHARS, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["organization", "owner", "name"], name="project_list")]

    def __str__(self) -> str:
        return self.name


class Conversation(TenantModel):
    """One member's tree of messages."""

    class TitleSource(models.TextChoices):
        DEFAULT = "default"
        GENERATED = "generated"
        USER = "user"

    owner = TenantForeignKey("tenants.Membership", on_delete=models.CASCADE, related_name="+")
    client_id = models.CharField(max_length=64, blank=True, default="")  # the id that a client chose, if it is not a UUID
    title = models.CharField(max_length=TITLE_MAX)
    title_source = models.CharField(max_length=10, choices=TitleSource, default=TitleSource.DEFAULT)
    model_config_id = models.UUIDField(null=True, blank=True)
    # The key of the assistant that answered last or was chosen since; "": the chat agent.
    assistant = models.CharField(max_length=80, blank=True, default="", db_default="")
    # The newest message of the branch that is shown.
    head = TenantForeignKey("chat.Message", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    # Whether it is in the owner's list. Temporary ones and those of the OpenAI-compatible API are not.
    listed = models.BooleanField(default=True, db_default=True)
    # An admin tries a draft here (chat.conversations.trials). It is in no list, search or usage of a member.
    is_trial = models.BooleanField(default=False, db_default=False, editable=False)
    project = TenantForeignKey(Project, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", db_index=False)
    is_pinned = models.BooleanField(default=False, db_default=False)
    archived_at = models.DateTimeField(null=True, blank=True)  # the owner put it away; a new message brings it back
    expires_at = models.DateTimeField(null=True, blank=True)  # of a temporary one: from then on the purge deletes it
    seen_at = models.DateTimeField(db_default=Now())  # when the owner last looked; answers that ended later are unread
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField()
    # The `updated_at` up to which its texts can be searched (chat.search).
    indexed_at = models.DateTimeField(db_default=NEVER)
    deleted_at = models.DateTimeField(null=True, blank=True)
    kept_at = models.DateTimeField(null=True, editable=False)  # when its owner was removed (chat.conversations.ownership)
    admins_may_read_until = models.DateTimeField(null=True, blank=True)  # by the owner's consent (chat.conversations.admin_reading)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "owner", "client_id"], condition=~Q(client_id=""), name="conversation_client_id"
            ),
        ]
        indexes = [
            models.Index(
                fields=["organization", "owner", "-is_pinned", "-updated_at", "-id"],
                condition=Q(deleted_at=None, listed=True, archived_at=None),
                name="conversation_list",
            ),
            models.Index(
                fields=["organization", "owner", "-updated_at", "-id"],
                condition=Q(deleted_at=None, listed=True),
                name="conversation_newest",
            ),
            models.Index(
                fields=["organization", "owner", "-updated_at", "-id"],
                condition=Q(deleted_at=None, listed=True, archived_at__isnull=False),
                name="conversation_archive",
            ),
            models.Index(
                fields=["organization", "project", "-updated_at", "-id"],
                condition=Q(project__isnull=False),
                name="conversation_project",
            ),
            models.Index(fields=["organization", "expires_at"], condition=Q(expires_at__isnull=False), name="conversation_expiry"),
            models.Index(
                fields=["updated_at"],
                condition=Q(deleted_at=None, listed=True, indexed_at__lt=F("updated_at")),
                name="conversation_unindexed",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Message(TenantModel):
    """A node of the tree: a message of the user, or the assistant's answer to it."""

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"

    conversation = TenantForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    parent = TenantForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    role = models.CharField(max_length=10, choices=Role)
    client_msg_id = models.CharField(max_length=64, blank=True, default="")  # the sender's id, which makes a send idempotent
    run = TenantForeignKey("chat.Run", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True)  # everything below a deleted message is deleted, too

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "conversation", "client_msg_id"], condition=~Q(client_msg_id=""), name="message_client_msg_id"
            ),
        ]
        indexes = [models.Index(fields=["organization", "conversation", "created_at"], name="message_conversation")]

    def __str__(self) -> str:
        return f"{self.role} {self.pk}"


class MessageFeedback(TenantModel):
    """What the owner of a conversation thinks of an answer: a thumb, and why (SPEC 6.2). The organization's admins read it."""

    class Rating(models.TextChoices):
        UP = "up"
        DOWN = "down"

    class Reason(models.TextChoices):
        NOT_CORRECT = "not_correct", "Not correct"
        OUT_OF_DATE = "out_of_date", "Out of date"
        NOT_FOLLOWED = "not_followed", "Didn't follow the request"
        TOO_LONG = "too_long", "Too long"
        BAD_SOURCES = "bad_sources", "Bad sources"
        OTHER = "other", "Something else"

    message = TenantForeignKey(Message, on_delete=models.CASCADE, related_name="+")
    rating = models.CharField(max_length=4, choices=Rating)
    reasons = models.JSONField(default=list)  # values of Reason
    comment = models.CharField(max_length=MAX_COMMENT_CHARS, blank=True, default="")
    seen_at = models.DateTimeField(null=True, blank=True)  # when an admin marked it as seen; a change by the member makes it unseen
    assignee = TenantForeignKey("tenants.Membership", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "message"], name="feedback_once")]
        indexes = [
            models.Index(fields=["organization", "-created_at", "-id"], name="feedback_newest_first"),
            models.Index(fields=["organization"], condition=Q(seen_at=None), name="feedback_unseen"),
        ]
        verbose_name = verbose_name_plural = "feedback"

    def __str__(self) -> str:
        return self.rating


class Part(TenantModel):
    """One context entry (agents.engine.messages) of a message. Rows are never changed."""

    message = TenantForeignKey(Message, on_delete=models.CASCADE, related_name="parts")
    position = models.PositiveIntegerField()  # in the message, from 0
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
    """One execution of the chat agent, which answers one question. One process at a time owns it, through its lease."""

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
    # The span in which it was created, as W3C Trace Context has it; "": there are no traces. Every owner continues that trace.
    trace_parent = models.CharField(max_length=55, blank=True, default="", db_default="")
    # The recorded run that this one replays (docs/decisions/0064): its history is that run's, and tools give that run's results.
    replay_of = TenantForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    looks_up = models.BooleanField(
        default=False, db_default=False
    )  # a replay: calls that only read inside Parley may run when not recorded
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
            models.Index(fields=["organization", "-created_at", "-id"], name="run_newest_first"),
            models.Index(fields=["organization", "-created_at"], condition=Q(status="failed"), name="run_failed"),
            models.Index(fields=["organization", "finished_at"], condition=Q(finished_at__isnull=False), name="run_ended"),
        ]

    def __str__(self) -> str:
        return f"run {self.pk} {self.status}"

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE


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
        PENDING = "pending"
        APPROVED = "approved"
        DENIED = "denied"
        EXPIRED = "expired"
        WITHDRAWN = "withdrawn"  # the run ended, or the user sent a message instead

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


class SearchText(TenantModel):
    """The words of a message in the index of texts (chat.search). Written in the background, and gone with the message."""

    owner = TenantForeignKey("tenants.Membership", on_delete=models.CASCADE, related_name="+", db_index=False)
    conversation = TenantForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")
    message = TenantForeignKey(Message, on_delete=models.CASCADE, related_name="+", db_index=False)
    at = models.DateTimeField()  # when the message was written
    part_count = models.PositiveIntegerField()  # the parts that it had then
    words = SearchVectorField()  # each with its owner's key in front (chat.search.words)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "message"], name="search_text_once")]
        indexes = [
            GinIndex(fields=["words"], name="search_text_words", fastupdate=False),  # a pending list would be read by each search
            models.Index(fields=["organization", "owner", "-at"], name="search_text_newest"),
        ]

    def __str__(self) -> str:
        return f"words of {self.message_id}"


class SearchWord(TenantModel):
    """A word that a member's messages have, for queries with a typing error. It goes with the message in which it was met first."""

    owner = TenantForeignKey("tenants.Membership", on_delete=models.CASCADE, related_name="+", db_index=False)
    message = TenantForeignKey(Message, on_delete=models.CASCADE, related_name="+")
    word = models.TextField()
    trigrams = ArrayField(models.TextField())  # each with the owner's key in front

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "owner", "word"], name="search_word_once")]
        indexes = [GinIndex(fields=["trigrams"], name="search_word_trigrams", fastupdate=False)]

    def __str__(self) -> str:
        return self.word
