"""Models of an organization's tool sources, and of the tools that each agent has (SPEC 4.9, 4.10)."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy
from pydantic import ValidationError as SettingsInvalid

from admin_config.extension_kinds import prefixed_name, tool_kinds
from admin_config.models.agents import AgentConfig
from admin_config.validation.agents import check_name
from admin_config.validation.settings_schemas import schema_problems
from admin_config.validation.text_lists import check_hosts, check_names, parse_names
from admin_config.validation.tool_rules import check_tool_rules
from security.egress import origin_of
from tenants.models import TenantForeignKey, TenantModel

check_prefix = RegexValidator(
    r"^[a-z][a-z0-9_]{0,19}\Z", gettext_lazy("A prefix is a small letter, then small letters, digits or underscores; at most 20.")
)


class ToolSource(TenantModel):
    """Something that provides tools: an HTTP endpoint, an MCP server, a folder of files, a search."""

    class Danger(models.TextChoices):
        SAFE = "safe", gettext_lazy("Safe")
        MODERATE = "moderate", gettext_lazy("Moderate: logged in detail")
        DANGEROUS = "dangerous", gettext_lazy("Dangerous: asks the user before each call")

    class MemberSwitch(models.TextChoices):
        STARTS_ON = "starts_on", gettext_lazy("Yes, on at first")
        STARTS_OFF = "starts_off", gettext_lazy("Yes, off at first")

    name = models.CharField(max_length=40, validators=[check_name])
    kind = models.CharField(max_length=20, editable=False)
    is_enabled = models.BooleanField("enabled", default=True)
    prefix = models.CharField(
        max_length=20, blank=True, validators=[check_prefix], help_text=gettext_lazy("Put before the names of its tools.")
    )
    allowed_tools = models.TextField(
        blank=True, validators=[check_names], help_text=gettext_lazy("Only these of its tools. Names, one on each line; blank: all.")
    )
    # blank: as the source says
    danger = models.CharField(
        "danger level", max_length=10, choices=Danger, blank=True, help_text=gettext_lazy("Blank: as reported by the server.")
    )
    confirm = models.BooleanField("ask the user before each call", default=False)
    # by the source's own name of a tool: {"danger", "confirm"}, as admin_config.release.ToolRule
    tool_rules = models.JSONField("rules of single tools", default=dict, db_default={}, blank=True, validators=[check_tool_rules])
    open_hosts = models.TextField(
        "hosts that need no question",
        blank=True,
        validators=[check_hosts],
        help_text=gettext_lazy(
            "Calls to these hosts never ask because of what a chat contains. One on each line, such as example.com or "
            "*.example.com. Only hosts that may read all that your members write and upload."
        ),
    )
    # blank: the source is always on
    member_switch = models.CharField(
        "members switch it",
        max_length=10,
        choices=MemberSwitch,
        blank=True,
        help_text=gettext_lazy("In the + menu of the message box, for each message."),
    )
    switch_label = models.CharField("name in the menu", max_length=40, blank=True, help_text=gettext_lazy("Blank: the name of the tool."))
    switch_hint = models.CharField(
        "line below it", max_length=80, blank=True, help_text=gettext_lazy("What it is good for, such as: Live stock numbers.")
    )
    settings = models.JSONField(default=dict, blank=True, editable=False)  # those of its kind, as JSON
    # reviewed tool definitions of a source that can change by itself (services.tool_review)
    pins = models.JSONField(default=dict, blank=True, editable=False)
    # bound to the address in the settings
    secret = TenantForeignKey("security.Secret", models.SET_NULL, null=True, blank=True, editable=False, related_name="+")

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("tool source")
        ordering = ("kind", "name")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "name"],
                name="tool_source_once",
                violation_error_message=gettext_lazy("A tool with this name already exists."),
            ),
        ]

    def __str__(self) -> str:
        kind = tool_kinds().get(self.kind)
        return f"{self.name} ({gettext(kind.label) if kind else self.kind})"

    @property
    def secret_address(self) -> str:
        """The URL in its settings that its secret is bound to; empty if it sends none. Needs valid settings."""
        kind = tool_kinds()[self.kind]
        return kind.secret_url(kind.settings.model_validate(self.settings)) if kind.secret_url else ""

    @property
    def own_names(self) -> tuple[str, ...]:
        """The source's own names of its tools, as far as known without asking it. Empty while its settings are invalid."""
        kind, allowed = tool_kinds().get(self.kind), parse_names(self.allowed_tools)
        try:
            names = kind.settings.model_validate(self.settings).tool_names(self.name, self.pins) if kind else ()
        except SettingsInvalid:
            return ()
        return tuple(name for name in names if not allowed or name in allowed)

    @property
    def given_names(self) -> tuple[str, ...]:
        """The names under which models call its tools, as far as they are known."""
        return tuple(prefixed_name(self.prefix, name) for name in self.own_names)

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        """Also validate the settings by the source's kind."""
        super().clean_fields(exclude=exclude)
        if "settings" in (exclude or ()):
            return
        kind = tool_kinds().get(self.kind)
        if kind is None:
            raise ValidationError({"kind": gettext("There is no kind of tool source named %(kind)s.") % {"kind": self.kind}})
        try:
            kind.settings.model_validate(self.settings)
        except SettingsInvalid as error:
            problems = [f"{name}: {text}" if name else text for name, text in schema_problems(error)]
            raise ValidationError({"settings": problems}) from error

    def has_secret_for(self, url: str) -> bool:
        """Return whether its secret was entered for the origin of `url`."""
        return self.secret is not None and self.secret.bound_origin == origin_of(url)


class AgentTool(TenantModel):
    """One thing that an agent may use: a source with its tools, or another agent."""

    agent = TenantForeignKey(AgentConfig, models.CASCADE, related_name="tools")
    source = TenantForeignKey(ToolSource, models.CASCADE, null=True, blank=True, related_name="uses")
    sub_agent = TenantForeignKey(AgentConfig, models.CASCADE, null=True, blank=True, related_name="uses")
    position = models.PositiveSmallIntegerField("order", default=1, help_text=gettext_lazy("Lower ones come first."))

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("tool")
        ordering = ("position", "id")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(source=None) ^ Q(sub_agent=None), name="agent_tool_is_one_thing"),
            models.UniqueConstraint(fields=["organization", "agent", "source"], name="agent_tool_source_once"),
            models.UniqueConstraint(fields=["organization", "agent", "sub_agent"], name="agent_tool_agent_once"),
        ]

    def __str__(self) -> str:
        return str(self.source or self.sub_agent or "tool")

    def clean(self) -> None:
        if (self.source is None) == (self.sub_agent is None):
            raise ValidationError({"source": gettext("Choose either a source of tools or an agent.")})
        if self.sub_agent is not None and (self.agent.is_base or self.sub_agent.is_base):
            raise ValidationError({"sub_agent": gettext("Agents are called within one provider. Choose them on a provider's page.")})
