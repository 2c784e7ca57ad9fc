"""Base of the forms of tool sources and plugins: settings of their kind as typed fields, and a secret.

The secret is sent to an address in these settings. Its value only ever travels from the browser to the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from django import forms
from django.utils.translation import gettext, gettext_lazy
from pydantic import BaseModel, ValidationError as SettingsInvalid
from unfold.widgets import UnfoldAdminPasswordWidget

from admin_config.forms.base import TenantForm
from admin_config.forms.fields.schema_fields import schema_values
from admin_config.models import AgentPlugin, ToolSource
from admin_config.validation.settings_schemas import schema_problems
from security.models import Secret
from security.secrets.services import secret_check
from tenants.errors import ParleyError

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

NEW_SECRET = "new_secret"  # noqa: S105 a field's name


class HasSecret(Protocol):
    """A row with a secret for one address."""

    @property
    def secret(self) -> Secret | None: ...

    def has_secret_for(self, url: str) -> bool: ...


SECRET_LABEL = gettext_lazy("Secret")


def secret_field(label: StrOrPromise = SECRET_LABEL) -> forms.Field:
    widget = UnfoldAdminPasswordWidget(render_value=False, attrs={"autocomplete": "new-password", "spellcheck": "false"})
    return forms.CharField(label=label, required=False, max_length=4096, widget=widget)


def secret_note(secret: Secret | None) -> str:
    """Return the help text below the field."""
    return gettext("The secret is %(secret)s. A new one replaces it.") % {"secret": secret} if secret else gettext("No secret is set.")


def secret_problem(row: HasSecret, *, value: str, url: str) -> str:
    """Return why `value` can't be the row's secret for `url`; empty if it can (SECURITY 11). An empty `value` means that none was entered."""
    if not value:
        return "" if row.has_secret_for(url) else gettext("Enter the secret for this address.")
    try:
        secret_check(value=value, url=url)
    except ParleyError as error:
        return str(error)
    return ""


Row = TypeVar("Row", ToolSource, AgentPlugin)


class SettingsKind(Protocol):
    """What PluginKind and ToolKind have in common.

    `secret_url`: returns the URL in the settings that a secret is bound to. None: the kind has no secret.
    """

    @property
    def settings(self) -> type[BaseModel]: ...

    @property
    def secret_url(self) -> Callable[[Any], str] | None: ...


class TypedSettingsForm(TenantForm[Row]):
    """Base of a kind's form.

    The form has the `schema_fields` of its kind's settings, and the field NEW_SECRET if the kind has a secret.
    """

    kind: ClassVar[Any]  # a SettingsKind, set by subclasses

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields = self._kind.settings.model_fields
        self.initial.update({name: value for name, value in self.instance.settings.items() if name in fields})
        if NEW_SECRET in self.fields:
            self.fields[NEW_SECRET].help_text = secret_note(self.instance.secret)

    @property
    def _kind(self) -> SettingsKind:
        kind: SettingsKind = self.kind
        return kind

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        values = schema_values(self._kind.settings, self.cleaned_data)
        if not self.errors and (settings := self._validate_settings(values)) is not None:
            self.instance.settings = settings.model_dump(mode="json", exclude_defaults=True)
            self._check_secret(settings)
        return cleaned

    def _validate_settings(self, values: Mapping[str, Any]) -> BaseModel | None:
        try:
            return self._kind.settings.model_validate(values)
        except SettingsInvalid as exc:
            for name, problem in schema_problems(exc):
                self.add_error(name if name in self.fields else None, problem)
            return None

    def _check_secret(self, settings: BaseModel) -> None:
        """Check the secret, which belongs to the host that it was entered for (SECURITY 11)."""
        url = self._kind.secret_url(settings) if self._kind.secret_url else ""
        value = str(self.cleaned_data.get(NEW_SECRET) or "")
        if url and (problem := secret_problem(self.instance, value=value, url=url)):
            self.add_error(NEW_SECRET, problem)
        elif value and not url:
            self.add_error(NEW_SECRET, gettext("With these settings no secret is sent."))
