"""The working rows that admins tune, and the immutable releases made from them (docs/decisions/0004-releases.md)."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q

from admin_config.defaults import KIND_CHOICES, KINDS, MAX_STEPS_CEILING, PROVIDER_CHOICES, agent_key
from admin_config.placeholders import template_problems
from security.egress import EgressRefused, check_url
from tenants.models import TenantForeignKey, TenantModel


class ProviderEndpoint(TenantModel):
    """Where a provider is reached, and with which key. Several endpoints of one provider are tried by priority."""

    provider = models.CharField(max_length=20, choices=PROVIDER_CHOICES)
    name = models.CharField(max_length=80)
    base_url = models.CharField("address", max_length=300, blank=True)
    api_version = models.CharField(
        "API version",
        max_length=20,
        blank=True,
        validators=[
            RegexValidator(r"^v[0-9][0-9a-z]{0,15}\Z", "An API version is a v, a digit, then digits or small letters, such as v1beta.")
        ],
    )
    secret = TenantForeignKey("security.Secret", models.SET_NULL, null=True, blank=True, editable=False, related_name="+")
    is_enabled = models.BooleanField("enabled", default=True)
    priority = models.PositiveSmallIntegerField(default=1, help_text="The lowest number is used first.")
    timeout_s = models.PositiveSmallIntegerField(
        "time limit (seconds)",
        default=90,
        validators=[MinValueValidator(5), MaxValueValidator(600)],
        help_text="Longest silence of the provider before the request is given up.",
    )

    class Meta(TenantModel.Meta):
        verbose_name = "endpoint"
        ordering = ("provider", "priority", "name")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "provider", "name"],
                name="endpoint_name_once",
                violation_error_message="This provider already has an endpoint with this name.",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        if not self.base_url:
            return
        try:
            check_url(self.base_url)
        except EgressRefused as error:
            raise ValidationError({"base_url": str(error)}) from error


class ModelConfig(TenantModel):
    """A model that users of the organization may choose."""

    class Thinking(models.TextChoices):
        NONE = "none", "No thinking"
        BUDGET = "budget", "Budget in tokens"
        LEVEL = "level", "Level (low, high)"

    provider = models.CharField(max_length=20, choices=PROVIDER_CHOICES)
    model_id = models.CharField("model id", max_length=120, help_text="The provider's own name, such as gemini-2.5-flash.")
    display_name = models.CharField(max_length=80, help_text="What users see in the model menu.")
    context_window = models.PositiveIntegerField(default=1_048_576, validators=[MinValueValidator(1024)], help_text="In tokens.")
    max_output_tokens = models.PositiveIntegerField(default=65_536, validators=[MinValueValidator(64)], help_text="In tokens.")
    supports_thinking = models.BooleanField("can think", default=True)
    thinking_style = models.CharField(max_length=10, choices=Thinking.choices, default=Thinking.BUDGET)
    supports_tools = models.BooleanField("can use tools", default=True)
    is_enabled = models.BooleanField("enabled", default=True)
    is_default = models.BooleanField("default", default=False, help_text="Used where nobody chose another; one per provider.")

    class Meta(TenantModel.Meta):
        verbose_name = "model"
        ordering = ("provider", "-is_default", "display_name", "model_id")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "provider", "model_id"],
                name="model_id_once",
                violation_error_message="This provider already has a model with this id.",
            ),
            models.UniqueConstraint(fields=["organization", "provider"], condition=Q(is_default=True), name="model_default_once"),
        ]

    def __str__(self) -> str:
        return self.display_name

    def clean(self) -> None:
        if self.supports_thinking and self.thinking_style == self.Thinking.NONE:
            raise ValidationError({"thinking_style": "A model that can think needs a style."})
        if self.is_default and not self.is_enabled:
            raise ValidationError({"is_default": "The default model must be enabled."})


class AgentConfig(TenantModel):
    """One agent for one provider. Blank fields mean the platform's default (admin_config.defaults)."""

    key = models.CharField(max_length=80, editable=False)
    kind = models.CharField(max_length=40, choices=KIND_CHOICES, editable=False)
    provider = models.CharField(max_length=20, choices=PROVIDER_CHOICES, editable=False)
    is_enabled = models.BooleanField("enabled", default=True)
    model = TenantForeignKey(ModelConfig, models.PROTECT, null=True, blank=True, related_name="agents")
    system_prompt = models.TextField(blank=True)
    description = models.TextField(blank=True)
    temperature = models.FloatField(null=True, blank=True, validators=[MinValueValidator(0.0), MaxValueValidator(2.0)])
    max_output_tokens = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(64)])
    max_steps = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(MAX_STEPS_CEILING)]
    )
    thinking_budget = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(128), MaxValueValidator(65_536)])

    class Meta(TenantModel.Meta):
        verbose_name = "agent"
        ordering = ("provider", "kind")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "key"], name="agent_key_once"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.get_provider_display()})"

    def clean(self) -> None:
        if self.key != agent_key(self.kind, self.provider):
            raise ValidationError({"key": f"The key of this agent must be {agent_key(self.kind, self.provider)}."})
        if self.model is not None and self.model.provider != self.provider:
            raise ValidationError({"model": "Choose a model of the agent's own provider."})
        if self.model is not None and not self.model.is_enabled:
            raise ValidationError({"model": f"The model {self.model} is not enabled."})


class AgentOperation(TenantModel):
    """What an agent does under one name; its template's placeholders are those of the operation's kind."""

    agent = TenantForeignKey(AgentConfig, models.CASCADE, related_name="operations")
    name = models.CharField(max_length=40, editable=False)
    is_enabled = models.BooleanField("enabled", default=True)
    system_prompt = models.TextField(blank=True)
    user_prompt_template = models.TextField(blank=True)

    class Meta(TenantModel.Meta):
        verbose_name = "operation"
        ordering = ("name",)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "agent", "name"], name="operation_once"),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        defaults = KINDS[self.agent.kind].operation(self.name)
        if defaults is None or not self.user_prompt_template:
            return
        problems = template_problems(self.user_prompt_template, allowed=defaults.placeholders, required=defaults.required)
        if problems:
            raise ValidationError({"user_prompt_template": problems})


class Release(TenantModel):
    """A published configuration. Rows are only ever inserted: the application's database role may not change or delete them."""

    number = models.PositiveIntegerField(editable=False)
    content = models.JSONField(editable=False)
    content_hash = models.CharField(max_length=64, editable=False)
    # PROTECT: clearing the author would be an update; accounts with releases are deactivated instead.
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, editable=False, related_name="+")
    note = models.CharField(max_length=200, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering = ("-number",)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "number"], name="release_number_once"),
        ]

    def __str__(self) -> str:
        return f"Release {self.number}"


class AppSettings(TenantModel):
    """The organization's own switches; exactly one row each."""

    active_provider = models.CharField(
        max_length=20, choices=PROVIDER_CHOICES, default="google", help_text="Answers all chats of this organization."
    )
    publish_on_save = models.BooleanField(
        default=True,
        help_text="On: every save goes live at once. Off: changes are collected in a draft that you publish.",
    )
    live_release = TenantForeignKey(Release, models.PROTECT, null=True, editable=False, related_name="+")

    class Meta(TenantModel.Meta):
        verbose_name = verbose_name_plural = "settings"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization"], name="settings_once"),
        ]

    def __str__(self) -> str:
        return "Settings"
