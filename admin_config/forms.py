"""The forms of the configuration pages: own rows only, defaults beside blank fields, errors at the field that causes them."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Model
from pydantic import ValidationError as PydanticError
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminPasswordWidget, UnfoldBooleanSwitchWidget

from admin_config.defaults import DEMO_WIRES, PROVIDER_CHOICES, PROVIDERS
from admin_config.endpoint_options import CompatibleOptions
from admin_config.models import AppSettings, ProviderEndpoint
from admin_config.rehearsal import problems_after
from security.egress import EgressRefused, origin_of

Row = TypeVar("Row", bound=Model)

DEFAULT_NOTE = "Blank: the platform's default, shown in grey."
NO_DEFAULT_NOTE = "Blank: the model's own default."


class TenantForm(forms.ModelForm[Row]):
    """A form of one organization's row. The organization is set by the row itself and takes part in the checks for uniqueness."""

    def _get_validation_exclusions(self) -> set[str]:
        exclusions: set[str] = super()._get_validation_exclusions()  # type: ignore[misc]
        return exclusions - {"organization"}


class ConfigForm(TenantForm[Row]):
    """A form whose save is published: what would keep the release back is shown before anything is saved."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.DEMO_PROVIDER_URL:  # on this server they lead nowhere
            for name in {"provider", "active_provider", "offered_providers"} & self.fields.keys():
                field: Any = self.fields[name]
                field.choices = [choice for choice in field.choices if choice[0] not in DEMO_WIRES]

    def save_row(self, row: Row) -> None:
        row.save()

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if self.errors:
            return
        twin = copy.deepcopy(self.instance)
        for problem in problems_after(lambda: self.save_row(twin)):
            is_own = problem.row_id == self.instance.pk and problem.field in self.fields
            self.add_error(problem.field if is_own else None, problem.text)


class EndpointForm(ConfigForm[ProviderEndpoint]):
    """`new_key` only ever travels from the browser to the server; the page shows the last four characters of the saved key."""

    new_key = forms.CharField(
        label="API key",
        required=False,
        max_length=4096,
        widget=UnfoldAdminPasswordWidget(render_value=False, attrs={"autocomplete": "new-password", "spellcheck": "false"}),
    )
    remove_key = forms.BooleanField(label="Remove the key", required=False, widget=UnfoldBooleanSwitchWidget)

    class Meta:
        model = ProviderEndpoint
        fields = ("provider", "name", "base_url", "api_version", "is_enabled", "priority", "timeout_s", "tool_mode", "compatible_options")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        secret = self.instance.secret
        if "new_key" in self.fields:
            self.fields["new_key"].help_text = f"The key is {secret}. A new one replaces it." if secret else "No key is set."
        defaults = PROVIDERS.get(self.instance.provider)
        if "base_url" in self.fields and defaults:
            show_default(self.fields["base_url"], defaults.base_url or "the demo provider that this server runs")
            show_default(self.fields["api_version"], defaults.api_version)
        if "compatible_options" in self.fields:
            names = ", ".join(f"{name} ({field.title})" for name, field in CompatibleOptions.model_fields.items())
            self.fields["compatible_options"].help_text = f"A JSON object, for OpenAI-compatible servers only. Options: {names}."

    def clean_compatible_options(self) -> dict[str, Any]:
        options = self.cleaned_data["compatible_options"] or {}
        if not isinstance(options, dict):
            raise ValidationError("A JSON object is needed, such as {}.")
        if unknown := sorted(options.keys() - CompatibleOptions.model_fields.keys()):
            raise ValidationError(f"There is no option named {', '.join(unknown)}.")
        try:
            CompatibleOptions.model_validate(options)
        except PydanticError as error:
            raise ValidationError([f"{problem['loc'][0]}: {problem['msg']}" for problem in error.errors()]) from error
        return options

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.cleaned_data.get("new_key") and self.cleaned_data.get("remove_key"):
            self.add_error("remove_key", "Enter a new key or remove the old one, not both.")
        defaults = PROVIDERS.get(self.cleaned_data.get("provider") or self.instance.provider)
        if (
            defaults
            and not defaults.base_url
            and defaults.demo_path is None
            and not self.cleaned_data.get("base_url")
            and "base_url" in self.fields
        ):
            self.add_error(
                "base_url", f"{defaults.label} has no address of its own. Enter your server's, such as https://llm.example.com/v1."
            )
        return cleaned

    def clean_new_key(self) -> str:
        key = str(self.cleaned_data["new_key"]).strip()
        if not (key.isascii() and key.isprintable()):
            raise ValidationError("A key has letters, digits and signs only, without line breaks.")
        return key

    def clean_base_url(self) -> str:
        url = str(self.cleaned_data["base_url"]).strip()
        if url:
            try:
                origin_of(url)
            except EgressRefused as error:
                raise ValidationError(str(error)) from error
        return url


class SettingsForm(ConfigForm[AppSettings]):
    offered_providers = forms.MultipleChoiceField(
        label="Other providers",
        required=False,
        choices=PROVIDER_CHOICES,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=AppSettings._meta.get_field("offered_providers").help_text,
    )

    class Meta:
        model = AppSettings
        fields = ("active_provider", "offered_providers", "publish_on_save", "own_keys_allowed")


def show_default(field: forms.Field, default: object) -> None:
    """Say below the field what blank means, and show a default that can be written down in grey."""
    field.help_text = NO_DEFAULT_NOTE if default is None else DEFAULT_NOTE
    show_grey(field, default)


def show_grey(field: forms.Field, default: object) -> None:
    if default is not None:
        field.widget.attrs["placeholder"] = str(default)
