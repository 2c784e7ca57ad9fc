"""How REST views say what they take and give: one declaration, read by the schema and by the base view (docs/rest.md)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from drf_spectacular.contrib.pydantic import PydanticExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaMode, model_json_schema

from tenants.idempotency import KEY_MAX

Method = TypeVar("Method", bound=Callable[..., Any])
REFERENCE = "#/components/schemas/{model}"

ERRORS = {
    400: "What was sent could not be understood.",
    401: "Nobody is signed in, or the API token is not valid.",
    403: "The role or the token's scopes do not allow this, or the CSRF token is missing.",
    404: "Missing, or somebody else's: the two look the same.",
    409: "It does not fit to what is there now, or the same call is being worked on.",
    413: "The request is too large.",
    415: "The body is not JSON.",
    422: "The Idempotency-Key came with another request before.",
    429: "Too many requests; `Retry-After` says for how many seconds.",
    503: "The database is away, or very busy. Ask again in a moment.",
}
ALWAYS = (401, 403, 404, 429, 503)


class Answer(BaseModel):
    """Base of the shapes of answers: our names in JSON's spelling."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, protected_namespaces=())


class ErrorDetail(Answer):
    code: str
    message: str
    action: str | None = None


class Error(Answer):
    """`message` is a sentence for the user, `code` is for programs, `action` is what the user can do."""

    error: ErrorDetail


class Shapes(PydanticExtension):  # type: ignore[no-untyped-call]
    """Bodies as they are validated (defaults may be left out), answers as they are written."""

    priority = 1

    def map_serializer(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        mode: JsonSchemaMode = "validation" if direction == "request" else "serialization"
        schema = model_json_schema(self.target, ref_template=REFERENCE, mode=mode)
        for name, part in schema.pop("$defs", {}).items():
            auto_schema.registry.register_on_missing(_component(name, part))
        return schema


class RestSchema(AutoSchema):
    """Views' docstrings are for us; a method's is for callers."""

    def get_description(self, path: str = "", method: str = "") -> str:
        return inspect.getdoc(getattr(self.view, self.method.lower(), None)) or ""


def _component(name: str, schema: dict[str, Any]) -> ResolvedComponent:
    component: Callable[..., ResolvedComponent] = ResolvedComponent
    return component(name=name, type=ResolvedComponent.SCHEMA, object=name, schema=schema)


def operation(
    name: str,
    summary: str,
    *,
    tag: str,
    answer: type[BaseModel] | None = None,
    status: int = 200,
    body: type[BaseModel] | None = None,
    query: type[BaseModel] | None = None,
    path: Mapping[str, Any] | None = None,
    errors: Iterable[int] = (),
    also: Iterable[int] = (),
    files: Iterable[str] = (),
    shapes: Mapping[int, type[Error]] | None = None,
    keyed: bool = True,
    etag: bool = False,
) -> Callable[[Method], Method]:
    """Describe a method of a RestView. `answer` None: no content. `path`: JSON schemas of parameters in the address.

    `also`: other statuses with the same answer. `files`: media types of an answer that is a file. `shapes`: of errors that say more than others.

    `keyed`: a POST heeds the header Idempotency-Key; not where the answer holds a secret. `etag`: a GET answers 304 to who has it.
    """

    def decorate(method: Method) -> Method:
        is_keyed = keyed and method.__name__ == "post"
        vars(method).update(is_keyed=is_keyed, has_etag=etag)
        statuses = {*ALWAYS, *errors} | ({400, 413, 415} if body else set()) | ({400} if query else set())
        statuses |= {415} if method.__name__ == "post" else set()
        statuses |= {400, 409, 422} if is_keyed else set()
        return extend_schema(
            operation_id=name,
            summary=summary,
            tags=[tag],
            request=body,
            responses={
                **({} if files else {code: OpenApiResponse(answer, description=summary) for code in (status, *also)}),
                **{(status, media): OpenApiResponse(_file(media), description=summary) for media in files},
                **({304: OpenApiResponse(description="Unchanged since the answer with this ETag.")} if etag else {}),
                **{code: OpenApiResponse((shapes or {}).get(code, Error), description=ERRORS[code]) for code in sorted(statuses)},
            },
            parameters=[*_path(path), *_query(query), *_headers(is_keyed=is_keyed, etag=etag)],
        )(method)

    return decorate


def _file(media: str) -> OpenApiTypes:
    return OpenApiTypes.OBJECT if media == "application/json" else OpenApiTypes.BINARY


def _path(schemas: Mapping[str, Any] | None) -> list[OpenApiParameter]:
    return [OpenApiParameter(name, schema, OpenApiParameter.PATH, required=True) for name, schema in (schemas or {}).items()]


def _query(shape: type[BaseModel] | None) -> list[OpenApiParameter]:
    """The parameters behind the question mark; their schemas have no references."""
    if shape is None:
        return []
    schema = model_json_schema(shape)
    required = schema.get("required", ())
    return [
        OpenApiParameter(name, _plain(part), required=name in required, description=part.get("description", ""))
        for name, part in schema["properties"].items()
    ]


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Without null, which an address cannot say, and without what stands beside the schema."""
    if "anyOf" in schema:
        schema = next(part for part in schema["anyOf"] if part.get("type") != "null") | {"enum": schema.get("enum")}
    return {key: value for key, value in schema.items() if key not in {"title", "description"} and value not in (None, "")}


def _headers(*, is_keyed: bool, etag: bool) -> list[OpenApiParameter]:
    found = []
    if is_keyed:
        text = "The same key again, within a day, gives the first answer again."
        key = {"type": "string", "minLength": 1, "maxLength": KEY_MAX, "pattern": r"^[\x21-\x7e]+$"}
        found.append(OpenApiParameter("Idempotency-Key", key, OpenApiParameter.HEADER, description=text))
    if etag:
        found.append(OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="The ETag of an earlier answer."))
    return found
