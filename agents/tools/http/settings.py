"""Settings of an HTTP tool (SPEC 4.10)."""

from __future__ import annotations

import re
from typing import Any, ClassVar, Literal, Self, TypeVar

from django.utils.translation import gettext, gettext_noop as _
from pydantic import Field, ValidationInfo, field_validator, model_validator

from admin_config.validation.json_key_order import OrderedObject, OrderedTexts
from agents.tools.arguments_schema import ArgumentsSchema, ToolDescription, schema_for_models
from agents.tools.base import SourceSettings
from agents.tools.http.templates import argument_names, is_path
from security.egress.urls import https_check, parse_target

Template = TypeVar("Template", str, dict[str, Any])
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
RESERVED_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "accept-encoding", "content-type"}
)


class HttpSettings(SourceSettings):
    can_be_tried: ClassVar[bool] = True
    secret_places: ClassVar[tuple[str, ...]] = ("headers", "body")

    description: ToolDescription
    method: Method = Field(default="GET", title=_("Method"))
    input_schema: ArgumentsSchema = {}
    url: str = Field(
        max_length=1000,
        title=_("Address"),
        description=_("Starts with https://. {name} stands for an argument, behind the host only. A new host needs the secret again."),
    )
    query: OrderedObject = Field(
        default={},
        title=_("Query"),
        description=_("One parameter on each row; {city} stands for an argument. An argument that was not given is left out."),
        json_schema_extra={"rows": _("Parameter")},
    )
    body: OrderedObject = Field(
        default={},
        title=_("Body"),
        description=_("Sent as a JSON object. {city} stands for an argument; one that was not given is left out. No row: no body."),
        json_schema_extra={"body": True},
    )
    headers: OrderedTexts = Field(
        default={},
        title=_("Headers"),
        description=_("Fixed ones, one on each row. {{secret:name}} stands for a registered secret of this tool and address."),
        json_schema_extra={"rows": _("Header")},
    )
    secret_header: str = Field(
        default="", max_length=64, title=_("Authentication header"), description=_("Such as Authorization. Blank: no secret is sent.")
    )
    secret_prefix: str = Field(default="", max_length=40, title=_("Prefix"), description=_("Such as Bearer; a space follows it."))
    result_path: str = Field(
        default="", max_length=200, title=_("Result path"), description=_("Such as data.items[].name or data[0]. Blank: the whole answer.")
    )
    result_fields: tuple[str, ...] = Field(
        default=(),
        title=_("Fields"),
        description=_("Only these of the object or of each object in the list, one on each line. Blank: all."),
    )
    result_limit: int = Field(default=16_000, ge=500, le=60_000, title=_("Longest result (characters)"))
    timeout_s: int = Field(default=20, ge=1, le=60, title=_("Longest wait (seconds)"))

    @property
    def origin(self) -> str:
        """The origin of every request; no argument can change it."""
        return parse_target(self.url).origin

    @property
    def secrets_origin(self) -> str:
        return self.origin

    @property
    def arguments_schema(self) -> dict[str, Any]:
        return schema_for_models(self.input_schema)

    @field_validator("url")
    @classmethod
    def _goes_to_one_host(cls, url: str, info: ValidationInfo) -> str:
        host = re.match(r"[^/?#]*//[^/?#]*", url)
        if host is None or "{" in host[0]:
            raise ValueError(gettext("The address must begin with https:// and a fixed host."))
        if "{{" in url:
            raise ValueError(gettext("A secret never stands in an address. Use a header."))
        _check_address(url)
        return _with_known_names(url, info)

    @field_validator("query", "body")
    @classmethod
    def _names_arguments(cls, template: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if info.field_name == "query" and "{{secret:" in str(template):
            raise ValueError(gettext("A secret never stands in an address. Use a header."))
        return _with_known_names(template, info)

    @field_validator("headers")
    @classmethod
    def _are_headers(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, value in headers.items():
            _check_header(name, value)
        return headers

    @field_validator("secret_header")
    @classmethod
    def _is_a_header(cls, name: str) -> str:
        if name:
            _check_header(name, "")
        return name

    @field_validator("result_path")
    @classmethod
    def _is_a_path(cls, path: str) -> str:
        if not is_path(path):
            raise ValueError(gettext("Use names between dots, [] for each item of a list and [0] for one of them."))
        return path

    @model_validator(mode="after")
    def _sends_no_body_with_get(self) -> Self:
        if self.body and self.method == "GET":
            raise ValueError(gettext("GET sends no body. Use the query, or another method."))
        return self


def _with_known_names(template: Template, info: ValidationInfo) -> Template:
    """Return `template`. Raises ValueError when it names an argument that the schema does not have."""
    schema = info.data.get("input_schema")  # None: the schema itself is invalid, which is reported at its field
    if schema is not None and (unknown := sorted(set(argument_names(template)) - set(schema.get("properties", {})))):
        raise ValueError(
            gettext("%(value)s: the arguments' schema has no such property.") % {"value": ", ".join(f"{{{name}}}" for name in unknown)}
        )
    return template


def _check_address(url: str) -> None:
    https_check(url)
    if "#" in url:
        raise ValueError(gettext("The address must not contain a fragment."))


def _check_header(name: str, value: str) -> None:
    if not HEADER_NAME.fullmatch(name):
        raise ValueError(gettext("%(name)s is no name of a header.") % {"name": name})
    if name.lower() in RESERVED_HEADERS:
        raise ValueError(gettext("%(name)s is set by Parley.") % {"name": name})
    if not value.isascii() or not value.isprintable():
        raise ValueError(gettext("The value of %(name)s may have printable ASCII characters only.") % {"name": name})
