"""Models of links to shared conversations, answers and artifacts."""

from __future__ import annotations

from typing import ClassVar, Literal

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from security.redaction import REDACTED, redact
from tenants.models import TenantForeignKey, TenantModel

SharedKind = Literal["conversation", "answer", "artifact"]


class Share(TenantModel):
    """A link to one conversation, one answer of it, or one artifact. Nothing is copied: messages and versions are never changed, so a copy is a place in them."""

    class Audience(models.TextChoices):
        NAMED = "named", gettext_lazy("People and groups by name")
        MEMBERS = "members", gettext_lazy("Members of the organization")
        PUBLIC = "public", gettext_lazy("Anyone with the link")

    class Right(models.TextChoices):
        READ = "read", "Read"
        COMMENT = "comment", "Comment"
        EDIT = "edit", "Edit"

    owner = TenantForeignKey("tenants.Membership", on_delete=models.CASCADE, related_name="+", editable=False)
    conversation = TenantForeignKey("chat.Conversation", on_delete=models.CASCADE, null=True, editable=False, related_name="+")
    artifact = TenantForeignKey("artifacts.Artifact", on_delete=models.CASCADE, null=True, editable=False, related_name="+")
    # Whether it shows what is added later. Without it: the branch that ends at `head`, or the artifact's `version`.
    follows = models.BooleanField(default=False, editable=False)
    head = TenantForeignKey("chat.Message", on_delete=models.CASCADE, null=True, editable=False, related_name="+")
    version = models.PositiveIntegerField(null=True, editable=False)
    is_answer = models.BooleanField(default=False, editable=False)  # of the conversation it shows the answer `head`, with its question
    # What it was called when it was copied; an answer by the beginning of its question. Nobody has looked at a title that came later.
    copied_title = models.CharField(max_length=200, blank=True, default="", editable=False)
    # By the id of an artifact beside the copied branch: the number of its version then, and its title.
    versions = models.JSONField(default=dict, editable=False)
    audience = models.CharField(max_length=8, choices=Audience, editable=False)
    right = models.CharField(max_length=7, choices=Right, default=Right.READ, editable=False)  # more than reading: of named people only
    is_listed = models.BooleanField(default=False, editable=False)  # search engines may list its page
    hidden = models.JSONField(default=list, editable=False)  # texts that are not shown, such as an e-mail address
    hides_keys = models.BooleanField(default=False, editable=False)  # what looks like a key or a password is not shown
    frame_origins = models.JSONField(default=list, editable=False)  # of an artifact for anyone: whose pages may show it in a frame
    password = models.CharField(max_length=200, blank=True, default="", editable=False)  # hashed; of a link for anyone
    digest = models.CharField(max_length=64, editable=False)  # SHA-256 of the token, by which it is found
    sealed_token = models.TextField(editable=False)  # by the vault, so that its owner can copy the link again
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)
    view_count = models.PositiveIntegerField(default=0, editable=False)  # nothing is kept about who looked
    last_viewed_at = models.DateTimeField(null=True, editable=False)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("shared link")
        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "digest"], name="share_once"),
            models.CheckConstraint(condition=Q(conversation=None) ^ Q(artifact=None), name="share_of_one_thing"),
            models.CheckConstraint(condition=Q(password="") | Q(audience="public"), name="share_password_of_public"),
            models.CheckConstraint(condition=Q(right="read") | Q(audience="named"), name="share_right_of_named"),
            models.CheckConstraint(condition=~Q(right="edit") | Q(follows=True), name="share_to_edit_follows"),
            models.CheckConstraint(condition=~Q(right="edit") | Q(hidden=[], hides_keys=False), name="share_to_edit_shows_all"),
            models.CheckConstraint(condition=Q(is_listed=False) | Q(audience="public", password=""), name="share_listed_is_public"),
            models.CheckConstraint(
                condition=Q(frame_origins=[]) | Q(audience="public", password="", artifact__isnull=False), name="share_framed_is_public"
            ),
            models.CheckConstraint(condition=Q(follows=True) | ~Q(head=None, version=None), name="share_copy_has_an_end"),
            models.CheckConstraint(
                condition=Q(is_answer=False) | Q(conversation__isnull=False, head__isnull=False, follows=False),
                name="share_answer_is_a_copy",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["organization", "owner", "-created_at", "-id"], name="share_of_owner"),
            models.Index(fields=["organization", "-created_at", "-id"], name="share_newest_first"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def title(self) -> str:
        """The name of what is shared, as the link shows it; loads it if need be. An answer's does not tell what its conversation is called."""
        source = (self.conversation or self.artifact) if self.follows else None
        name = self.without_hidden(source.title if source else self.copied_title)
        return name or (gettext("Answer") if self.is_answer else gettext("Conversation"))

    def without_hidden(self, text: str) -> str:
        """Return `text` as the link shows it."""
        visible_text = redact(text) if self.hides_keys else text
        for hidden in sorted(self.hidden, key=len, reverse=True):
            visible_text = visible_text.replace(hidden, REDACTED)
        return visible_text

    @property
    def shows_latest_whole(self) -> bool:
        """Whether it shows texts as they are now, with nothing hidden."""
        return self.follows and not self.hidden and not self.hides_keys

    @property
    def of(self) -> SharedKind:
        if self.artifact_id:
            return "artifact"
        return "answer" if self.is_answer else "conversation"

    @property
    def is_for_anyone(self) -> bool:
        """Whether the address alone opens it."""
        return self.audience == self.Audience.PUBLIC and not self.password

    @property
    def has_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()


class ShareComment(TenantModel):
    """What somebody whom a link names, or its owner, says about an answer, or about a version of a document, that it shows."""

    share = TenantForeignKey(Share, on_delete=models.CASCADE, related_name="comments", editable=False)
    author = TenantForeignKey("tenants.Membership", on_delete=models.SET_NULL, null=True, related_name="+", editable=False)
    message = TenantForeignKey("chat.Message", on_delete=models.CASCADE, null=True, related_name="+", editable=False)
    artifact = TenantForeignKey("artifacts.Artifact", on_delete=models.CASCADE, null=True, related_name="+", editable=False)
    version = models.PositiveIntegerField(null=True, editable=False)  # of the artifact
    anchor = models.JSONField(null=True, editable=False)  # the passage that it is about, as CommentAnchor has it
    thread = TenantForeignKey("self", on_delete=models.CASCADE, null=True, related_name="+", editable=False)  # of a reply: what it answers
    text = models.TextField(editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    edited_at = models.DateTimeField(null=True, editable=False)
    resolved_at = models.DateTimeField(null=True, editable=False)
    resolved_by = TenantForeignKey("tenants.Membership", on_delete=models.SET_NULL, null=True, related_name="+", editable=False)

    class Meta(TenantModel.Meta):
        ordering: ClassVar[list[str]] = ["created_at", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=Q(message=None, artifact__isnull=False, version__isnull=False)
                | Q(message__isnull=False, artifact=None, version=None),
                name="share_comment_has_a_place",
            ),
            models.CheckConstraint(
                condition=Q(anchor__isnull=True) | Q(artifact__isnull=False, thread=None), name="share_comment_anchor_in_text"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["organization", "share", "created_at"], name="share_comments")]

    def __str__(self) -> str:
        return self.text[:80]


class ShareReader(TenantModel):
    """Somebody whom a link names: a member, or all who are in a group when they open it."""

    share = TenantForeignKey(Share, on_delete=models.CASCADE, related_name="readers", editable=False)
    membership = TenantForeignKey("tenants.Membership", on_delete=models.CASCADE, null=True, related_name="+", editable=False)
    group = TenantForeignKey("tenants.MemberGroup", on_delete=models.CASCADE, null=True, related_name="+", editable=False)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "share", "membership"], name="share_reader_once"),
            models.UniqueConstraint(fields=["organization", "share", "group"], name="share_reading_group_once"),
            models.CheckConstraint(condition=Q(membership=None) ^ Q(group=None), name="share_reader_is_somebody"),
        ]

    def __str__(self) -> str:
        return str(self.group or self.membership)
