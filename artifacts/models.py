"""Artifacts and their versions (SPEC 7.1, 7.2; ARCHITECTURE 5).

An artifact is known here by the plain id of its conversation: chat is a layer above. A version is written once; the database role
of the application can neither change nor delete one (migration 0001).
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from tenants.models import TenantForeignKey, TenantModel

MAX_TITLE_LENGTH = 200
FILE_ID_KEY = "fileId"  # in the metadata of an image's version
MAX_CONTEXT_LENGTH = 40  # characters on either side of a quote


class Artifact(TenantModel):
    """A named thing beside a conversation. It belongs to one member; deleting it marks it, its versions stay."""

    conversation_id = models.UUIDField()
    owner = TenantForeignKey("tenants.Membership", on_delete=models.RESTRICT, related_name="+")
    title = models.CharField(max_length=MAX_TITLE_LENGTH)
    kind = models.CharField(max_length=20)
    latest_number = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["organization", "conversation_id", "created_at"], name="artifact_conversation"),
            models.Index(fields=["organization", "owner", "-created_at", "-id"], condition=Q(deleted_at=None), name="artifact_list"),
        ]

    def __str__(self) -> str:
        return self.title


class Version(TenantModel):
    """One whole state of an artifact, `number` from 1.

    `parent` is the number it was made from, None for the first. `is_draft`: the writer was stopped or broke off. `run_id` and
    `call_id` name the tool call that wrote it; one call has at most one finished version and one draft. `agent`: the name of the
    agent that wrote it, "" for members and for agents of before.
    """

    class Operation(models.TextChoices):
        CREATE = "create"
        UPDATE = "update"
        FIX = "fix"
        REVERT = "revert"
        EDIT = "edit"  # by a member in the panel
        PATCH = "patch"  # "edit just this": nothing outside of a selection changed
        MERGE = "merge"  # of an edit with what others wrote since its base

    class AuthorKind(models.TextChoices):
        AGENT = "agent"
        USER = "user"

    artifact = TenantForeignKey(Artifact, on_delete=models.RESTRICT, related_name="versions")
    number = models.PositiveIntegerField()
    parent = models.PositiveIntegerField(null=True, blank=True)
    content = models.TextField()
    operation = models.CharField(max_length=12, choices=Operation)
    is_draft = models.BooleanField(default=False)
    author_kind = models.CharField(max_length=6, choices=AuthorKind)
    author = TenantForeignKey("tenants.Membership", on_delete=models.RESTRICT, null=True, blank=True, related_name="+")
    agent = models.CharField(max_length=100, blank=True, default="")
    run_id = models.UUIDField(null=True, blank=True)
    call_id = models.CharField(blank=True, default="")  # some gateways put signatures into it
    metadata = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "artifact", "number"], name="version_number"),
            models.UniqueConstraint(
                fields=["organization", "run_id", "call_id", "is_draft"], condition=~Q(call_id=""), name="version_once_per_call"
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.number}"

    @property
    def is_conflict(self) -> bool:
        """An agent's text that could not be merged with what the member had typed meanwhile (version `against` of the metadata)."""
        return bool(self.metadata.get("conflict"))


class Suggestion(TenantModel):
    """A change that an agent proposes and the member decides on: `original` is to become `replacement`.

    It is anchored by what it quotes and by the text around it (artifacts.anchors); `start` is where the quote stood in version
    `version_number`, in UTF-16 code units. `position`: its number among those of its call, from 0. Stale: when it was to be
    applied, its place was gone.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        STALE = "stale"

    artifact = TenantForeignKey(Artifact, on_delete=models.RESTRICT, related_name="suggestions")
    version_number = models.PositiveIntegerField()
    original = models.TextField()
    prefix = models.CharField(max_length=MAX_CONTEXT_LENGTH, blank=True)
    suffix = models.CharField(max_length=MAX_CONTEXT_LENGTH, blank=True)
    start = models.PositiveIntegerField()
    replacement = models.TextField(blank=True)
    comment = models.TextField(blank=True)
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    run_id = models.UUIDField()
    call_id = models.CharField()
    position = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = TenantForeignKey("tenants.Membership", on_delete=models.RESTRICT, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "run_id", "call_id", "position"], name="suggestion_once")]
        indexes = [models.Index(fields=["organization", "artifact", "status"], name="suggestion_of_artifact")]

    def __str__(self) -> str:
        return f"suggestion {self.position}"
