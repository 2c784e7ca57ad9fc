"""The form of the organization's own templates."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from admin_config.forms.base import TenantForm
from gallery.models import MAX_CATEGORY_CHARS, MAX_DESCRIPTION_CHARS, MAX_TITLE_CHARS, Template, TemplateKind
from gallery.placeholders import Placeholder, names_in, placeholders_check
from gallery.shapes import GAP_KINDS, MAX_BODY_CHARS, MAX_PROMPT_CHARS, TemplateText
from tenants.errors import BadRequest
from tenants.input.visible_text import visible_line
from tenants.localization.figures import figure

BODY_HELP = gettext_lazy(
    "Placeholders stand in double braces: {{customer}}. Members fill them in before they use the template. How they are asked for "
    "(a choice, a date, a default) is set on the chat's Templates page."
)


class TemplateForm(TenantForm[Template]):
    """A version of a template. Published when it is saved."""

    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"),
        choices=[(kind.value, kind.label) for kind in TemplateKind],
        initial=TemplateKind.PROMPT,
        widget=UnfoldAdminSelectWidget,
    )
    title = forms.CharField(label=gettext_lazy("Title"), max_length=MAX_TITLE_CHARS, widget=UnfoldAdminTextInputWidget)
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=MAX_DESCRIPTION_CHARS,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=gettext_lazy("One line under the title: what it is for."),
    )
    category = forms.CharField(
        label=gettext_lazy("Category"),
        max_length=MAX_CATEGORY_CHARS,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=gettext_lazy("Such as Sales. The gallery can be filtered by it."),
    )
    body = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=MAX_BODY_CHARS,
        strip=False,
        help_text=BODY_HELP,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 14, "spellcheck": "false"}),
    )

    class Meta:
        model = Template
        fields = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance.latest_number:
            return
        del self.fields["kind"]
        self.latest_version = self.instance.versions.get(number=self.instance.latest_number)
        self.initial.update({name: getattr(self.latest_version, name) for name in ("title", "description", "category", "body")})

    def clean_title(self) -> str:
        title = visible_line(self.cleaned_data["title"])
        if not title:
            raise forms.ValidationError(gettext("Write a title of visible characters."))
        return title

    def clean_body(self) -> str:
        body: str = self.cleaned_data["body"].replace("\r\n", "\n")
        if not body.strip():
            raise forms.ValidationError(gettext("Write a text."))
        kind = self.cleaned_data.get("kind", self.instance.kind)
        if kind == TemplateKind.PROMPT and len(body) > MAX_PROMPT_CHARS:
            raise forms.ValidationError(gettext("A prompt can have %(max_prompt)s characters.") % {"max_prompt": figure(MAX_PROMPT_CHARS)})
        try:
            placeholders_check(body, self.remaining_placeholders(body), all_gaps=kind in GAP_KINDS)
        except BadRequest as error:
            raise forms.ValidationError(error.message) from error
        return body

    def remaining_placeholders(self, body: str) -> list[Placeholder]:
        """Return the placeholders of the version before that are still in the text."""
        placeholders = self.latest_version.placeholders if self.instance.latest_number else []
        return [Placeholder.model_validate(one) for one in placeholders if one["name"] in names_in(body)]

    def text(self) -> TemplateText:
        values = self.cleaned_data
        return TemplateText(
            title=values["title"],
            description=values["description"],
            category=values["category"],
            body=values["body"],
            placeholders=self.remaining_placeholders(values["body"]),
        )
