"""Admin page of endpoints with their write-only keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.contrib import messages
from django.contrib.admin import display
from django.db.models import Model
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy

from admin_config.admin.base import badge
from admin_config.admin.endpoint_connection import EndpointConnectionAdmin
from admin_config.defaults.platform import PROVIDERS
from admin_config.defaults.wires import WIRES, WireSpec
from admin_config.forms.endpoints import OPTION_NAMES, CompatibleEndpointForm, EndpointForm
from admin_config.models import ProviderEndpoint
from admin_config.services.configuration import credential_remove, credential_set
from admin_config.services.endpoints.usability import STATE_COLORS, endpoint_state
from admin_config.services.own_keys import key_state
from tenants.admin import actor_of

GENERAL_FIELDSET = (None, {"fields": ("provider", "name", "is_enabled", ("priority", "timeout_s"))})
ADDRESS_FIELDSET = (gettext_lazy("Address"), {"fields": ("base_url", "api_version")})
TOOLS_FIELDSET = (gettext_lazy("Tool calls"), {"fields": ("tool_mode",), "classes": ("collapse",)})
KEY_NOTE = gettext_lazy("Keys are encrypted, used for this address only, and never shown again. A new address needs the key again.")
COMPATIBLE_FIELDSET = (
    gettext_lazy("What the server can do"),
    {
        "classes": ("collapse",),
        "description": gettext_lazy("For OpenAI-compatible servers. The defaults suit the common servers of open models."),
        "fields": (OPTION_NAMES[:2], OPTION_NAMES[2:4], OPTION_NAMES[4:6], OPTION_NAMES[6:8], *OPTION_NAMES[8:]),
    },
)


def _takes(endpoint: ProviderEndpoint | None, field: Callable[[WireSpec], bool]) -> bool:
    """Return whether the endpoint's wire has the field; True before the provider is chosen."""
    return endpoint is None or field(WIRES[PROVIDERS[endpoint.provider].wire])


def _key_fieldset(endpoint: ProviderEndpoint | None) -> Any:
    fields = ("new_key", "remove_key") if endpoint and endpoint.secret_id else ("new_key",)
    return gettext("Key"), {"fields": fields, "description": KEY_NOTE}


class EndpointAdmin(EndpointConnectionAdmin):
    """The endpoints of an organization."""

    list_display = ("name", "provider", "address", "key_state", "breaker", "usable", "priority")
    list_filter = ("provider", "is_enabled")
    list_select_related = ("secret",)
    ordering = ("provider", "priority", "name")
    sortable_by = ()

    def get_fieldsets(self, request: HttpRequest, obj: ProviderEndpoint | None = None) -> Any:
        """Return the fields of this provider; on the page of a new endpoint the provider is not chosen yet, so all fields are shown."""
        address = ADDRESS_FIELDSET if _takes(obj, lambda wire: wire.takes_version) else (gettext("Address"), {"fields": ("base_url",)})
        return (
            GENERAL_FIELDSET,
            address,
            TOOLS_FIELDSET,
            *((COMPATIBLE_FIELDSET,) if _takes(obj, lambda wire: wire.takes_capabilities) else ()),
            _key_fieldset(obj),
        )

    def get_form(self, request: HttpRequest, obj: ProviderEndpoint | None = None, change: bool = False, **kwargs: Any) -> Any:
        kwargs["form"] = CompatibleEndpointForm if _takes(obj, lambda wire: wire.takes_capabilities) else EndpointForm
        return super().get_form(request, obj, change, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("provider",) if obj else ()

    def save_model(self, request: HttpRequest, obj: ProviderEndpoint, form: Any, change: bool) -> None:
        """Save the row, then its key. A changed address removes the key that was entered for the old one (SECURITY 11)."""
        super().save_model(request, obj, form, change)
        author_id = actor_of(request).user_id
        if form.cleaned_data["new_key"]:
            credential_set(endpoint=obj, value=form.cleaned_data["new_key"], author_id=author_id)
        elif form.cleaned_data["remove_key"]:
            credential_remove(endpoint=obj, author_id=author_id)
        elif obj.secret_id and "base_url" in form.changed_data:
            credential_remove(endpoint=obj, author_id=author_id)
            form.lost_key = True

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if form.lost_key:
            messages.warning(request, gettext("The address has changed, so its key was removed. Enter the key for the new address."))

    def delete_model(self, request: HttpRequest, obj: ProviderEndpoint) -> None:
        credential_remove(endpoint=obj, author_id=actor_of(request).user_id)
        super().delete_model(request, obj)

    @display(description=gettext_lazy("address"))
    def address(self, endpoint: ProviderEndpoint) -> str:
        defaults = PROVIDERS[endpoint.provider]
        nowhere = gettext("none yet") if defaults.demo_path is None else gettext("this server's demo provider")
        return endpoint.base_url or defaults.base_url or capfirst(nowhere)

    @display(description=gettext_lazy("key"))
    def key_state(self, endpoint: ProviderEndpoint) -> str:
        return str(capfirst(gettext(key_state(endpoint))))

    @badge(gettext_lazy("usable"), STATE_COLORS)
    def usable(self, endpoint: ProviderEndpoint) -> str:
        return endpoint_state(endpoint, cast(Any, endpoint).providers_with_models)
