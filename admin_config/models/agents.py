"""Models of an agent: its settings, operations, prompt sections and step rules."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import ClassVar

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.functional import cached_property
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy

from admin_config.defaults.kinds import KindDefaults
from admin_config.defaults.options import AgentOptions
from admin_config.defaults.platform import (
    ALL_PROVIDERS,
    KINDS,
    MAX_STEPS_CEILING,
    PROVIDER_CHOICES,
    agent_key,
    kind_choices,
)
from admin_config.models.platform import platform_defaults
from admin_config.models.provider_tuning import ProviderTuning
from admin_config.models.tuning import AgentTuning
from admin_config.validation.agents import check_input_schema, check_own_name
from admin_config.validation.lengths import MAX_DESCRIPTION_CHARS, MAX_PROMPT_CHARS, LengthLimit
from admin_config.validation.prompt_templates import template_problems
from admin_config.validation.text_lists import check_tool_choice, check_tool_names
from tenants.models import TenantForeignKey, TenantModel


class AgentConfig(AgentTuning, ProviderTuning, TenantModel):
    """One agent for one provider, or what holds for the agents of a kind at all providers: their base (SPEC 4.15).

    Blank fields mean the base's value, and in a base, or where it is blank too, the platform's default (`defaults`).
    """

    base: AgentConfig | None = None
    # Former defaults by part and field, as the page's forms read them (admin_config.services.agents.changed_defaults).
    former_defaults: Mapping[tuple[str, str], str] = MappingProxyType({})

    key = models.CharField(max_length=80, editable=False)
    # of a custom agent, by which other agents call it; blank: the kind's
    name = models.CharField(max_length=40, blank=True, editable=False)
    # JSON schema of a custom agent's input; empty: a task in words
    input_schema = models.JSONField(default=dict, blank=True, editable=False)
    kind = models.CharField(max_length=40, choices=kind_choices, editable=False)
    provider = models.CharField(max_length=20, choices=[(ALL_PROVIDERS, gettext_lazy("All providers")), *PROVIDER_CHOICES], editable=False)
    is_enabled = models.BooleanField("enabled", null=True, blank=True)
    model = TenantForeignKey("admin_config.ModelConfig", models.PROTECT, null=True, blank=True, related_name="agents")
    system_prompt = models.TextField(blank=True, validators=[LengthLimit("system prompt", MAX_PROMPT_CHARS)])
    description = models.TextField(blank=True, validators=[LengthLimit("description", MAX_DESCRIPTION_CHARS)])
    temperature = models.FloatField(null=True, blank=True, validators=[MinValueValidator(0.0), MaxValueValidator(2.0)])
    max_output_tokens = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(64)])
    max_steps = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(MAX_STEPS_CEILING)]
    )
    thinking_budget = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(128), MaxValueValidator(65_536)])

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("agent")
        ordering = ("provider", "kind")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "key"], name="agent_key_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name or self.get_kind_display()} ({self.get_provider_display()})"

    @cached_property
    def defaults(self) -> KindDefaults:
        """The platform's defaults of its kind. One query, unless it has a base that knows them, or they were attached."""
        return self.base.defaults if self.base is not None else platform_defaults().of(self.kind)

    def default_options(self) -> AgentOptions:
        return self.defaults.options

    @property
    def tool_name(self) -> str:
        """The name under which other agents call it."""
        return self.name or self.kind

    @property
    def is_base(self) -> bool:
        """Whether its values hold for the agents of its kind at all providers."""
        return self.provider == ALL_PROVIDERS

    @property
    def is_on(self) -> bool:
        """Whether it is enabled, here or else by its base."""
        return self.value("is_enabled") is not False

    @property
    def has_own_prompt(self) -> bool:
        """Whether the organization changed any part of the agent's system prompt."""
        return bool(self.system_prompt) or any(section.is_changed for section in self.sections.all())

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        """Check each field first, and then contradictions between valid values."""
        super().clean_fields(exclude=exclude)
        self.check_options()
        self.check_provider_settings()

    def clean(self) -> None:
        if self.key != (key := agent_key(self.tool_name, self.provider)):
            raise ValidationError({"key": gettext("The key of this agent must be %(key)s.") % {"key": key}})
        if self.is_base and KINDS[self.kind].is_custom:
            raise ValidationError({"provider": gettext("An agent that an admin made has one provider.")})
        if bool(self.name) is not KINDS[self.kind].is_custom:
            raise ValidationError({"name": gettext("Agents that an admin made have a name, and no others.")})
        if self.name:
            check_own_name(self.name)
        check_input_schema(self.input_schema)
        if self.model is not None and self.model.provider != self.provider:
            raise ValidationError({"model": gettext("Choose a model of the agent's own provider.")})
        if self.model is not None and not self.model.is_enabled:
            raise ValidationError({"model": gettext("The model %(model)s is not enabled.") % {"model": self.model}})


class AgentOperation(TenantModel):
    """One operation of an agent. Its template's placeholders are those of the operation's defaults."""

    agent = TenantForeignKey(AgentConfig, models.CASCADE, related_name="operations")
    name = models.CharField(max_length=40, editable=False)
    is_enabled = models.BooleanField("enabled", null=True, blank=True)
    system_prompt = models.TextField(blank=True, validators=[LengthLimit("system prompt", MAX_PROMPT_CHARS)])
    user_prompt_template = models.TextField(blank=True, validators=[LengthLimit("user prompt template", MAX_PROMPT_CHARS)])

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("operation")
        ordering = ("name",)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "agent", "name"], name="operation_once"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_inline_title(self) -> str:
        """Return what heads it on the page of its agent. The theme asks for it by this name."""
        return str(capfirst(gettext(self.name.replace("_", " "))))

    def clean(self) -> None:
        defaults = KINDS[self.agent.kind].operation(self.name)
        if defaults is None or not self.user_prompt_template:
            return
        problems = template_problems(self.user_prompt_template, allowed=defaults.placeholders, required=defaults.required)
        if problems:
            raise ValidationError({"user_prompt_template": problems})


class PromptSection(TenantModel):
    """One section of an agent's system prompt. The agent's kind defines which sections there are and their order."""

    agent = TenantForeignKey(AgentConfig, models.CASCADE, related_name="sections")
    name = models.CharField(max_length=40, editable=False)
    is_enabled = models.BooleanField("enabled", null=True, blank=True)
    text = models.TextField(blank=True, validators=[LengthLimit("text", MAX_PROMPT_CHARS)])

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("prompt section")
        ordering = ("name",)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "agent", "name"], name="section_once"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_changed(self) -> bool:
        return bool(self.text) or self.is_enabled is not None

    def get_inline_title(self) -> str:
        """Return the row's title on the agent's page, read by the theme."""
        state = gettext(", switched off") if self.is_enabled is False else gettext(", own text") if self.text else ""
        return f"{self.name.replace('_', ' ').capitalize()}{state}"

    def clean(self) -> None:
        defaults = KINDS[self.agent.kind].section(self.name)
        if defaults is None or not self.text or not defaults.placeholders:
            return
        problems = template_problems(self.text, allowed=defaults.placeholders, required=defaults.required)
        if problems:
            raise ValidationError({"text": problems})


class StepRule(TenantModel):
    """Settings of certain steps that override the agent's own (SPEC 3.14). The first rule by `position` that applies to a step wins."""

    agent = TenantForeignKey(AgentConfig, models.CASCADE, related_name="step_rules")
    position = models.PositiveSmallIntegerField("order", default=1, help_text=gettext_lazy("Lower ones are asked first."))
    first_step = models.PositiveSmallIntegerField("from step", validators=[MinValueValidator(1), MaxValueValidator(MAX_STEPS_CEILING)])
    last_step = models.PositiveSmallIntegerField(
        "to step",
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_STEPS_CEILING)],
        help_text=gettext_lazy("Blank: to the last."),
    )
    active_tools = models.TextField(
        blank=True, validators=[check_tool_names], help_text=gettext_lazy("Only these. Names, one on each line.")
    )
    tool_choice = models.CharField(
        max_length=64, blank=True, validators=[check_tool_choice], help_text=gettext_lazy("auto, required, none, or a tool's name.")
    )
    max_output_tokens = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(64)])
    temperature = models.FloatField(null=True, blank=True, validators=[MinValueValidator(0.0), MaxValueValidator(2.0)])

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("step rule")
        ordering = ("position", "first_step", "id")

    def __str__(self) -> str:
        if self.last_step == self.first_step:
            return gettext("Step %(first_step)s") % {"first_step": self.first_step}
        return gettext("Steps %(first_step)s to %(last_step)s") % {
            "first_step": self.first_step,
            "last_step": self.last_step or gettext("the last"),
        }

    def clean(self) -> None:
        if self.last_step is not None and (self.first_step or 1) > self.last_step:
            raise ValidationError({"last_step": gettext("The last step comes before the first, so that the rule never holds.")})
        if not self.active_tools and not self.tool_choice and self.max_output_tokens is None and self.temperature is None:
            # Reported at a field, because the theme does not show a row's other errors.
            raise ValidationError({"tool_choice": gettext("This rule changes nothing. Fill in at least one setting, or remove it.")})
