"""Form of an embedded chat."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from admin_config.forms.base import TenantForm
from admin_config.models import Assistant
from embed.host.key_sets import MAX_CHARS, key_set_read
from embed.models import MAX_ORIGINS, MAX_STARTER_CHARS, MAX_STARTERS, EmbedSite
from security.egress.urls import https_check
from tenants.input.origins import origins_read
from tenants.models import Membership

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

CHAT_AGENT = gettext_lazy("The chat agent")
NO_ASSISTANT = gettext_lazy("Nobody: its assistant is gone")
ONE_KEY_SET = gettext_lazy("Enter the key set or its address, not both.")
NOT_FOR_VISITORS = gettext_lazy("Visitors may not use this assistant. On its page, let everyone use it, or add the role Visitor.")


def _lines(label: StrOrPromise, help_text: StrOrPromise, rows: int) -> forms.CharField:
    return forms.CharField(label=label, required=False, help_text=help_text, widget=UnfoldAdminTextareaWidget(attrs={"rows": rows}))


class EmbedSiteForm(TenantForm[EmbedSite]):
    """Origins and starters are texts here, one in a line, and the key set is JSON."""

    origins = _lines(
        gettext_lazy("Pages"),
        gettext_lazy("The origins whose pages may show the chat, one in a line, such as https://shop.example. No other page can."),
        3,
    )
    starter_lines = _lines(
        gettext_lazy("Suggestions"),
        format_lazy(gettext_lazy("Up to {most} questions that an empty chat offers, one in a line."), most=MAX_STARTERS),
        4,
    )
    public_keys = _lines(
        gettext_lazy("Key set"),
        gettext_lazy(
            "For tokens that the page's server signs with a private key (RS256, ES256 or EdDSA): its public keys as JSON (JWKS). To change "
            "keys without a break, add the new one before the server uses it. Blank: only tokens made with this embed's secret."
        ),
        4,
    )

    assistant = forms.ChoiceField(label=gettext_lazy("Answers"), required=False, widget=UnfoldAdminSelectWidget)

    class Meta:
        model = EmbedSite
        fields = (
            *("name", "is_active", "assistant", "anonymous_allowed", "members_may_keep", "shows_switches", "keep_days", "key_set_url"),
            *("title", "subtitle", "greeting", "placeholder", "accent_color", "language", "shows_brand"),
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assistants = Assistant.objects.filter(is_offered=True).select_related("agent").order_by("title")
        self._assistants = {assistant.agent.key: assistant for assistant in assistants}
        choices = [("", CHAT_AGENT), *((key, str(assistant)) for key, assistant in self._assistants.items())]
        if self.instance.assistant and self.instance.assistant not in self._assistants:
            choices.append((self.instance.assistant, NO_ASSISTANT))  # so that saving something else does not choose another
        field: Any = self.fields["assistant"]
        field.choices = choices
        self.initial["origins"] = "\n".join(self.instance.allowed_origins)
        self.initial["public_keys"] = json.dumps({"keys": self.instance.key_set}, indent=1) if self.instance.key_set else ""
        self.initial["starter_lines"] = "\n".join(self.instance.starters)

    def clean_assistant(self) -> str:
        key: str = self.cleaned_data["assistant"]
        assistant = self._assistants.get(key)
        if assistant and assistant.audience == Assistant.Audience.CHOSEN and Membership.Role.VISITOR not in assistant.roles:
            raise ValidationError(NOT_FOR_VISITORS)
        return key

    def clean_origins(self) -> list[str]:
        try:
            return origins_read(self.cleaned_data["origins"], at_most=MAX_ORIGINS)
        except ValueError as error:
            raise ValidationError(str(error)) from None

    def clean_public_keys(self) -> list[dict[str, Any]]:
        text: str = self.cleaned_data["public_keys"]
        if len(text) > MAX_CHARS:
            raise ValidationError(gettext("At most %(most)s characters are possible.") % {"most": MAX_CHARS})
        try:
            return key_set_read(text)
        except ValueError as error:
            raise ValidationError(str(error)) from None

    def clean_key_set_url(self) -> str:
        url: str = self.cleaned_data["key_set_url"]
        if url and self.cleaned_data.get("public_keys"):
            raise ValidationError(ONE_KEY_SET)
        try:
            if url:
                https_check(url)
        except ValueError as error:
            raise ValidationError(str(error)) from None
        return url

    def clean_starter_lines(self) -> list[str]:
        starters = [line.strip() for line in self.cleaned_data["starter_lines"].splitlines() if line.strip()]
        if len(starters) > MAX_STARTERS:
            raise ValidationError(gettext("At most %(max_starters)s suggestions are possible.") % {"max_starters": MAX_STARTERS})
        if any(len(starter) > MAX_STARTER_CHARS for starter in starters):
            raise ValidationError(
                gettext("A suggestion has at most %(max_starter_length)s characters.") % {"max_starter_length": MAX_STARTER_CHARS}
            )
        return starters

    def _post_clean(self) -> None:
        self.instance.allowed_origins = self.cleaned_data.get("origins", self.instance.allowed_origins)
        self.instance.key_set = self.cleaned_data.get("public_keys", self.instance.key_set)
        self.instance.starters = self.cleaned_data.get("starter_lines", self.instance.starters)
        super()._post_clean()  # type: ignore[misc]
