"""Models of files that members attach and models make (SPEC 6.5; docs/decisions/0007-files.md), and of the store of their bytes."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from files.extraction.claims import ClaimableFile
from files.knowledge.models import KnowledgeFile
from tenants.models import TenantForeignKey, TenantModel

__all__ = ["MAX_NAME_CHARS", "MAX_TEXT_CHARS", "File", "KnowledgeFile", "KnownStore"]

MAX_NAME_CHARS = 200
MAX_TEXT_CHARS = 200_000  # of a file's text that are stored


class KnownStore(models.Model):
    """The one store that has this database's files: a marker in it has the same id (files.store.marker)."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    store_id = models.UUIDField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="known_store_once")]

    def __str__(self) -> str:
        return str(self.store_id)


class File(TenantModel, ClaimableFile):
    """A file and its extracted text. Its bytes are in the storage `files` under `stored_as` and never change."""

    class State(models.TextChoices):
        PENDING = "pending"
        READY = "ready"
        FAILED = "failed"

    owner = TenantForeignKey("tenants.Membership", on_delete=models.RESTRICT, related_name="+")
    # None until a message includes the file; a plain id, because chat is a higher layer, whose migration adds the composite key
    conversation_id = models.UUIDField(null=True, blank=True)
    # the service that it was attached from, whose content others may write (SECURITY 27); empty for an upload
    source = models.CharField(max_length=20, blank=True, default="")
    name = models.CharField(max_length=MAX_NAME_CHARS)
    media_type = models.CharField(max_length=100)  # detected from the bytes, like `kind`
    kind = models.CharField(max_length=10)
    size_bytes = models.PositiveIntegerField()
    shown_size_bytes = models.PositiveIntegerField(default=0, db_default=0)  # of a picture's clean copy (files.contents)
    sha256 = models.CharField(max_length=64)
    text = models.TextField(blank=True, default="")
    text_cut = models.BooleanField(default=False)
    pages = models.PositiveIntegerField(null=True)  # of a PDF file; 0: it can't be opened without a password, or is broken; None: unknown
    # leaves `pending` only once, so that what a model was told of the file stays true
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    # a malware scanner must find it clean before anybody gets its bytes (files.scanning); stays when it does not
    is_unchecked = models.BooleanField(default=False, db_default=False)
    reason = models.CharField(max_length=300, blank=True, default="")  # why there is no text, for the user
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["organization", "conversation_id"], name="file_conversation"),
            models.Index(
                fields=["organization", "owner", "created_at"], condition=Q(conversation_id=None, deleted_at=None), name="file_unsent"
            ),
            models.Index(fields=["created_at"], condition=Q(state="pending"), name="file_pending"),
            models.Index(  # all that a quota asks for (files.quotas)
                fields=["organization", "owner"],
                include=["size_bytes", "shown_size_bytes", "conversation_id", "deleted_at", "id"],
                name="file_storage",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def stored_as(self) -> str:
        """The name in the storage, made by the server; it starts with the organization."""
        return f"{self.organization_id}/{self.pk}"

    @property
    def shown_as(self) -> str:
        """The name of the bytes that pages and providers get: of a picture the clean copy, else the bytes as they came."""
        return f"{self.stored_as}.shown" if self.kind == "image" else self.stored_as
