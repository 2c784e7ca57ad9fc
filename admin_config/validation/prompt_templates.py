"""Prompt templates: named placeholders in braces, `{{` and `}}` for literal braces. No format specs, no attribute access."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from string import Formatter

from django.utils.translation import gettext


def template_problems(template: str, *, allowed: Collection[str], required: Collection[str]) -> list[str]:
    """Return sentences about what is wrong with the template, naming each placeholder; empty if it can be used."""
    try:
        fields = list(Formatter().parse(template))
    except ValueError:
        return [gettext("A brace is not balanced. Write {{ or }} for a literal brace.")]
    names = {_field_text(name, spec, conversion) for _, name, spec, conversion in fields if name is not None}
    placeholders = ", ".join(f"{{{name}}}" for name in sorted(allowed))
    unknown = [
        gettext("{%(name)s} is not a known placeholder. Known here: %(known)s.") % {"name": name, "known": placeholders}
        for name in sorted(names - set(allowed))
    ]
    missing = [gettext("The placeholder {%(name)s} is missing.") % {"name": name} for name in sorted(set(required) - names)]
    return unknown + missing


def template_names(template: str) -> list[str]:
    """Return the placeholders of a valid template, in order."""
    return [name for _, name, _, _ in Formatter().parse(template) if name is not None]


def template_render(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its placeholders replaced, in one pass: braces inside the values stay as they are.

    Raises KeyError for a placeholder without a value.
    """
    return "".join(literal + (values[name] if name is not None else "") for literal, name, _, _ in Formatter().parse(template))


def _field_text(name: str, spec: str | None, conversion: str | None) -> str:
    return name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
