"""Projects, conversations, their messages, what people think of answers, and the parts of messages."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from tenants.models import TenantForeignKey, TenantModel
from tenants.postgres.fields import VerbatimJSONField

MAX_TITLE_CHARS = 200
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
    title = models.CharField(max_length=MAX_TITLE_CHARS)
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
    # The agents that have worked in it up to then, for the search's filter.
    agent_keys = ArrayField(models.CharField(max_length=80), default=list, db_default=[], editable=False)
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
                fields=["organization", "updated_at"],
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
        NOT_CORRECT = "not_correct", gettext_lazy("Not correct")
        OUT_OF_DATE = "out_of_date", gettext_lazy("Out of date")
        NOT_FOLLOWED = "not_followed", gettext_lazy("Not what was asked for")
        TOO_LONG = "too_long", gettext_lazy("Too long")
        BAD_SOURCES = "bad_sources", gettext_lazy("Bad sources")
        OTHER = "other", gettext_lazy("Something else")

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
    """One context entry (agents.messages) of a message. Rows are never changed."""

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
        indexes = [
            # Results of tools, for the usage by tool (usage.tools.result_sums).
            models.Index(
                fields=["organization", "created_at"],
                condition=Q(kind__in=["tool_result", "provider_tool_call", "sub_agent"]),
                name="part_tool_ended",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.position}"
