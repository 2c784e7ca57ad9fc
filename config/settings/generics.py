"""Makes `ModelForm[Row]` work at run time.

django-stubs declares forms as generic, but Django itself makes only managers and querysets subscriptable.
"""

from __future__ import annotations

from types import GenericAlias

from django.forms.models import BaseModelForm

__all__: list[str] = []

if not hasattr(BaseModelForm, "__class_getitem__"):
    BaseModelForm.__class_getitem__ = classmethod(GenericAlias)  # type: ignore[attr-defined]
