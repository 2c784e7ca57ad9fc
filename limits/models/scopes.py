"""Whom a limit or a budget is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from tenants.models import MemberGroup, Membership, TenantForeignKey, TenantModel

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class Scope(models.TextChoices):
    """Whom a limit or a budget is for."""

    ORGANIZATION = "organization", gettext_lazy("All members together")
    EACH_MEMBER = "each_member", gettext_lazy("Each member")
    ROLE = "role", gettext_lazy("Each member with a role")
    GROUP = "group", gettext_lazy("Each member of a group")
    ALL_OF_GROUP = "all_of_group", gettext_lazy("A group together")  # budgets alone
    MEMBER = "member", gettext_lazy("One member")
    EACH_TOKEN = "each_token", gettext_lazy("Each API token")
    ASSISTANT = "assistant", gettext_lazy("One assistant")
    AGENT = "agent", gettext_lazy("One agent")
    EMBED = "embed", gettext_lazy("All visitors together")
    VISITOR = "visitor", gettext_lazy("Each visitor")
    STRANGER = "stranger", gettext_lazy("Each visitor without an account")


GROUP_SCOPES: Final = (Scope.GROUP, Scope.ALL_OF_GROUP)
EMBED_SCOPES: Final = (Scope.VISITOR, Scope.STRANGER, Scope.EMBED)


def scope_constraints(name: str, error_message: StrOrPromise, *also_once: str) -> list[models.BaseConstraint]:
    """Return the constraints of a model that is for somebody: one row for each (and each value of the fields `also_once`), and no half ones."""
    return [
        models.UniqueConstraint(
            fields=["organization", "scope", "role", "group", "membership", "assistant", "embed_site", "from_plan", *also_once],
            name=f"{name}_once",
            nulls_distinct=False,
            violation_error_message=error_message,
        ),
        models.CheckConstraint(condition=Q(scope="role") ^ Q(role=""), name=f"{name}_role"),
        models.CheckConstraint(condition=Q(scope__in=GROUP_SCOPES) ^ Q(group=None), name=f"{name}_group"),
        models.CheckConstraint(condition=Q(scope="member") ^ Q(membership=None), name=f"{name}_member"),
        models.CheckConstraint(condition=Q(scope="assistant") ^ Q(assistant=None), name=f"{name}_assistant"),
        models.CheckConstraint(condition=Q(scope__in=EMBED_SCOPES) ^ Q(embed_site=None), name=f"{name}_embed"),
    ]


class ScopedModel(TenantModel):
    """Base of what an admin sets for some of the members."""

    scope = models.CharField("applies to", max_length=12, choices=Scope)
    role = models.CharField(max_length=10, choices=Membership.Role, blank=True)
    group = TenantForeignKey(MemberGroup, models.CASCADE, null=True, blank=True, related_name="+")
    membership = TenantForeignKey(Membership, models.CASCADE, null=True, blank=True, related_name="+", verbose_name="member")
    assistant = TenantForeignKey("admin_config.Assistant", models.CASCADE, null=True, blank=True, related_name="+")
    embed_site = TenantForeignKey(
        "embed.EmbedSite",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        verbose_name=gettext_lazy("embedded chat"),
    )
    last_day = models.DateField(null=True, blank=True, help_text=gettext_lazy("Applies up to this day (UTC). Leave empty for no end."))
    reason = models.CharField(max_length=200, blank=True, help_text=gettext_lazy("For other admins, and for the audit log."))
    from_plan = models.BooleanField(default=False, editable=False)  # the operator's, which admins of the organization can only read

    class Meta(TenantModel.Meta):
        abstract = True

    def __str__(self) -> str:
        match self.scope:
            case Scope.ROLE:
                return gettext("Each %(role)s") % {"role": self.get_role_display().lower()}
            case Scope.GROUP:
                return gettext("Each member of %(group)s") % {"group": self.group}
            case Scope.ALL_OF_GROUP:
                return gettext("%(group)s together") % {"group": self.group}
            case Scope.MEMBER:
                return str(self.membership.user) if self.membership else ""
            case Scope.ASSISTANT:
                return gettext("Assistant %(assistant)s") % {"assistant": self.assistant}
        if self.scope in EMBED_SCOPES:
            return gettext("%(whom)s of the chat %(site)s") % {"whom": self.get_scope_display(), "site": self.embed_site}
        return self.get_scope_display()

    @property
    def has_ended(self) -> bool:
        return self.last_day is not None and self.last_day < timezone.now().date()
