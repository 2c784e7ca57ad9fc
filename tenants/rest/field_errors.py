"""What is wrong with a field of a request, in the reader's language. Pydantic's own sentences are English, and speak of inputs and strings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tenants.errors import BadRequest

_TEXT: Final = gettext_lazy("must be text")
_WHOLE_NUMBER: Final = gettext_lazy("must be a whole number")
_NUMBER: Final = gettext_lazy("must be a number")
_YES_OR_NO: Final = gettext_lazy("must be true or false")
_ID: Final = gettext_lazy("must be an id")
_TIME: Final = gettext_lazy("must be a time such as 2026-03-01T09:00:00Z")
_DATE: Final = gettext_lazy("must be a date such as 2026-03-01")
_LIST: Final = gettext_lazy("must be a list")
_OBJECT: Final = gettext_lazy("must be an object")
_MISSING: Final = gettext_lazy("is missing")
_EMPTY: Final = gettext_lazy("must not be empty")

# By pydantic's type of error; the placeholders are its context.
REASONS: Final[Mapping[str, Promise | str]] = {
    "missing": _MISSING,
    "union_tag_not_found": _MISSING,
    "extra_forbidden": gettext_lazy("is unknown"),
    "json_invalid": gettext_lazy("is not valid JSON"),
    "none_required": gettext_lazy("must be null"),
    "string_type": _TEXT,
    "string_unicode": _TEXT,
    "string_too_short": gettext_lazy("must have at least %(min_length)s characters"),
    "string_too_long": gettext_lazy("must have at most %(max_length)s characters"),
    "string_pattern_mismatch": gettext_lazy("has a form that is not allowed"),
    "too_short": gettext_lazy("must have at least %(min_length)s entries"),
    "too_long": gettext_lazy("must have at most %(max_length)s entries"),
    "greater_than": gettext_lazy("must be more than %(gt)s"),
    "greater_than_equal": gettext_lazy("must be at least %(ge)s"),
    "less_than": gettext_lazy("must be less than %(lt)s"),
    "less_than_equal": gettext_lazy("must be at most %(le)s"),
    "literal_error": gettext_lazy("must be one of these: %(expected)s"),
    "enum": gettext_lazy("must be one of these: %(expected)s"),
    "union_tag_invalid": gettext_lazy("must be one of these: %(expected_tags)s"),
    **dict.fromkeys(("int_type", "int_parsing", "int_parsing_size", "int_from_float"), _WHOLE_NUMBER),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number", "decimal_type", "decimal_parsing"), _NUMBER),
    **dict.fromkeys(("bool_type", "bool_parsing"), _YES_OR_NO),
    **dict.fromkeys(("uuid_type", "uuid_parsing"), _ID),
    **dict.fromkeys(
        ("datetime_type", "datetime_parsing", "datetime_from_date_parsing", "datetime_object_invalid", "timezone_aware"), _TIME
    ),
    **dict.fromkeys(("date_type", "date_parsing", "date_from_datetime_parsing"), _DATE),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), _LIST),
    **dict.fromkeys(("dict_type", "mapping_type", "model_type", "model_attributes_type", "dataclass_type", "json_type"), _OBJECT),
}


def validation_error(exc: ValidationError) -> BadRequest:
    """Return a BadRequest that names the first invalid field. What was sent is not repeated."""
    first = first_error(exc)
    return BadRequest(
        gettext("The request could not be read: %(place)s: %(reason)s.")
        % {"place": ".".join(map(str, first["loc"])) or "body", "reason": field_reason(first).removesuffix(".")}
    )


def first_error(exc: ValidationError) -> ErrorDetails:
    return exc.errors(include_url=False, include_input=False)[0]


def field_reason(error: ErrorDetails) -> str:
    """Return what is wrong, as the end of a sentence. Errors that our own checks raise say it themselves."""
    context: Mapping[str, Any] = error.get("ctx") or {}
    if context.get("min_length") == 1:
        return str(_EMPTY)
    reason = REASONS.get(error["type"])
    if reason is None:
        return str(context.get("error") or error["msg"])
    return str(reason) % {name: _comma_list(value) for name, value in context.items()}


def _comma_list(value: Any) -> Any:
    """Return pydantic's list of choices with commas alone."""
    return value.replace(" or ", ", ") if isinstance(value, str) else value
