"""What a form shows, as a browser would send it: for a save of one value, beside which all others stay as they are."""

from __future__ import annotations

from typing import Any

from django.forms import BaseForm
from django.http import QueryDict


def shown_values(*forms: BaseForm) -> QueryDict:
    """Return what a browser would send for unbound forms that nobody has changed."""
    values = QueryDict(mutable=True)
    for form in forms:
        for bound_field in form:
            value: Any = bound_field.value()
            # an empty box sends nothing
            field_values = [] if value in (None, False) else value if isinstance(value, list | tuple) else [value]
            names = [bound_field.html_name, *([bound_field.html_initial_name] if bound_field.field.show_hidden_initial else [])]
            for name in names:
                values.setlist(name, [str(each) for each in field_values])
    return values
