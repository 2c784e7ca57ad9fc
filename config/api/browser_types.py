"""What frontend/src/api/generated.ts is made from: the shapes that cross the wire, as one JSON schema, and tables of the server."""

from __future__ import annotations

from typing import Any

from django.utils import translation

from artifacts.kinds import formats_for_browser, kinds_for_browser
from chat.api.boot import Boot
from chat.models import MAX_COMMENT_CHARS, MessageFeedback
from config.api.schema import api_schema
from embed.api.schemas import EmbedBoot, EmbedSession, StartedConversation, VisitorTitle, VisitorTransfer, VisitorVersion
from sharing.comments.shapes import MAX_TEXT_CHARS

_COMPONENTS = "#/components/schemas/"
_DEFINITIONS = "#/$defs/"


def browser_schema() -> dict[str, Any]:
    """Return a JSON schema whose definitions are the shapes of the REST API and of the page's start data."""
    shapes = dict(api_schema(server="/", is_session=True)["components"]["schemas"])
    for shape in (Boot, EmbedBoot, EmbedSession, StartedConversation, VisitorTitle, VisitorTransfer, VisitorVersion):
        schema = shape.model_json_schema(mode="serialization", ref_template=_DEFINITIONS + "{model}")
        shapes |= {**schema.pop("$defs", {}), shape.__name__: schema}
    return {"type": "object", "properties": {}, "$defs": {name: {**_bare(shape), "title": name} for name, shape in sorted(shapes.items())}}


def browser_tables() -> dict[str, Any]:
    """Return the tables that the browser shares with the server, by the names of their constants."""
    return {
        "ARTIFACT_KINDS": kinds_for_browser(),
        "EXPORT_FORMATS": formats_for_browser(),
        "TEXT_LIMITS": {"feedback": MAX_COMMENT_CHARS, "comment": MAX_TEXT_CHARS},
    }


def browser_labels() -> dict[str, dict[str, str]]:
    """Return what the server calls the values of its lists, in English: the browser has its own translations. By the names of constants."""
    with translation.override("en"):
        return {"FEEDBACK_REASONS": {reason.value: str(reason.label) for reason in MessageFeedback.Reason}}


def _bare(schema: Any) -> Any:
    """Return the schema without titles and defaults: a type generator names a type of its own after each title.

    Rules about which fields go together (`oneOf` beside `properties`) are left out, too: the type of an object stays one interface.
    """
    if isinstance(schema, list):
        return [_bare(part) for part in schema]
    if not isinstance(schema, dict):
        return schema.replace(_COMPONENTS, _DEFINITIONS) if isinstance(schema, str) else schema
    return {
        name: _properties(part) if name == "properties" else _bare(part)
        for name, part in schema.items()
        if name not in ({"title", "default", "oneOf"} if "properties" in schema else {"title", "default"})
    }


def _properties(schemas: dict[str, Any]) -> dict[str, Any]:
    return {name: _bare(schema) for name, schema in schemas.items()}
