"""An OpenAPI document as it was uploaded or pasted. Source: https://spec.openapis.org/oas/v3.1.0."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

import yaml
from django.utils.translation import gettext

from tenants.input.plain_values import NotPlain, text_check
from tenants.input.yaml_texts import YamlReferences, YamlTooDeep, yaml_read

MAX_DOCUMENT_BYTES: Final = 1024 * 1024
MAX_NUMBER_BITS: Final = 2048  # the largest double has 1,024; YAML has numbers that Python can't write as text
MAX_REFERENCES: Final = 30  # one after the other


class OpenApiInvalid(Exception):
    """The document, or a part of it, can't be used. `str(error)` is a sentence for an admin."""


@dataclass(frozen=True, slots=True)
class OpenApiDocument:
    """A document of version 3."""

    content: Mapping[str, Any]

    def resolve(self, node: Any) -> Any:
        """Return the node, or what its reference leads to in this document. Raises OpenApiInvalid."""
        for _ in range(MAX_REFERENCES):
            if not isinstance(node, Mapping) or not isinstance(node.get("$ref"), str):
                return node
            node = self._at(node["$ref"])
        raise OpenApiInvalid(gettext("Its references lead in a circle."))

    def _at(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            raise OpenApiInvalid(
                gettext("It refers to %(reference)s. Nothing outside of the document is fetched.") % {"reference": reference[:200]}
            )
        node: Any = self.content
        for step in reference[2:].split("/"):
            name = unquote(step).replace("~1", "/").replace("~0", "~")
            if not isinstance(node, Mapping) or name not in node:
                raise OpenApiInvalid(
                    gettext("It refers to %(reference)s, which the document does not have.") % {"reference": reference[:200]}
                )
            node = node[name]
        return node


def document_read(text: str) -> OpenApiDocument:
    """Return the document, written in JSON or YAML. Raises OpenApiInvalid."""
    if len(text.encode()) > MAX_DOCUMENT_BYTES:
        raise OpenApiInvalid(gettext("The document is larger than 1 MB. Take out what you don't need."))
    content = _parse_text(text)
    if not isinstance(content, dict):
        raise OpenApiInvalid(gettext("This is no OpenAPI document: it must be an object with “openapi” and “paths”."))
    _content_check(content)
    if "swagger" in content:
        raise OpenApiInvalid(gettext("This is a Swagger 2 document. Convert it to OpenAPI 3 first."))
    if not str(content.get("openapi", "")).startswith("3."):
        raise OpenApiInvalid(gettext("This is no OpenAPI 3 document: “openapi” must be a version such as 3.1.0."))
    if not isinstance(content.get("paths"), dict) or not content["paths"]:
        raise OpenApiInvalid(gettext("The document has no “paths”, so there is nothing to import."))
    return OpenApiDocument(content)


def _content_check(content: Mapping[Any, Any]) -> None:
    """Raise OpenApiInvalid for values that no page could show. Others are checked only where they are imported."""
    stack: list[tuple[Any, str]] = [(content, gettext("The document"))]
    while stack:
        node, where = stack.pop()
        if isinstance(node, Mapping):
            for key, part in node.items():
                _scalar_check(key, where)
                stack.append((part, f"{where}.{key!s:.60}"))
        elif isinstance(node, list):
            stack += [(part, f"{where}[{place}]") for place, part in enumerate(node)]
        else:
            _scalar_check(node, where)


def _scalar_check(value: Any, where: str) -> None:
    if isinstance(value, int) and value.bit_length() > MAX_NUMBER_BITS:
        raise OpenApiInvalid(gettext("A number of the document has too many digits."))
    if isinstance(value, str):
        try:
            text_check(value, where)
        except NotPlain as error:
            raise OpenApiInvalid(str(error)) from error


def _parse_text(text: str) -> Any:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            place = {"line": error.lineno, "column": error.colno}
            raise OpenApiInvalid(gettext("Not valid JSON: line %(line)s, column %(column)s.") % place) from error
        except RecursionError as error:
            raise OpenApiInvalid(gettext("The document is nested too deeply.")) from error
        except ValueError as error:
            raise OpenApiInvalid(gettext("A number of the document has too many digits.")) from error
    return _yaml(text)


def _yaml(text: str) -> Any:
    try:
        return yaml_read(text)
    except YamlReferences as error:
        raise OpenApiInvalid(gettext("YAML's references (& and *) are not supported. Use $ref.")) from error
    except YamlTooDeep as error:
        raise OpenApiInvalid(gettext("The document is nested too deeply.")) from error
    except yaml.MarkedYAMLError as error:
        line = min(error.problem_mark.line, text.count("\n")) + 1 if error.problem_mark else 1  # an end may be a line below the last
        raise OpenApiInvalid(gettext("Not valid YAML: line %(line)s.") % {"line": line}) from error
    except (yaml.YAMLError, ValueError) as error:
        raise OpenApiInvalid(gettext("The document is neither JSON nor YAML that can be read.")) from error
