"""Declarations of what REST views accept and return, read by the OpenAPI schema and by RestView (docs/rest.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Generic, ParamSpec, TypeVar

from django.http.response import HttpResponseBase
from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

Answer = TypeVar("Answer", bound=BaseModel)
Params = ParamSpec("Params")

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
    507: "The server's disk is full.",
}


def _to_integer(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


NO_NUL = r"^[^\x00]*$"  # PostgreSQL has no such character
WHOLE = BeforeValidator(_to_integer)
WholeNumber = Annotated[int, WHOLE]
"""A number of a strict schema. JSON has one kind of numbers, so 273.0 is whole, too.

One with limits that may be null is `Annotated[int, Field(ge=1), WHOLE] | None`: in the JSON schema of a union, pydantic loses the limits
that follow a validator.
"""


def requires_field(name: str) -> dict[str, Any]:
    """Return the JSON schema of an object that has the field, and no null in it."""
    return {"required": [name], "properties": {name: {"not": {"type": "null"}}}}


class ResponseSchema(BaseModel):
    """Base of response schemas: field names are written in camelCase, and fields that were not set are left out."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, protected_namespaces=())

    def json_fields(self) -> dict[str, Any]:
        """Return the fields by their names in JSON. Not deep: the encoder asks each schema inside for its own.

        Pydantic's dump would copy all of a page of messages, which costs six times as much.
        """
        fields = type(self).model_fields.items()
        return {field.alias or name: getattr(self, name) for name, field in fields if name in self.model_fields_set}


class ErrorDetail(ResponseSchema):
    code: str
    message: str
    action: str | None = None
    agent: str | None = None


class Error(ResponseSchema):
    """`message` is a sentence for the user, `code` is for programs, `action` is what the user can do.

    `agent` is the name of the agent whose limit refused, as `GET api/limits/` has it.
    """

    error: ErrorDetail


@dataclass(frozen=True)
class operation(Generic[Answer]):  # noqa: N801  # a decorator
    """Describe a method of a RestView, which returns its `answer`, or a Response where the status or a header differs."""

    name: str
    summary: str
    _: KW_ONLY
    tag: str
    answer: type[Answer] | None = None  # None: no content
    status: int = 200
    body: type[BaseModel] | Mapping[str, Any] | None = None  # a schema, or the JSON schema of each media type
    query: type[BaseModel] | None = None
    path: Mapping[str, Any] | None = None  # JSON schemas of the path parameters
    errors: Collection[int] = ()
    also: Collection[int] = ()  # other statuses with the same response
    files: Collection[str] = ()  # media types of a response that is a file
    shapes: Mapping[int, type[Error]] | None = None  # schemas of errors with additional fields
    idempotent: bool = True  # a POST honours the header Idempotency-Key; False where the response holds a secret
    proof: bool = False  # a dangerous act: a session without a proof of the last 15 minutes gets 403 `proof_needed`
    etag: bool = False  # a GET answers 304 to clients that have the response already

    def __call__(self, method: Callable[Params, Answer | HttpResponseBase]) -> Callable[Params, Answer | HttpResponseBase]:
        vars(method)["operation"] = self
        return method


def operation_of(method: object) -> operation[Any] | None:
    """Return the `operation` that decorates a view's method, or None."""
    declared: operation[Any] | None = getattr(method, "operation", None)
    return declared
