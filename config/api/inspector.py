"""How drf-spectacular reads the `@operation` declarations of the REST views.

Loaded only when the schema is requested, because drf-spectacular imports DRF's and Django's test tools.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from drf_spectacular.contrib.pydantic import PydanticExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, model_json_schema

from tenants.rest.idempotency import MAX_KEY_CHARS
from tenants.rest.schemas import ERROR_DESCRIPTIONS, Error, operation, operation_of

REFERENCE = "#/components/schemas/{model}"
COMMON_STATUSES = (401, 403, 404, 429, 503)


class PydanticModelSchema(PydanticExtension):  # type: ignore[no-untyped-call]
    """The JSON schema of a pydantic model: request bodies as they are validated (fields with defaults are optional), responses as
    they are serialized.
    """

    priority = 1

    def map_serializer(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        mode: JsonSchemaMode = "validation" if direction == "request" else "serialization"
        schema = model_json_schema(self.target, ref_template=REFERENCE, mode=mode)
        for name, part in schema.pop("$defs", {}).items():
            auto_schema.registry.register_on_missing(_component(name, part))
        return schema


class RestSchema(AutoSchema):
    """Describes a view's method by its `operation`. A method's docstring becomes the description; a class's docstring does not."""

    def get_operation_id(self) -> str:
        return self._operation.name

    def get_summary(self) -> str:
        return self._operation.summary

    def get_tags(self) -> list[str]:
        return [self._operation.tag]

    def get_description(self, path: str = "", method: str = "") -> str:
        return inspect.getdoc(self._method) or ""

    def get_request_serializer(self) -> Any:  # the library accepts more types than it annotates
        return self._operation.body

    def get_override_parameters(self) -> list[Any]:
        declaration = self._operation
        return [*_path(declaration.path), *_query(declaration.query), *_headers(is_keyed=self._is_keyed, etag=declaration.etag)]

    def get_response_serializers(self) -> Any:
        declaration, shapes = self._operation, self._operation.shapes or {}
        responses: dict[Any, OpenApiResponse] = {}
        if not declaration.files:
            responses |= {
                code: OpenApiResponse(declaration.answer, description=declaration.summary)
                for code in (declaration.status, *declaration.also)
            }
        responses |= {
            (declaration.status, media): OpenApiResponse(_file(media), description=declaration.summary) for media in declaration.files
        }
        if declaration.etag:
            responses[304] = OpenApiResponse(description="Unchanged since the answer with this ETag.")
        return responses | {
            code: OpenApiResponse(shapes.get(code, Error), description=ERROR_DESCRIPTIONS[code]) for code in sorted(self._errors)
        }

    @property
    def _errors(self) -> set[int]:
        declaration = self._operation
        statuses = (
            {*COMMON_STATUSES, *declaration.errors}
            | ({400, 413, 415} if declaration.body else set())
            | ({400} if declaration.query else set())
        )
        return statuses | ({415} if self.method == "POST" else set()) | ({400, 409, 422} if self._is_keyed else set())

    @property
    def _is_keyed(self) -> bool:
        return self.method == "POST" and self._operation.idempotent

    @property
    def _operation(self) -> operation[Any]:
        declaration = operation_of(self._method)
        if declaration is None:
            raise TypeError(f"{self.method} of {type(self.view).__name__} has no @operation.")
        return declaration

    @property
    def _method(self) -> object:
        return getattr(self.view, self.method.lower(), None)


def _component(name: str, schema: dict[str, Any]) -> ResolvedComponent:
    component: Callable[..., ResolvedComponent] = ResolvedComponent
    return component(name=name, type=ResolvedComponent.SCHEMA, object=name, schema=schema)


def _file(media: str) -> OpenApiTypes:
    return OpenApiTypes.OBJECT if media == "application/json" else OpenApiTypes.BINARY


def _path(schemas: Mapping[str, Any] | None) -> list[OpenApiParameter]:
    return [OpenApiParameter(name, schema, OpenApiParameter.PATH, required=True) for name, schema in (schemas or {}).items()]


def _query(shape: type[BaseModel] | None) -> list[OpenApiParameter]:
    """Return the query parameters. Their schemas contain no references."""
    if shape is None:
        return []
    schema = model_json_schema(shape)
    required = schema.get("required", ())
    return [
        OpenApiParameter(name, _simplify(part), required=name in required, description=part.get("description", ""))
        for name, part in schema["properties"].items()
    ]


def _simplify(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without null, which a URL cannot express, and without title, description and empty values."""
    if "anyOf" in schema:
        schema = next(part for part in schema["anyOf"] if part.get("type") != "null") | {"enum": schema.get("enum")}
    return {key: value for key, value in schema.items() if key not in {"title", "description"} and value not in (None, "")}


def _headers(*, is_keyed: bool, etag: bool) -> list[OpenApiParameter]:
    headers = []
    if is_keyed:
        text = "The same key again, within a day, gives the first answer again."
        key = {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS, "pattern": r"^[\x21-\x7e]+$"}
        headers.append(OpenApiParameter("Idempotency-Key", key, OpenApiParameter.HEADER, description=text))
    if etag:
        headers.append(OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="The ETag of an earlier answer."))
    return headers
