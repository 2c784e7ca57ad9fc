"""What a refused form can't show again."""

from __future__ import annotations

from django import forms, template
from django.forms.boundfield import BoundField

register = template.Library()


@register.filter
def not_kept(form: forms.BaseForm) -> list[BoundField]:
    """Return the fields that were filled in and come back empty: a browser takes no file from a page, and a secret is never sent to one.

    Fields with an error of their own are left out, since it says what to do.
    """
    return [field for field in form if _comes_back_empty(field.field.widget) and field.data and not field.errors]


def _comes_back_empty(widget: forms.Widget) -> bool:
    return isinstance(widget, forms.FileInput) or (isinstance(widget, forms.PasswordInput) and not widget.render_value)
