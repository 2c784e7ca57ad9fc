"""Base of form widgets that are drawn by a template of Parley's own, which Django's form renderer does not look for."""

from __future__ import annotations

from typing import Any

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString


class TemplateWidget(forms.Widget):
    """Subclasses set `template_name`."""

    template_name: str

    def render(self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None) -> SafeString:
        return render_to_string(self.template_name, self.get_context(name, value, attrs))
