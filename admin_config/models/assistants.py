"""Models of assistants: custom agents that members choose (SPEC 4.14), and their pictures."""

from __future__ import annotations

from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from admin_config.models.agents import AgentConfig
from tenants.localization.figures import figure
from tenants.models import Membership, TenantForeignKey, TenantModel

MAX_STARTERS = 4
MAX_STARTER_TITLE_CHARS = 60
MAX_STARTER_TEXT_CHARS = 2000
# Who reads only asks nobody anything. Visitors use the assistant of the embedded chat that they are in, and no other.
WRITER_ROLES = (Membership.Role.OWNER, Membership.Role.ADMIN, Membership.Role.MEMBER, Membership.Role.VISITOR)


class AssistantPicture(TenantModel):
    """A picture that an admin uploaded, drawn again by us (tenants.input.pictures). Rows are never changed: releases refer to them."""

    content = models.BinaryField()  # PNG
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("picture")

    def __str__(self) -> str:
        return gettext("picture %(pk)s") % {"pk": self.pk}


class Assistant(TenantModel):
    """What makes a custom agent an assistant: how members see it, who they are, and how its model is chosen.

    Prompt, model, tools and limits are the agent's own.
    """

    class ModelChoice(models.TextChoices):
        FIXED = "fixed", gettext_lazy("Always the model below")
        MEMBER = "member", gettext_lazy("The member chooses, as in other chats")

    class Audience(models.TextChoices):
        EVERYONE = "everyone", gettext_lazy("Everyone who can write in this organization")
        CHOSEN = "chosen", gettext_lazy("Only the roles and groups below")

    agent = TenantForeignKey(AgentConfig, models.CASCADE, editable=False, related_name="assistants")
    is_offered = models.BooleanField(
        "on", default=True, help_text=gettext_lazy("Off: nobody can choose it. Chats with it stay, and say that it is not available.")
    )
    title = models.CharField("name", max_length=60, help_text=gettext_lazy("As members see it."))
    description = models.CharField(max_length=120, help_text=gettext_lazy("One line under the name: what it is good at."))
    picture = TenantForeignKey(AssistantPicture, models.PROTECT, null=True, blank=True, editable=False, related_name="+")
    starters = models.JSONField(default=list, blank=True, editable=False)  # of {"title", "text"}, at most MAX_STARTERS
    model_choice = models.CharField("model", max_length=10, choices=ModelChoice, default=ModelChoice.MEMBER)
    audience = models.CharField("who may use it", max_length=10, choices=Audience, default=Audience.EVERYONE)
    roles = models.JSONField(default=list, blank=True, editable=False)
    groups = models.JSONField(default=list, blank=True, editable=False)  # ids of MemberGroup; one that was deleted lets nobody in
    for_agents = models.BooleanField(
        "other agents may call it", default=False, help_text=gettext_lazy("As a sub-agent. Which ones do is chosen on their pages.")
    )
    position = models.PositiveSmallIntegerField(
        "order", default=1, validators=[MaxValueValidator(999)], help_text=gettext_lazy("Lower ones are shown first.")
    )

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("assistant")
        ordering = ("position", "title", "id")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "agent"], name="assistant_once"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def agent_or_none(self) -> AgentConfig | None:
        """The agent; None of a new assistant that gets one when it is saved."""
        agent_id: Any = self.agent_id
        return self.agent if agent_id else None

    def clean(self) -> None:
        if self.audience == self.Audience.CHOSEN and not (self.roles or self.groups):
            raise ValidationError({"audience": gettext("Choose at least one role or group, or let everyone use it.")})
        if not set(self.roles) <= set(WRITER_ROLES):
            raise ValidationError({"audience": gettext("One of the roles does not exist, or may not write.")})
        check_starters(self.starters)


def check_starters(starters: Any) -> None:
    """Raise ValidationError unless these are at most MAX_STARTERS starters with a title and a text each."""
    if not isinstance(starters, list) or len(starters) > MAX_STARTERS:
        raise ValidationError(gettext("An assistant has at most %(max_starters)s starters.") % {"max_starters": MAX_STARTERS})
    for starter in starters:
        if (
            not isinstance(starter, dict)
            or set(starter) != {"title", "text"}
            or not all(isinstance(part, str) for part in starter.values())
        ):
            raise ValidationError(gettext("A starter has a title and a text."))
        if not (
            0 < len(starter["title"].strip()) <= MAX_STARTER_TITLE_CHARS and 0 < len(starter["text"].strip()) <= MAX_STARTER_TEXT_CHARS
        ):
            raise ValidationError(
                gettext("A starter needs a title of at most %(max_starter_title)s characters and a text of at most %(max_starter_text)s.")
                % {"max_starter_title": MAX_STARTER_TITLE_CHARS, "max_starter_text": figure(MAX_STARTER_TEXT_CHARS)}
            )
