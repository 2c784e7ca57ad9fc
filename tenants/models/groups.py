"""Groups of members."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext, gettext_lazy

from tenants.models.base import TenantForeignKey, TenantModel
from tenants.models.organizations import Membership


class MemberGroup(TenantModel):
    """A named group of members, to which assistants, limits and shares can be given."""

    name = models.CharField(max_length=60)
    description = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("group")
        ordering: ClassVar[list[str]] = ["name"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                "organization",
                Lower("name"),
                name="member_group_once",
                violation_error_message=gettext_lazy("There is already a group with this name."),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class GroupMember(TenantModel):
    """A member's place in a group."""

    group = TenantForeignKey(MemberGroup, models.CASCADE, editable=False, related_name="places")
    membership = TenantForeignKey(Membership, models.CASCADE, editable=False, related_name="group_places")

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "group", "membership"], name="group_member_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["membership"], name="group_member_groups")]

    def __str__(self) -> str:
        return gettext("%(membership_id)s in %(group_id)s") % {"membership_id": self.membership_id, "group_id": self.group_id}
