"""Models of artifacts, their versions and suggestions (SPEC 7.1, 7.2; ARCHITECTURE 5).

An artifact stores the plain id of its conversation, because chat is a higher layer, whose migration adds the composite key. A version is
written once: the app role can neither change nor delete one (tenants.postgres.platform_tables).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import F, Q

from tenants.models import TenantForeignKey, TenantModel

if TYPE_CHECKING:
    from tenants.models import Membership

MAX_TITLE_CHARS = 200
FILE_ID_KEY = "fileId"  # in the metadata of an image's version
MAX_CONTEXT_CHARS = 40  # on either side of a quote


class Artifact(TenantModel):
    """A named thing beside a conversation. It belongs to one member. Deleting it only marks it; its versions stay."""

    conversation_id = models.UUIDField()
    owner = TenantForeignKey("tenants.Membership", on_delete=models.RESTRICT, related_name="+")
    title = models.CharField(max_length=MAX_TITLE_CHARS)
    kind = models.CharField(max_length=20)
    latest_number = models.PositiveIntegerField(default=0)
    # The `latest_number` whose text can be searched (chat.search); 0 also when its title or its owner has changed since.
    indexed_number = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["organization", "conversation_id", "created_at"], name="artifact_conversation"),
            models.Index(fields=["organization", "owner", "-created_at", "-id"], condition=Q(deleted_at=None), name="artifact_list"),
            models.Index(
                fields=["organization", "updated_at"],
                condition=Q(deleted_at=None, indexed_number__lt=F("latest_number")),
                name="artifact_unindexed",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Version(TenantModel):
    """One complete state of an artifact."""

    class Operation(models.TextChoices):
        CREATE = "create"
        UPDATE = "update"
        FIX = "fix"
        REVERT = "revert"
        EDIT = "edit"  # made by a member in the panel
        PATCH = "patch"  # "edit just this": nothing outside a selection changed
        MERGE = "merge"  # merges an edit with what others wrote since its base

    class AuthorKind(models.TextChoices):
        AGENT = "agent"
        USER = "user"

    artifact = TenantForeignKey(Artifact, on_delete=models.RESTRICT, related_name="versions")
    number = models.PositiveIntegerField()  # from 1
    parent = models.PositiveIntegerField(null=True, blank=True)  # number of the version it was made from; None for the first
    content = models.TextField()
    operation = models.CharField(max_length=12, choices=Operation)
    is_draft = models.BooleanField(default=False)  # the writer was stopped or broke off
    author_kind = models.CharField(max_length=6, choices=AuthorKind)
    author = TenantForeignKey("tenants.Membership", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    # name of the agent that wrote it; "" for members and for older versions
    agent = models.CharField(max_length=100, blank=True, default="")
    # with `call_id`, the tool call that wrote it; a call has at most one finished version and one draft
    run_id = models.UUIDField(null=True, blank=True)
    call_id = models.CharField(blank=True, default="")  # without a maximum length, because some gateways put signatures into it
    metadata = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    other_authors: Sequence[Membership] = ()  # who wrote it together with the author, as artifacts.selectors has loaded them

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
        """Whether it is an agent's text that could not be merged with the member's (the version in the metadata's `against`)."""
        return bool(self.metadata.get("conflict"))


class Suggestion(TenantModel):
    """A change that an agent proposes and the member decides on.

    It is anchored by its quote and the text around it (artifacts.anchors).
    """

    class Status(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        STALE = "stale"  # its place was gone when it should be applied

    artifact = TenantForeignKey(Artifact, on_delete=models.RESTRICT, related_name="suggestions")
    version_number = models.PositiveIntegerField()  # the version that it was made for
    original = models.TextField()
    prefix = models.CharField(max_length=MAX_CONTEXT_CHARS, blank=True)
    suffix = models.CharField(max_length=MAX_CONTEXT_CHARS, blank=True)
    start = models.PositiveIntegerField()  # where the quote began in that version, in UTF-16 code units
    replacement = models.TextField(blank=True)
    comment = models.TextField(blank=True)
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    run_id = models.UUIDField()
    call_id = models.CharField()
    position = models.PositiveIntegerField()  # its number among those of its call, from 0
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = TenantForeignKey("tenants.Membership", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "run_id", "call_id", "position"], name="suggestion_once")]
        indexes = [models.Index(fields=["organization", "artifact", "status"], name="suggestion_of_artifact")]

    def __str__(self) -> str:
        return f"suggestion {self.position}"


class LiveDocument(TenantModel):
    """The text of an artifact that several people write at once, as Yjs has it (docs/decisions/0069).

    It stays when nobody writes any more, so that what was typed without a network is merged whenever its page comes back. Whoever changes
    it or its updates holds its row, after the artifact's.
    """

    artifact = TenantForeignKey(Artifact, on_delete=models.CASCADE, related_name="live_documents")
    version = models.PositiveIntegerField()  # whose text it had at `saved_seq`
    saved_seq = models.PositiveBigIntegerField(default=0)
    seq = models.PositiveBigIntegerField(default=0)  # number of its newest update, from 1 without gaps
    state = models.BinaryField()  # all updates to `state_seq` as one
    state_seq = models.PositiveBigIntegerField(default=0)
    authors = models.JSONField(default=list)  # ids of the memberships that wrote since `saved_seq`, the first one first
    changed_at = models.DateTimeField(null=True)  # the newest update since `saved_seq`
    changed_since = models.DateTimeField(null=True)  # the oldest one

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "artifact"], name="live_document_of_artifact")]
        indexes = [models.Index(fields=["changed_at"], condition=Q(changed_at__isnull=False), name="live_document_unsaved")]

    def __str__(self) -> str:
        return f"live text after version {self.version}"


class LiveUpdate(TenantModel):
    """One change of a live document, in Yjs's format. It is acknowledged when it is stored."""

    document = TenantForeignKey(LiveDocument, on_delete=models.CASCADE, related_name="updates")
    seq = models.PositiveBigIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "document", "seq"], name="live_update_number")]

    def __str__(self) -> str:
        return f"update {self.seq}"
