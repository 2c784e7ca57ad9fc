"""Model of knowledge files: of the folders of tool sources (SPEC 4.10), which admins fill, and of members' projects (SPEC 6.8)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from admin_config.models import ToolSource
from files.extraction.claims import ClaimableFile
from tenants.models import TenantForeignKey, TenantModel

MAX_PATH_CHARS = 300
MAX_KNOWLEDGE_TEXT_CHARS = 1024 * 1024  # of a file's text that are stored and searched
FOLDER_KIND = "files"  # the kind of tool source that is a folder


class KnowledgeFile(TenantModel, ClaimableFile):
    """One file of a folder (a tool source or a project), as text.

    The content of a text file is its `text`. The bytes of a document are in the storage `files` under `stored_as` until they have been
    read. Those of a project's file that could not be read stay there, for another try.
    """

    class State(models.TextChoices):
        PENDING = "pending", gettext_lazy("Being read")
        READY = "ready", gettext_lazy("Ready")
        FAILED = "failed", gettext_lazy("No text")

    source = TenantForeignKey(
        ToolSource, on_delete=models.CASCADE, null=True, related_name="knowledge_files", verbose_name=gettext_lazy("folder")
    )
    # instead of the source; a plain id, because chat is a higher layer, whose migration adds the composite key
    project_id = models.UUIDField(null=True, editable=False)
    # its name in the folder, with slashes between parts; a key of this table, not a path on a disk
    path = models.CharField(max_length=MAX_PATH_CHARS)
    media_type = models.CharField(max_length=100)
    kind = models.CharField(max_length=10)
    size_bytes = models.PositiveIntegerField()
    text = models.TextField(blank=True, default="")
    text_cut = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    reason = models.CharField(max_length=300, blank=True, default="")  # why there is no text
    has_bytes = models.BooleanField(default=False, editable=False)  # whether the storage has them
    created_at = models.DateTimeField("uploaded", auto_now_add=True)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("knowledge file")
        ordering = ("path",)
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["created_at"], condition=Q(state="pending"), name="knowledge_file_pending")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "source", "path"], name="knowledge_file_once"),
            models.UniqueConstraint(
                fields=["organization", "project_id", "path"], condition=Q(project_id__isnull=False), name="project_file_once"
            ),
            models.CheckConstraint(
                condition=Q(source=None, project_id__isnull=False) | Q(source__isnull=False, project_id=None),
                name="knowledge_file_has_one_folder",
            ),
        ]

    def __str__(self) -> str:
        return self.path

    @property
    def stored_as(self) -> str:
        """The name in the storage, made by the server; it starts with the organization."""
        return f"{self.organization_id}/knowledge-{self.pk}"
