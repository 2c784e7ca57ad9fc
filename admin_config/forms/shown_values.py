"""What a form shows, as a browser would send it: for a save of one value, beside which all others stay as they are."""

from __future__ import annotations

from typing import Any

from django.forms import BaseForm
from django.http import QueryDict


def shown_values(*forms: BaseForm) -> QueryDict:
    """Return what a browser would send for unbound forms that nobody has changed."""
    values = QueryDict(mutable=True)
    for form in forms:
        for bound in form:
            value: Any = bound.value()
            sent = [] if value in (None, False) else value if isinstance(value, list | tuple) else [value]  # an empty box sends nothing
            for name in (bound.html_name, bound.html_initial_name) if bound.field.show_hidden_initial else (bound.html_name,):
                values.setlist(name, [str(each) for each in sent])
    return values
