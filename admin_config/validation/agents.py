"""Checks of custom agents, whether they come from a form, a file or another version."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext, gettext_lazy

from admin_config.defaults.platform import KINDS
from admin_config.validation.reserved_names import is_reserved

MAX_SCHEMA_CHARS = 16 * 1024  # it is part of each request of the calling agent

check_name = RegexValidator(
    r"^[a-z][a-z0-9_]{0,39}\Z", gettext_lazy("A name is a small letter, then small letters, digits or underscores; at most 40.")
)


def check_own_name(name: str) -> None:
    """Raise ValidationError for an invalid name, or one that the platform already uses."""
    check_name(name)
    if name in KINDS or is_reserved(name):
        raise ValidationError(gettext("The name %(name)s is the platform's own. Choose another one.") % {"name": name})


def check_input_schema(schema: Any) -> None:
    """Raise ValidationError for a schema that no model could fill."""
    if schema in (None, {}):
        return
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise ValidationError(gettext('The schema must be a JSON object with "type": "object".'))
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties or not all(isinstance(value, dict) for value in properties.values()):
        raise ValidationError(gettext('The schema needs "properties", each of them a JSON object.'))
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) and name in properties for name in required):
        raise ValidationError(gettext('"required" must be a list of names of properties.'))
    if len(str(schema)) > MAX_SCHEMA_CHARS:
        raise ValidationError(gettext("The schema is too long."))
