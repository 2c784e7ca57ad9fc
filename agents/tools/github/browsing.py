"""The chat's file browser for GitHub: a member's repositories, folders and single files."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from django.utils.translation import gettext

from agents.tools.github.connection import github_error_text
from agents.tools.mcp.server import McpError, McpUnauthorized
from tenants.errors import BadRequest, NotFound, ParleyError

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    from agents.tools.mcp.connection import McpConnection

PAGE_SIZE = 30
MAX_ENTRIES = 1000
REPOSITORY = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}")
NOT_FOUND_TEXT = "GitHub has no such repository, folder or file, or your token may not read it."


class GithubError(ParleyError):
    """GitHub gave no usable answer. The message says why."""

    code = "github_failed"
    status = 409


class GithubTokenRefused(GithubError):
    """GitHub did not accept the member's token."""

    code = "key_rejected"
    action = "settings"


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository; `name` is owner/name."""

    name: str
    description: str
    private: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a folder."""

    name: str
    path: str
    kind: str  # file, dir, or something that can't be opened, such as a link
    size_bytes: int


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file's last path component and its bytes."""

    name: str
    content: bytes


async def repositories(connection: McpConnection, query: str) -> list[Repository]:
    """Return up to 30 of the member's own repositories whose name contains `query`. Raises GithubError."""
    words = re.sub(r"[^\w./-]+", " ", query).strip()
    result = await _call(connection, "search_repositories", query=f"{words} user:@me".strip(), perPage=PAGE_SIZE)
    items = _json(result)
    matches = items.get("items") if isinstance(items, dict) else items
    return [_repository(item) for item in _dicts(matches)][:PAGE_SIZE]


async def folder(connection: McpConnection, repository: str, path: str) -> list[Entry]:
    """Return a folder's entries by name, folders first. Raises BadRequest, GithubError or NotFound."""
    result = await _call(connection, "get_file_contents", **_owner_and_repo(repository), path=_validated_path(path) or "/")
    entries = [_entry(item) for item in _dicts(_json(result))][:MAX_ENTRIES]
    return sorted(entries, key=lambda entry: (entry.kind != "dir", entry.name.lower()))


async def file_content(connection: McpConnection, repository: str, path: str) -> FileContent:
    """Return one file. Raises BadRequest, GithubError or NotFound."""
    from mcp_types import EmbeddedResource, TextResourceContents

    path = _validated_path(path)
    result = await _call(connection, "get_file_contents", **_owner_and_repo(repository), path=path)
    resource = next((block.resource for block in result.content if isinstance(block, EmbeddedResource)), None)
    if resource is None:
        raise NotFound(NOT_FOUND_TEXT)
    name = path.rpartition("/")[2]
    if isinstance(resource, TextResourceContents):
        return FileContent(name, resource.text.encode())
    try:
        return FileContent(name, base64.b64decode(resource.blob, validate=True))
    except binascii.Error as error:
        raise GithubError(gettext("GitHub's answer can't be read.")) from error


async def _call(connection: McpConnection, tool: str, **arguments: Any) -> CallToolResult:
    try:
        result = await connection.call(tool, arguments, repeatable=True)
    except McpUnauthorized as error:
        raise GithubTokenRefused(github_error_text(error)) from error
    except McpError as error:
        raise GithubError(github_error_text(error)) from error
    if result.is_error:
        raise NotFound(NOT_FOUND_TEXT)
    return result


def _json(result: CallToolResult) -> Any:
    from mcp_types import TextContent

    for block in result.content:
        if isinstance(block, TextContent):
            try:
                return orjson.loads(block.text)
            except orjson.JSONDecodeError:
                continue
    raise GithubError(gettext("GitHub's answer can't be read."))


def _dicts(items: Any) -> Iterable[dict[str, Any]]:
    return (item for item in items if isinstance(item, dict)) if isinstance(items, list) else ()


def _repository(item: dict[str, Any]) -> Repository:
    return Repository(str(item.get("full_name") or ""), str(item.get("description") or ""), bool(item.get("private")))


def _entry(item: dict[str, Any]) -> Entry:
    size = item.get("size")
    return Entry(
        str(item.get("name") or ""), str(item.get("path") or ""), str(item.get("type") or ""), size if isinstance(size, int) else 0
    )


def _owner_and_repo(repository: str) -> dict[str, str]:
    if not REPOSITORY.fullmatch(repository):
        raise BadRequest(gettext("A repository is named owner/name."))
    owner, _, name = repository.partition("/")
    return {"owner": owner, "repo": name}


def _validated_path(path: str) -> str:
    parts = [part for part in path.split("/") if part]
    if any(part in (".", "..") for part in parts) or len(path) > 1000:
        raise BadRequest(gettext("This is no path in a repository."))
    return "/".join(parts)
