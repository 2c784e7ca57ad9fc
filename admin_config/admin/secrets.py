"""Admin page of the organization's secrets for tools (SPEC 3.17).

Members' own secrets have no page here, because nobody else may see that they exist.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.admin import display
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextInputWidget

from admin_config.admin.base import TenantModelAdmin
from admin_config.forms.base import TenantForm
from security.egress import EgressRefused
from security.models import RegisteredSecret
from security.secrets.registered_secrets import registered_secret_delete, registered_secret_save, registered_value_check
from security.secrets.services import secret_check
from tenants.admin import actor_of
from tenants.errors import BadRequest


class SecretForm(TenantForm[RegisteredSecret]):
    """Form of a secret whose value is only ever sent from the browser to the server, never back.

    Tool and address can only be changed together with a new value (SECURITY 11).
    """

    base_url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=300,
        widget=UnfoldAdminTextInputWidget,
        help_text=gettext_lazy("The secret is sent to this scheme, host and port only, such as https://api.example.org."),
    )
    value = forms.CharField(
        label=gettext_lazy("Secret"),
        required=False,
        max_length=4096,
        widget=UnfoldAdminPasswordWidget(render_value=False, attrs={"autocomplete": "new-password", "spellcheck": "false"}),
    )

    class Meta:
        model = RegisteredSecret
        fields = ("name", "tool")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.secret_id is not None:
            self.fields["base_url"].initial = self.instance.secret.bound_origin
            self.fields["value"].help_text = gettext("The secret is %(secret)s. A new one replaces it.") % {"secret": self.instance.secret}

    def _get_validation_exclusions(self) -> set[str]:
        """Include `membership` in validation: an organization's secret names are unique among the secrets without a member."""
        return super()._get_validation_exclusions() - {"membership"}

    def clean_value(self) -> str:
        value = str(self.cleaned_data["value"]).strip()
        if value or self.instance.secret_id is None:
            try:
                registered_value_check(name=self.cleaned_data.get("name", self.instance.name), value=value)
            except BadRequest as error:
                raise ValidationError(error.message) from error
        return value

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        value, url = self.cleaned_data.get("value"), self.cleaned_data.get("base_url")
        if value and url:
            self._check_address(value, url)
        elif value == "" and {"tool", "base_url"} & set(self.changed_data):
            self.add_error("value", gettext("Enter the secret again: it is bound to its tool and address."))
        return cleaned

    def _check_address(self, value: str, url: str) -> None:
        try:
            secret_check(value=value, url=url)
        except EgressRefused as error:
            self.add_error("base_url", str(error))
        except BadRequest as error:
            self.add_error("value", error.message)


class SecretAdmin(TenantModelAdmin):
    """The organization's secrets for tools."""

    empty_hint = gettext_lazy("Passwords and keys that a tool sends. Models and members see only their names.")
    form = SecretForm
    list_display = ("name", "tool", "address", "state", "created_at")
    list_select_related = ("secret",)
    ordering = ("name",)
    sortable_by = ()
    fieldsets = (
        (
            None,
            {
                "fields": ("name", "tool", "base_url", "value"),
                "description": gettext_lazy(
                    "Secrets are encrypted and never shown again. Models see {{secret:name}} in their place; only the named tool "
                    "puts the value back, and only for this address."
                ),
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[RegisteredSecret]:
        secrets: QuerySet[RegisteredSecret] = super().get_queryset(request)
        return secrets.filter(membership=None)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        """Fix the name after creation, because conversations refer to it."""
        return ("name",) if obj else ()

    def save_model(self, request: HttpRequest, obj: RegisteredSecret, form: Any, change: bool) -> None:
        """Save only with a new value: without one nothing can have changed."""
        if form.cleaned_data["value"]:
            author_id = actor_of(request).user_id
            registered_secret_save(
                registered=obj, value=form.cleaned_data["value"], url=form.cleaned_data["base_url"], actor_user_id=author_id
            )

    def delete_model(self, request: HttpRequest, obj: RegisteredSecret) -> None:
        registered_secret_delete(registered=obj, actor_user_id=actor_of(request).user_id)

    @display(description=gettext_lazy("address"))
    def address(self, row: RegisteredSecret) -> str:
        return row.secret.bound_origin

    @display(description=gettext_lazy("secret"))
    def state(self, row: RegisteredSecret) -> str:
        return str(row.secret)
