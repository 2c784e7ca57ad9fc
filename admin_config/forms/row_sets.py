"""Rows on the page of the row that they belong to, read once for all their forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.utils.translation import gettext


class HeldRowField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """The hidden id of a row, which is looked up among the rows that were read. `rows`: those, by the text of their ids."""

    def __init__(self, rows: Mapping[str, Model], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rows = rows

    def to_python(self, value: Any) -> Model | None:
        if value in self.empty_values:
            return None
        if (row := self.rows.get(str(value))) is None:
            raise ValidationError(self.error_messages["invalid_choice"], code="invalid_choice", params={"value": value})
        return row


class RowsFormSet(forms.BaseInlineFormSet):  # type: ignore[type-arg]
    """Rows of a page. Django asks the database which row a form is of, for each form; here it is one of those that were read."""

    _rows_by_id: Mapping[str, Model] | None = None

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        name = self.id_name
        if index is not None and index < self.initial_form_count() and (field := form.fields.get(name)):
            form.fields[name] = HeldRowField(self._rows(), field.queryset, initial=field.initial, required=False, widget=forms.HiddenInput)

    def clean(self) -> None:
        """Say above the rows that one is gone: no page shows the error of its hidden id."""
        super().clean()
        if any(form.has_error(self.id_name) and not form.cleaned_data.get("DELETE") for form in self.initial_forms):
            raise ValidationError(gettext("Somebody deleted one of these rows meanwhile. Open the page again."))

    @property
    def id_name(self) -> str:
        return str(self.fk.model._meta.pk.name)

    def _rows(self) -> Mapping[str, Model]:
        if self._rows_by_id is None:
            self._rows_by_id = {str(row.pk): row for row in self.get_queryset()}
        return self._rows_by_id


class ChoosingFormSet(RowsFormSet):
    """Rows of which each chooses a row of another table. What they choose from is read once for all of them.

    `choice_field`: the name of the field.
    """

    choice_field: ClassVar[str]
    _choices: list[Any] | None = None

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        if field := form.fields.get(self.choice_field):
            rows = field.iterator(field)
            field.choices = lambda: self._read_once(rows)

    def _read_once(self, rows: Iterable[Any]) -> list[Any]:
        if self._choices is None:
            self._choices = list(iter(rows))  # of the iterator itself, list() would ask for the number, too
        return self._choices
