"""The content of a file with agents: read from YAML, and the shapes that its parts must have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml
from django.utils.translation import gettext

from admin_config.agent_files.exporting import VERSION
from admin_config.agent_files.rows import AgentFileInvalid
from tenants.input.plain_values import NotPlain, plain_check
from tenants.input.yaml_texts import YamlReferences, yaml_read

MAX_FILE_BYTES = 2 * 1024 * 1024

Content = Mapping[str, Any]


def content_read(text: str) -> Content:
    """Return the content of a file. Raises AgentFileInvalid, as all functions here do."""
    if len(text.encode()) > MAX_FILE_BYTES:
        raise AgentFileInvalid(gettext("The file is larger than %(value)s MB.") % {"value": MAX_FILE_BYTES // 1024 // 1024})
    try:
        content = yaml_read(text)
    except YamlReferences as error:
        raise AgentFileInvalid(gettext("The file uses references (* and &), which are not accepted.")) from error
    except (yaml.YAMLError, ValueError) as error:
        raise AgentFileInvalid(gettext("The file is no YAML: %(value)s") % {"value": _reason(error)}) from error
    if not isinstance(content, dict) or content.get("parley") != VERSION:
        raise AgentFileInvalid(gettext('The file must begin with "parley: %(version)s".') % {"version": VERSION})
    try:
        plain_check(content, "")
    except NotPlain as error:
        raise AgentFileInvalid(str(error)) from error
    if unknown := sorted(map(str, content.keys() - {"parley", "tool_sources", "agents"})):
        raise AgentFileInvalid(gettext("The file has unknown parts: %(unknown)s.") % {"unknown": ", ".join(unknown)})
    return content


def without(content: Content, *names: str) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in names}


def mapping_in(content: Content, name: str, where: str) -> Content:
    return as_mapping(content.get(name) or {}, f"{where}: {name}")


def as_mapping(value: Any, where: str) -> Content:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise AgentFileInvalid(gettext("%(where)s must be names with values.") % {"where": where})
    return value


def names_in(content: Content, name: str, where: str) -> list[str]:
    value = content.get(name) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise AgentFileInvalid(gettext("%(where)s.%(name)s must be a list of names.") % {"where": where, "name": name})
    return value


def mappings_in(content: Content, name: str, where: str) -> list[Content]:
    value = content.get(name) or []
    if not isinstance(value, list):
        raise AgentFileInvalid(gettext("%(where)s.%(name)s must be a list.") % {"where": where, "name": name})
    return [as_mapping(item, f"{where}.{name}[{place}]") for place, item in enumerate(value)]


def _reason(error: Exception) -> str:
    """Return where the text stops being YAML. The parser's own words name files and streams that nobody has."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return str(error)[:300]
    where = gettext("line %(line)s, column %(column)s.") % {"line": mark.line + 1, "column": mark.column + 1}
    return str(where)
