"""The schema of a tool's arguments as admins enter it, for the kinds of sources that ask for one."""

from __future__ import annotations

from typing import Annotated, Any, Final

from django.utils.translation import gettext, gettext_noop as _
from jsonschema import Draft202012Validator, SchemaError
from pydantic import AfterValidator, Field

from admin_config.validation.json_key_order import schema_of

NO_ARGUMENTS: Final[dict[str, Any]] = {"type": "object", "properties": {}}


def _check_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema. Raises ValueError, whose text is shown at the field, for one that no model could fill."""
    if not schema:
        return schema
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(gettext("This is no JSON schema: %(value)s") % {"value": error.message[:200]}) from error
    if schema.get("type") != "object" or not isinstance(schema.get("properties", {}), dict):
        raise ValueError(gettext('The schema must have "type": "object" and "properties".'))
    return schema


ArgumentsSchema = Annotated[
    dict[str, Any],
    AfterValidator(_check_schema),
    Field(
        title=_("Arguments"),
        description=_(
            "What the model gives with a call. No row: nothing. A JSON schema can say more than rows, such as patterns and objects."
        ),
        json_schema_extra={"arguments": True},
    ),
]


def schema_for_models(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a stored schema as a model is sent it: an object without properties where a tool has no arguments."""
    return schema_of(schema) or NO_ARGUMENTS


ToolDescription = Annotated[
    str,
    Field(
        max_length=2000,
        title=_("What it does"),
        description=_("The model reads this to know when to call the tool."),
        json_schema_extra={"lines": 3},
    ),
]
