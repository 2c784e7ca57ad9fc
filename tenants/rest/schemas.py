"""Declarations of what REST views accept and return, read by the OpenAPI schema and by RestView (docs/rest.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

Method = TypeVar("Method", bound=Callable[..., Any])

ERROR_DESCRIPTIONS = {
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


class ResponseSchema(BaseModel):
    """Base of response schemas: field names are written in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, protected_namespaces=())


class ErrorDetail(ResponseSchema):
    code: str
    message: str
    action: str | None = None


class Error(ResponseSchema):
    """`message` is a sentence for the user, `code` is for programs, `action` is what the user can do."""

    error: ErrorDetail


@dataclass(frozen=True)
class operation:  # noqa: N801  # a decorator
    """Describe a method of a RestView."""

    name: str
    summary: str
    _: KW_ONLY
    tag: str
    answer: type[BaseModel] | None = None  # None: no content
    status: int = 200
    body: type[BaseModel] | Mapping[str, Any] | None = None  # a schema, or the JSON schema of each media type
    query: type[BaseModel] | None = None
    path: Mapping[str, Any] | None = None  # JSON schemas of the path parameters
    errors: Collection[int] = ()
    also: Collection[int] = ()  # other statuses with the same response
    files: Collection[str] = ()  # media types of a response that is a file
    shapes: Mapping[int, type[Error]] | None = None  # schemas of errors with additional fields
    idempotent: bool = True  # a POST honours the header Idempotency-Key; False where the response holds a secret
    etag: bool = False  # a GET answers 304 to clients that have the response already

    def __call__(self, method: Method) -> Method:
        vars(method)["operation"] = self
        return method


def operation_of(method: object) -> operation | None:
    """Return the `operation` that decorates a view's method, or None."""
    found: operation | None = getattr(method, "operation", None)
    return found
