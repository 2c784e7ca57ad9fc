"""Base forms of the configuration pages: tenant rows only, defaults beside blank fields, errors at the fields that cause them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from django import forms
from django.conf import settings
from django.db.models import Model
from django.forms.utils import ErrorList
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from admin_config.defaults.platform import BUILTIN_TOOLS, DEMO_WIRES, PROVIDER_CHOICES
from admin_config.models import AppSettings
from admin_config.services.selectors import STORAGE_LIMITS
from tenants.localization.figures import figure

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

Row = TypeVar("Row", bound=Model)

BASE_NOTE = gettext_lazy("Blank: the value for all providers, shown in grey.")
DEFAULT_NOTE = gettext_lazy("Blank: the platform's default, shown in grey.")
NO_DEFAULT_NOTE = gettext_lazy("Blank: the model's own default.")


class FieldErrors(ErrorList):
    """A field's errors. The theme asks each field twice for their HTML, and Django renders a template also when there are none."""

    def as_ul(self) -> SafeString:
        return super().as_ul() if self else SafeString()


class TenantForm(forms.ModelForm[Row]):
    """Form of one organization's row.

    The row sets its organization itself, which takes part in uniqueness checks.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.error_class = FieldErrors

    def _get_validation_exclusions(self) -> set[str]:
        exclusions: set[str] = super()._get_validation_exclusions()  # type: ignore[misc]
        return exclusions - {"organization"}


class ConfigForm(TenantForm[Row]):
    """Form of what a release holds. Providers that can't be reached are no choice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.DEMO_PROVIDER_URL:  # without a demo server these providers can't be reached
            for name in {"provider", "active_provider", "offered_providers"} & self.fields.keys():
                field: Any = self.fields[name]
                field.choices = [choice for choice in field.choices if choice[0] not in DEMO_WIRES]


class SettingsForm(ConfigForm[AppSettings]):
    """Form of the organization's settings."""

    offered_providers = forms.MultipleChoiceField(
        label=gettext_lazy("Other providers"),
        required=False,
        choices=PROVIDER_CHOICES,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=AppSettings._meta.get_field("offered_providers").help_text,
    )

    class Meta:
        model = AppSettings
        fields = (
            "active_provider",
            "offered_providers",
            "publish_on_save",
            "own_keys_allowed",
            "approval_days",
            "refusals_alert",
            "never_hosts",
            "retention_days",
            *STORAGE_LIMITS,
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in {*STORAGE_LIMITS} & self.fields.keys():
            show_placeholder(self.fields[name], settings.FILE_QUOTAS[name])

    def clean(self) -> dict[str, Any] | None:
        """Refuse a limit above the platform's, which would not hold."""
        cleaned = super().clean()
        for name in STORAGE_LIMITS:
            if (limit := self.cleaned_data.get(name)) is not None and limit > settings.FILE_QUOTAS[name]:
                self.add_error(name, gettext("The platform's limit is %(value)s.") % {"value": figure(settings.FILE_QUOTAS[name])})
        return cleaned


def builtin_tools_field(help_text: StrOrPromise) -> forms.MultipleChoiceField:
    """Return a field with a check box for each of the providers' own tools."""
    return forms.MultipleChoiceField(
        label=gettext_lazy("Built-in tools"),
        required=False,
        choices=[(name, gettext_lazy(label)) for name, label in BUILTIN_TOOLS.items()],
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=help_text,
    )


def show_default(field: forms.Field, default: object, *, is_inherited: bool = False) -> None:
    """Explain below the field what blank means, and show the default in grey if it can be written as text.

    `is_inherited`: it is the value for all providers, and not the platform's.
    """
    field.help_text = BASE_NOTE if is_inherited else NO_DEFAULT_NOTE if default is None else DEFAULT_NOTE
    show_placeholder(field, default)


def show_placeholder(field: forms.Field, default: object) -> None:
    if default is not None:
        field.widget.attrs["placeholder"] = str(default)
