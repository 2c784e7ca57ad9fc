"""Dates as the reader's language writes them: the catalogue has each format of the templates, as "j. F Y" for "j F Y"."""

from __future__ import annotations

from datetime import date as Date  # noqa: N812  the filter has the name
from typing import Any

from django import template
from django.template import defaultfilters

from tenants.localization.language import date_pattern

register = template.Library()


@register.filter(expects_localtime=True, is_safe=False)
def date(value: Date | str | None, pattern: str | None = None) -> Any:
    """Django's filter, with the pattern of the active language."""
    return defaultfilters.date(value, pattern and date_pattern(pattern))
