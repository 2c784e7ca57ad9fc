"""Form of an endpoint: its address, the server's options and its key."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy
from pydantic import ValidationError as PydanticError
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldBooleanSwitchWidget

from admin_config.defaults.compatible_options import CompatibleOptions
from admin_config.defaults.platform import PROVIDERS, ProviderSpec
from admin_config.defaults.wires import WIRES
from admin_config.forms.base import ConfigForm, show_default
from admin_config.forms.fields.schema_fields import schema_fields, schema_values
from admin_config.models import ProviderEndpoint
from admin_config.services.own_keys import PLATFORM_KEY, key_state
from admin_config.validation.extra_fields import extra_field_problems
from admin_config.validation.settings_schemas import schema_problems
from security.egress import EgressRefused, origin_of
from security.secrets.services import secret_check
from tenants.errors import ParleyError

OPTION_NAMES = tuple(CompatibleOptions.model_fields)


class EndpointForm(ConfigForm[ProviderEndpoint]):
    """Form of an endpoint. `new_key` is only ever sent from the browser to the server; the page shows the saved key's last four characters."""

    new_key = forms.CharField(
        label=gettext_lazy("API key"),
        required=False,
        max_length=4096,
        widget=UnfoldAdminPasswordWidget(render_value=False, attrs={"autocomplete": "new-password", "spellcheck": "false"}),
    )
    lost_key = False  # set by the save of an address that the key is not for
    remove_key = forms.BooleanField(label=gettext_lazy("Remove the key"), required=False, widget=UnfoldBooleanSwitchWidget)

    class Meta:
        model = ProviderEndpoint
        fields = ("provider", "name", "base_url", "api_version", "is_enabled", "priority", "timeout_s", "tool_mode")
        help_texts: ClassVar[dict[str, Any]] = {
            "name": gettext_lazy("What tells it from the provider's other endpoints."),
            "base_url": gettext_lazy("Blank: the provider's own. A server of yours needs one, such as https://llm.example.org/v1."),
            "api_version": gettext_lazy("Blank: the provider's own."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.update({name: value for name, value in self.instance.compatible_options.items() if name in OPTION_NAMES})
        secret = self.instance.secret
        if "new_key" in self.fields:
            self.fields["new_key"].help_text = (
                gettext("The key is %(secret)s. A new one replaces it.") % {"secret": secret} if secret else self._no_key_note()
            )
        defaults = PROVIDERS.get(self.instance.provider)
        if "base_url" in self.fields and defaults:
            _show_address(self.fields["base_url"], defaults)
        if "api_version" in self.fields and defaults:
            show_default(self.fields["api_version"], defaults.api_version)

    def _no_key_note(self) -> str:
        is_served = self.instance.provider in PROVIDERS and key_state(self.instance) == PLATFORM_KEY
        return gettext("No key is set, so the platform's key is used.") if is_served else gettext("No key is set.")

    def clean_new_key(self) -> str:
        return str(self.cleaned_data["new_key"]).strip()

    def clean_base_url(self) -> str:
        url = str(self.cleaned_data["base_url"]).strip()
        if url:
            try:
                origin_of(url)
            except EgressRefused as error:
                raise ValidationError(str(error)) from error
        return url

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        defaults = PROVIDERS.get(self.cleaned_data.get("provider") or self.instance.provider)
        if defaults and "base_url" in self.cleaned_data:
            address = self.cleaned_data["base_url"] or defaults.base_url
            self._check_key(address)
            self._check_address(defaults)
        return cleaned

    def _check_address(self, defaults: ProviderSpec) -> None:
        if not defaults.base_url and defaults.demo_path is None and not self.cleaned_data["base_url"]:
            text = gettext("%(label)s has no address of its own. Enter your server's, such as https://llm.example.com/v1.") % {
                "label": defaults.label
            }
            self.add_error("base_url", text)

    def _check_key(self, address: str) -> None:
        """Check that a new key has an address that it can be bound to. Keys are sent over https only."""
        key = self.cleaned_data.get("new_key")
        if not key:
            return
        if self.cleaned_data.get("remove_key"):
            self.add_error("remove_key", gettext("Enter a new key or remove the old one, not both."))
        if not address:
            self.add_error("new_key", gettext("There is no address that this key could be for."))
            return
        try:
            secret_check(value=key, url=address)
        except ParleyError as error:
            self.add_error("new_key", str(error))


def _show_address(field: forms.Field, defaults: ProviderSpec) -> None:
    if defaults.base_url or defaults.demo_path is not None:
        show_default(
            field,
            defaults.base_url
            or (
                gettext("%(demo_provider_url)s%(demo_path)s (the demo provider that this server runs)")
                % {"demo_provider_url": settings.DEMO_PROVIDER_URL, "demo_path": defaults.demo_path}
            ).lstrip(),
        )
    else:
        field.help_text = gettext("Your server's, such as https://llm.example.com/v1.")


class _OptionsForm(EndpointForm):
    """Base form of endpoints with the options of OpenAI-compatible servers."""

    def clean_extra_body(self) -> dict[str, Any]:
        body = self.cleaned_data["extra_body"] or {}
        if problems := extra_field_problems(body):
            raise ValidationError(problems)
        return dict(body)

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        defaults = PROVIDERS.get(self.cleaned_data.get("provider") or self.instance.provider)
        if defaults and not self.errors:
            self._set_options(defaults)
        return cleaned

    def _set_options(self, defaults: ProviderSpec) -> None:
        """Store the options that differ from the defaults; none for servers that are not compatible ones."""
        try:
            options = CompatibleOptions.model_validate(schema_values(CompatibleOptions, self.cleaned_data))
        except PydanticError as error:
            for name, problem in schema_problems(error):
                self.add_error(name, problem)
            return
        self.instance.compatible_options = options.model_dump(exclude_defaults=True) if WIRES[defaults.wire].takes_capabilities else {}


CompatibleEndpointForm = type("CompatibleEndpointForm", (_OptionsForm,), dict(schema_fields(CompatibleOptions)))
