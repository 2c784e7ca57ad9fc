"""Organizations, and who belongs to them with which role."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy

from tenants.models.users import User

MAX_PREFERENCES_CHARS = 2000
MAX_SUSPENSION_CHARS = 500


class Organization(models.Model):
    """The tenant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True)
    logo_version = models.CharField(max_length=12, blank=True, editable=False)  # of its logo, for its address; blank: none
    accent_color = models.CharField(max_length=7, blank=True)  # #rrggbb; blank: the product's
    is_active = models.BooleanField("active", default=True)  # False: suspended by the operator
    suspension_message = models.CharField(max_length=MAX_SUSPENSION_CHARS, blank=True)  # for its members
    deletion_due_at = models.DateTimeField(null=True, editable=False)  # who asked for it can undo it until then
    deletion_by_operator = models.BooleanField(default=False, editable=False)  # who asked for it; else an owner
    policy = models.JSONField(default=dict, blank=True)  # what its admins decide for it (who may join, which models, which limits)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class FormerSlug(models.Model):
    """An address that an organization had. It leads its members to the present one, and no other organization gets it."""

    slug = models.SlugField(max_length=60, primary_key=True)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="former_slugs")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug


class MembershipQuerySet(models.QuerySet["Membership"]):
    def of_members(self) -> MembershipQuerySet:
        """Leave out visitors, who are nobody's colleagues."""
        return self.exclude(role=Membership.Role.VISITOR)


class Membership(models.Model):
    """A user's role in an organization. It ends by `is_active`, never by deletion: what the member owned still names it."""

    class Role(models.TextChoices):
        OWNER = "owner", gettext_lazy("Owner")
        ADMIN = "admin", gettext_lazy("Admin")
        AUDITOR = "auditor", gettext_lazy("Auditor")  # reads runs, usage and the audit log, and changes nothing
        MEMBER = "member", gettext_lazy("Member")
        VIEWER = "viewer", gettext_lazy("Viewer")
        VISITOR = "visitor", gettext_lazy("Visitor")  # of a page that embeds a chat (embed): no member, and acts through that chat alone

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    is_active = models.BooleanField("active", default=True, editable=False)
    removed_at = models.DateTimeField(null=True, editable=False)  # of one that was removed or left, not only deactivated
    cleared_at = models.DateTimeField(null=True, editable=False)  # when what a removed member still owned was deleted
    last_used_at = models.DateTimeField(null=True, editable=False)  # to within an hour
    # the database raises it with every change of the role or of `is_active` (migration 0001)
    version = models.PositiveIntegerField(default=1, editable=False)
    # What the member wrote about the answers they want here; part of the prompt of their chats (SPEC 3.13).
    preferences = models.CharField(max_length=MAX_PREFERENCES_CHARS, blank=True)
    # The key of the assistant with which their new chats begin; "": the chat agent. It may be gone by now.
    default_assistant = models.CharField(max_length=80, blank=True)
    comment_mails = models.BooleanField(default=True, editable=False)  # whether they want mails about comments on shared links
    shows_cost = models.BooleanField(default=True, editable=False)  # tokens and cost below answers
    code_ligatures = models.BooleanField(default=False, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        verbose_name = gettext_lazy("member")
        constraints = [
            models.UniqueConstraint(fields=["organization", "user"], name="membership_once_per_user"),
            models.UniqueConstraint(fields=["organization", "id"], name="tenants_membership_organization_id_id"),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"
