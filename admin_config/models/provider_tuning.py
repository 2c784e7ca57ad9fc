"""Abstract model with the columns of what an agent sets for its own provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext, gettext_lazy
from pydantic import ValidationError as PydanticError

from admin_config.defaults.platform import BUILTIN_TOOLS, KINDS, PROVIDER_TOOLS_AGENT, PROVIDERS
from admin_config.defaults.wires import WIRES
from admin_config.validation.extra_fields import extra_field_problems

FREE_FIELDS_HELP = gettext_lazy("A JSON object with further fields of the provider's own request, over those that Parley sends. Empty: {}.")


def check_free_fields(value: Any) -> None:
    """Raise ValidationError for fields that may not be set."""
    if problems := extra_field_problems(value):
        raise ValidationError(problems)


class ProviderTuning(models.Model):
    """Columns of provider settings."""

    builtin_tools = models.JSONField("built-in tools", null=True, blank=True)  # those that are enabled; null: the provider's default
    provider_settings = models.JSONField(default=dict, db_default={}, blank=True, editable=False)  # the values that are set, as JSON
    provider_options = models.JSONField(
        "further fields", default=dict, db_default={}, blank=True, validators=[check_free_fields], help_text=FREE_FIELDS_HELP
    )

    if TYPE_CHECKING:
        kind: str
        provider: str

        @property
        def is_base(self) -> bool: ...

    class Meta:
        abstract = True

    @property
    def builtin_tools_on(self) -> tuple[str, ...]:
        """The enabled built-in tools; none for agents that have no tools, and for those that stand for all providers."""
        if self.is_base or KINDS[self.kind].is_tool:
            return ()
        tools = self.builtin_tools_default if self.builtin_tools is None else self.builtin_tools
        return tuple(name for name in BUILTIN_TOOLS if name in tools)

    @property
    def builtin_tools_default(self) -> tuple[str, ...]:
        """The provider's default. The provider tools agent has all tools of its provider."""
        defaults = PROVIDERS[self.provider]
        if self.kind == PROVIDER_TOOLS_AGENT:
            return defaults.abilities.builtin_tools if defaults.abilities else ()
        return defaults.builtin_tools

    def check_provider_settings(self) -> None:
        """Raise ValidationError for settings that the provider doesn't have, however they got into the row."""
        if self.is_base:
            if self.builtin_tools is not None or self.provider_settings or self.provider_options:
                raise ValidationError(gettext("What is for all providers has no settings of one provider."))
            return
        try:
            WIRES[PROVIDERS[self.provider].wire].settings.model_validate(self.provider_settings)
        except PydanticError as error:
            raise ValidationError([f"{' '.join(map(str, problem['loc'][:1]))}: {problem['msg']}" for problem in error.errors()]) from error
