"""Operations of an OpenAPI document as settings of HTTP tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext
from pydantic import ValidationError as SettingsInvalid

from admin_config.extension_kinds import tool_kinds
from admin_config.services.openapi.document import OpenApiDocument, OpenApiInvalid
from admin_config.services.openapi.schemas import SchemaReader
from admin_config.validation.json_key_order import schema_of, stored_schema
from admin_config.validation.settings_schemas import HTTP_METHODS, schema_problems
from tenants.input.plain_values import NotPlain, plain_check

MAX_OPERATIONS: Final = 300
MAX_NAME_CHARS: Final = 40  # as the column of a source's name
MAX_DESCRIPTION_CHARS: Final = 2000
JSON_TYPE: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the document. `problem`: why it can't become a tool, as a sentence; then `settings` are empty."""

    method: str
    path: str
    name: str  # of the tool
    description: str
    settings: dict[str, Any]
    problem: str = ""

    @property
    def key(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def arguments(self) -> list[str]:
        return list(schema_of(self.settings.get("input_schema", {})).get("properties", {}))

    @property
    def changes_something(self) -> bool:
        return self.method != "GET"


def operations(document: OpenApiDocument, *, base_url: str = "") -> list[Operation]:
    """Return the operations in the document's order, each under a name of its own. `base_url`: where they are, if not at its server.

    Raises OpenApiInvalid for a document with more than MAX_OPERATIONS.
    """
    result: list[Operation] = []
    for path, item, method, operation in _operation_nodes(document):
        if len(result) >= MAX_OPERATIONS:
            raise OpenApiInvalid(
                gettext("The document has more than %(most)s operations. Take out what you don't need.") % {"most": MAX_OPERATIONS}
            )
        name = _free_name(_text(operation, "operationId") or f"{method}_{path}", {other.name for other in result})
        description = (
            "\n\n".join(filter(None, (_text(operation, "summary"), _text(operation, "description"))))[:MAX_DESCRIPTION_CHARS] or name
        )
        try:
            settings = _Builder(document, item, operation).settings(method, path, description, base_url)
            result.append(Operation(method, path, name, description, settings))
        except OpenApiInvalid as error:
            result.append(Operation(method, path, name, description, {}, str(error)))
    return result


def authentication(document: OpenApiDocument) -> tuple[str, str]:
    """Return the header that takes the API's secret and what stands before it, by the document's first scheme with a header; blank without one."""
    schemes = document.content.get("components", {})
    schemes = schemes.get("securitySchemes", {}) if isinstance(schemes, Mapping) else {}
    for definition in schemes.values() if isinstance(schemes, Mapping) else ():
        match definition:
            case {"type": "http", "scheme": str(scheme)}:
                return "Authorization", scheme.capitalize()
            case {"type": "apiKey", "in": "header", "name": str(name)}:
                return name, ""
            case {"type": "oauth2" | "openIdConnect"}:
                return "Authorization", "Bearer"
    return "", ""


def _operation_nodes(document: OpenApiDocument) -> Iterator[tuple[str, Mapping[str, Any], str, Mapping[str, Any]]]:
    for path, node in document.content["paths"].items():
        item = document.resolve(node) if str(path).startswith("/") else None
        if not isinstance(item, Mapping):
            continue
        for method in HTTP_METHODS:
            if isinstance(operation := item.get(method.lower()), Mapping):
                yield str(path), item, method, operation


class _Builder:
    """Builds the settings of one operation."""

    def __init__(self, document: OpenApiDocument, item: Mapping[str, Any], operation: Mapping[str, Any]) -> None:
        self._document, self._item, self._operation = document, item, operation
        self._reader = SchemaReader(document)
        self._properties: dict[str, Any] = {}
        self._required: list[str] = []

    def settings(self, method: str, path: str, description: str, base_url: str) -> dict[str, Any]:
        """Return valid settings of an HTTP tool. Raises OpenApiInvalid."""
        url = self._base(base_url) + path
        query: dict[str, str] = {}
        for parameter in self._parameters():
            name, place = str(parameter.get("name", "")), parameter.get("in")
            if place == "path":
                url = url.replace(f"{{{name}}}", f"{{{self._argument(name, parameter, is_required=True)}}}")
            elif place == "query":
                query[name] = f"{{{self._argument(name, parameter, is_required=parameter.get('required') is True)}}}"
            elif parameter.get("required") is True:
                raise OpenApiInvalid(gettext("It needs %(name)s in a header or cookie, which no argument can fill.") % {"name": name[:60]})
        body = {} if method == "GET" else self._body()
        tool_settings = {"description": description, "method": method, "url": url, "query": query, "body": body}
        if self._properties:
            tool_settings["input_schema"] = stored_schema({"type": "object", "properties": self._properties, "required": self._required})
        try:
            plain_check(tool_settings, f"{method} {path}")
        except NotPlain as error:
            raise OpenApiInvalid(str(error)) from error
        return _validate_settings(tool_settings)

    def _base(self, base_url: str) -> str:
        if base_url:
            return base_url.rstrip("/")
        for holder in (self._operation, self._item, self._document.content):
            match holder.get("servers"):
                case [{"url": str(url), **more}, *_]:
                    variables = more.get("variables")
                    for name, variable in variables.items() if isinstance(variables, Mapping) else ():
                        url = url.replace(f"{{{name}}}", str(variable.get("default", "")) if isinstance(variable, Mapping) else "")
                    if "//" in url:
                        return url.rstrip("/")
        raise OpenApiInvalid(gettext("The document names no server. Go back and enter the address of the API."))

    def _parameters(self) -> list[Mapping[str, Any]]:
        """Return the path's and the operation's own, which replace those of the same name and place."""
        parameters: dict[tuple[str, str], Mapping[str, Any]] = {}
        for holder in (self._item, self._operation):
            nodes = holder.get("parameters")
            for node in nodes if isinstance(nodes, list) else ():
                parameter = self._document.resolve(node)
                if isinstance(parameter, Mapping):
                    parameters[str(parameter.get("name")), str(parameter.get("in"))] = parameter
        return list(parameters.values())

    def _body(self) -> dict[str, Any]:
        body = self._document.resolve(self._operation.get("requestBody"))
        if not isinstance(body, Mapping):
            return {}
        content = body.get("content")
        media = content.get(JSON_TYPE) if isinstance(content, Mapping) else None
        schema = self._reader.schema(media.get("schema")) if isinstance(media, Mapping) else {}
        properties = schema.get("properties", {})
        if not properties:
            if body.get("required") is True:
                raise OpenApiInvalid(gettext("Its body is no JSON object with named fields."))
            return {}
        required_names = schema.get("required") if body.get("required") is True else ()
        required_names = required_names if isinstance(required_names, list) else ()  # documents have `required: true` there, too
        return {name: f"{{{self._add(name, part, is_required=name in required_names)}}}" for name, part in properties.items()}

    def _argument(self, name: str, parameter: Mapping[str, Any], *, is_required: bool) -> str:
        schema = self._reader.schema(parameter.get("schema") or {"type": "string"})
        if description := _text(parameter, "description"):
            schema["description"] = description[:MAX_DESCRIPTION_CHARS]
        return self._add(name, schema, is_required=is_required)

    def _add(self, name: str, schema: dict[str, Any], *, is_required: bool) -> str:
        """Add an argument; return its name, in which only letters, digits and underscores stand."""
        argument = re.sub(r"\W", "_", name, flags=re.ASCII) or "value"
        argument = f"_{argument}" if argument[0].isdigit() else argument
        while argument in self._properties:
            argument += "_"
        self._properties[argument] = schema
        if is_required:
            self._required.append(argument)
        return argument


def _validate_settings(tool_settings: dict[str, Any]) -> dict[str, Any]:
    try:
        return tool_kinds()["http"].settings.model_validate(tool_settings).model_dump(mode="json", exclude_defaults=True)
    except SettingsInvalid as error:
        raise OpenApiInvalid(" ".join(text for _, text in schema_problems(error))[:500]) from error


def _free_name(operation_id: str, used_names: set[str]) -> str:
    """Return a name for a tool: small letters, digits and underscores, and none that is taken."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", operation_id)
    name = re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")[:MAX_NAME_CHARS].strip("_") or "operation"
    name = name if name[0].isalpha() else f"call_{name}"[:MAX_NAME_CHARS]
    number, free = 1, name
    while free in used_names:
        number += 1
        free = f"{name[: MAX_NAME_CHARS - 4]}_{number}"
    return free


def _text(node: Mapping[str, Any], name: str) -> str:
    return node[name].strip() if isinstance(node.get(name), str) else ""
