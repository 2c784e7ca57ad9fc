"""Draws the smallest parts of a form in Python: labels, inputs, texts and choices.

A page of an agent has five hundred of them, and a template for each took a quarter of the page's time. What comes out is what the templates of
Django and of the theme give (tests/config/test_form_renderer.py compares them); every other part still has its template.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from django.forms.renderers import DjangoTemplates
from django.utils.safestring import SafeData

SELECT_ARROW = (
    '<span class="material-symbols-outlined absolute group-[.primary]:text-white pointer-events-none mr-[12px] right-0 text-base-400 top-0 '
    'top-1/2 hover:text-base-700 dark:text-base-500 dark:hover:text-base-200 -translate-y-1/2">expand_more</span>'
)
OPTION_TEMPLATE = "django/forms/widgets/select_option.html"


class FormRenderer(DjangoTemplates):
    """Django's own renderer with a shorter way for the parts in `PARTS`."""

    def render(self, template_name: str, context: dict[str, Any], request: Any = None) -> str:
        draw = PARTS.get(template_name)
        return draw(context) if draw is not None and _has_plain_options(context) else super().render(template_name, context, request)


def _has_plain_options(context: Mapping[str, Any]) -> bool:
    """Return whether the options of a choice, if there are any, are drawn as usual."""
    groups = context.get("widget", {}).get("optgroups", ())
    return all(option["template_name"] == OPTION_TEMPLATE for _, options, _ in groups for option in options)


def _text(value: Any) -> str:
    return str(value) if isinstance(value, SafeData) else escape(str(value))


def _attributes(attributes: Mapping[str, Any]) -> str:
    pairs = ((name, value) for name, value in attributes.items() if value is not False)
    return "".join(f" {_text(name)}" if value is True else f' {_text(name)}="{_text(value)}"' for name, value in pairs)


def _label(context: Mapping[str, Any]) -> str:
    if not context["use_tag"]:
        return _text(context["label"])
    return f"<{context['tag']}{_attributes(context['attrs'])}>{_text(context['label'])}</{context['tag']}>"


def _input(context: Mapping[str, Any]) -> str:
    widget = context["widget"]
    value = "" if widget["value"] is None else f' value="{_text(widget["value"])}"'
    return f'<input type="{_text(widget["type"])}" name="{_text(widget["name"])}"{value}{_attributes(widget["attrs"])}>'


def _textarea(context: Mapping[str, Any]) -> str:
    widget = context["widget"]
    return f'<textarea name="{_text(widget["name"])}"{_attributes(widget["attrs"])}>{_text(widget["value"] or "")}</textarea>'


def _select(context: Mapping[str, Any]) -> str:
    widget = context["widget"]
    groups = "".join(_option_group(name, options) for name, options, _ in widget["optgroups"])
    select = f'<select name="{_text(widget["name"])}"{_attributes(widget["attrs"])}>{groups}</select>'
    return f'<div class="grow relative max-w-2xl">{select}{SELECT_ARROW}</div>'


def _option_group(name: str | None, options: list[dict[str, Any]]) -> str:
    options_html = "".join(
        f'<option value="{_text(each["value"])}"{_attributes(each["attrs"])}>{_text(each["label"])}</option>' for each in options
    )
    return f'<optgroup label="{_text(name)}">{options_html}</optgroup>' if name else options_html


PARTS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "django/forms/label.html": _label,
    **dict.fromkeys(
        (f"django/forms/widgets/{kind}.html" for kind in ("hidden", "number", "text", "email", "password", "checkbox")), _input
    ),
    "unfold/widgets/textarea.html": _textarea,
    "unfold/widgets/select.html": _select,
}
