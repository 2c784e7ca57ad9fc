"""`ModelForm[Row]` at run time: django-stubs makes forms generic, Django does not (it does so for managers and querysets)."""

from __future__ import annotations

from types import GenericAlias

from django.forms.models import BaseModelForm

__all__: list[str] = []

if not hasattr(BaseModelForm, "__class_getitem__"):
    BaseModelForm.__class_getitem__ = classmethod(GenericAlias)  # type: ignore[attr-defined]
