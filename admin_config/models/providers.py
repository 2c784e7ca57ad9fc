"""Models of endpoints, and of the models behind them."""

from __future__ import annotations

from typing import ClassVar

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from admin_config.defaults.platform import BUILTIN_TOOLS, PROVIDER_CHOICES, UNKNOWN_CONTEXT_WINDOW, UNKNOWN_MAX_OUTPUT
from admin_config.defaults.prices import Price, prices_on, utc_today
from security.egress import EgressRefused, check_url
from tenants.models import TenantForeignKey, TenantModel


class ProviderEndpoint(TenantModel):
    """Where a provider is reached, and with which key. Several endpoints of one provider are tried by priority."""

    class ToolMode(models.TextChoices):
        NATIVE = "native", gettext_lazy("The provider's own")
        XML = "xml", gettext_lazy("XML in the text")

    provider = models.CharField(max_length=20, choices=PROVIDER_CHOICES)
    name = models.CharField(max_length=80)
    base_url = models.CharField("address", max_length=300, blank=True)
    api_version = models.CharField(
        gettext_lazy("API version"),
        max_length=20,
        blank=True,
        validators=[
            RegexValidator(
                r"^v[0-9][0-9a-z]{0,15}\Z", gettext_lazy("An API version is a v, a digit, then digits or small letters, such as v1beta.")
            )
        ],
    )
    secret = TenantForeignKey("security.Secret", models.SET_NULL, null=True, blank=True, editable=False, related_name="+")
    is_enabled = models.BooleanField("enabled", default=True)
    priority = models.PositiveSmallIntegerField(default=1, help_text=gettext_lazy("The lowest number is used first."))
    timeout_s = models.PositiveSmallIntegerField(
        "time limit (seconds)",
        default=90,
        validators=[MinValueValidator(5), MaxValueValidator(600)],
        help_text=gettext_lazy("Longest silence of the provider before the request is given up."),
    )

    tool_mode = models.CharField(
        "tool calls",
        max_length=8,
        choices=ToolMode.choices,
        default=ToolMode.NATIVE,
        db_default=ToolMode.NATIVE,
        help_text=gettext_lazy(
            "XML: for servers that drop the tools of a request. Tools are described in the prompt and calls read out of the text."
        ),
    )
    # what differs from the defaults of CompatibleOptions, by name
    compatible_options = models.JSONField("options of compatible servers", default=dict, db_default={}, blank=True)
    # the last test of the connection (admin_config.services.endpoints.connection_tests); empty before the first one; never in a release
    last_test = models.JSONField(default=dict, db_default={}, editable=False)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("endpoint")
        ordering = ("provider", "priority", "name")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "provider", "name"],
                name="endpoint_name_once",
                violation_error_message=gettext_lazy("This provider already has an endpoint with this name."),
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
        NONE = "none", gettext_lazy("No thinking")
        BUDGET = "budget", gettext_lazy("Budget in tokens")
        LEVEL = "level", gettext_lazy("Level (low, high)")

    provider = models.CharField(max_length=20, choices=PROVIDER_CHOICES)
    model_id = models.CharField("model id", max_length=120, help_text=gettext_lazy("The provider's own name, such as gemini-2.5-flash."))
    display_name = models.CharField(max_length=80, help_text=gettext_lazy("What users see in the model menu."))
    context_window = models.PositiveIntegerField(
        default=UNKNOWN_CONTEXT_WINDOW, validators=[MinValueValidator(1024)], help_text=gettext_lazy("In tokens.")
    )
    max_output_tokens = models.PositiveIntegerField(
        default=UNKNOWN_MAX_OUTPUT, validators=[MinValueValidator(64)], help_text=gettext_lazy("In tokens.")
    )
    supports_thinking = models.BooleanField("supports thinking", default=False)
    thinking_style = models.CharField(max_length=10, choices=Thinking.choices, default=Thinking.NONE)
    supports_tools = models.BooleanField("can use tools", default=True)
    supports_images = models.BooleanField(
        "reads images", default=False, db_default=False, help_text=gettext_lazy("Images of a message go to it as they are.")
    )
    supports_pdf = models.BooleanField(
        "reads PDF files", default=False, db_default=False, help_text=gettext_lazy("Else it is given their text.")
    )
    # Names in BUILTIN_TOOLS.
    builtin_tools = models.JSONField(
        "built-in tools",
        default=list,
        db_default=[],
        blank=True,
        help_text=gettext_lazy("What the provider can do itself while this model answers."),
    )
    reasons = models.BooleanField(
        "reasoning model",
        null=True,
        blank=True,
        help_text=gettext_lazy("For OpenAI: such models take no temperature, and their reasoning goes back to them between steps."),
    )
    # Facts that an admin has set for this model. The catalogue's updates don't change them (admin_config.services.model_catalogue).
    own_facts = models.JSONField(default=list, editable=False)
    is_enabled = models.BooleanField("enabled", default=True)
    is_default = models.BooleanField(
        "default", default=False, help_text=gettext_lazy("Used when a user has not chosen a model; one per provider.")
    )

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("model")
        ordering = ("provider", "-is_default", "display_name", "model_id")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "provider", "model_id"],
                name="model_id_once",
                violation_error_message=gettext_lazy("This provider already has a model with this id."),
            ),
            models.UniqueConstraint(fields=["organization", "provider"], condition=Q(is_default=True), name="model_default_once"),
        ]

    def __str__(self) -> str:
        return self.display_name

    def clean(self) -> None:
        if unknown := sorted(set(self.builtin_tools) - BUILTIN_TOOLS.keys()):
            raise ValidationError(
                {"builtin_tools": gettext("There is no built-in tool named %(unknown)s.") % {"unknown": ", ".join(unknown)}}
            )
        if self.supports_thinking and self.thinking_style == self.Thinking.NONE:
            raise ValidationError({"thinking_style": gettext("A model that supports thinking needs a style.")})
        if self.is_default and not self.is_enabled:
            raise ValidationError({"is_default": gettext("The default model must be enabled.")})

    @property
    def prices_today(self) -> tuple[Price, ...]:
        """Today's prices, shortest prompts first; empty when no price was ever known. One query, unless `prices` were prefetched."""
        return prices_on((row.price for row in self.prices.all()), utc_today())

    @property
    def has_price(self) -> bool:
        return any(price.is_known for price in self.prices_today)
