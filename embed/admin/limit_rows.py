"""The limits of one embedded chat, as a table on its admin page. They are rows of limits.models.RateLimit, as all limits."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy
from unfold.admin import TabularInline

from admin_config.admin.base import PartInline
from admin_config.forms.base import TenantForm
from admin_config.forms.row_sets import RowsFormSet
from limits.forms import numbers_check, numbers_show_whole
from limits.models import EMBED_SCOPES, NUMBERS, RateLimit

TWICE = gettext_lazy("Two lines are for the same visitors and count the same. Put their numbers into one.")


class EmbedLimitForm(TenantForm[RateLimit]):
    """A line of the table. Its fields are labelled by the table's head on screen, and by themselves for those who hear the page."""

    class Meta:
        model = RateLimit
        fields = ("scope", "measure", *NUMBERS, "when_away")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        numbers_show_whole(self)
        scope: Any = self.fields["scope"]
        scope.choices = [(scope.value, scope.label) for scope in EMBED_SCOPES]
        for field in self.fields.values():
            field.widget.attrs["aria-label"] = str(field.label).capitalize()

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        numbers_check(self)
        return cleaned


class EmbedLimitFormSet(RowsFormSet):
    """Refuses two lines for the same: the rows' own check sees only what is stored, and the empty columns keep Django from comparing lines."""

    @classmethod
    def get_default_prefix(cls) -> str:
        return "limits"  # Django's is the name of the relation, which has none

    def clean(self) -> None:
        super().clean()
        rows = [form.cleaned_data for form in self.forms if form.has_changed() or form.instance.pk]
        keys = [(row.get("scope"), row.get("measure")) for row in rows if row and not row.get("DELETE")]
        if len(set(keys)) < len(keys):
            raise ValidationError(TWICE)


class EmbedLimitInline(PartInline):
    template = TabularInline.template  # a line for each
    hide_title = True
    model = RateLimit
    form = EmbedLimitForm
    formset = EmbedLimitFormSet
    fk_name = "embed_site"
    verbose_name = gettext_lazy("limit")
    verbose_name_plural = gettext_lazy("Limits")
    fields = ("scope", "measure", *NUMBERS, "when_away")
    ordering = ("scope", "measure")
