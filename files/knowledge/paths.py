"""Paths of files inside a folder. They are keys of a table and never reach a disk."""

from __future__ import annotations

import unicodedata
from fnmatch import fnmatchcase

from django.utils.translation import gettext

from files.knowledge.models import MAX_PATH_CHARS
from files.names import clean_name
from tenants.errors import BadRequest

MAX_PATH_PARTS = 10
MAX_GLOB_CHARS = 200


def knowledge_path(folder: str, name: str) -> str:
    """Return the path of an uploaded file: `folder` as the admin wrote it, plus the file's cleaned name. Raises BadRequest."""
    parts = [part for part in unicodedata.normalize("NFC", folder).strip().strip("/").split("/") if folder.strip().strip("/")]
    if any(clean_name(part) != part for part in parts):
        raise BadRequest(gettext("A folder is made of names with slashes between them, such as guides/2026."))
    path = "/".join([*parts, clean_name(name)])
    if len(path) > MAX_PATH_CHARS or len(parts) >= MAX_PATH_PARTS:
        raise BadRequest(
            gettext("A path has at most %(max_path_length)s characters and %(max_path_parts)s parts.")
            % {"max_path_length": MAX_PATH_CHARS, "max_path_parts": MAX_PATH_PARTS}
        )
    return path


def normalize_path(text: str) -> str:
    """Return a model's file path as the table would have it, or "" for what can't be a path.

    Nothing is resolved: `..` is just a name that no file has.
    """
    path = unicodedata.normalize("NFC", text).removeprefix("./")
    is_writable = path.isprintable() and len(path) <= MAX_PATH_CHARS  # control characters and lone surrogates are not
    return path if is_writable else ""


def matches_glob(path: str, pattern: str) -> bool:
    """Return whether the path matches: `*` and `?` match inside one part, `**` matches any number of parts.

    Parts are matched one by one, so it is linear in practice.
    """
    return _match(path.split("/"), [part for part in pattern.split("/") if part])


def _match(parts: list[str], patterns: list[str]) -> bool:
    """Match part by part. `reachable` holds the numbers of parts that the patterns so far can have consumed."""
    reachable = {0}
    for pattern in patterns:
        if pattern == "**":
            reachable = set(range(min(reachable), len(parts) + 1)) if reachable else set()
        else:
            reachable = {place + 1 for place in reachable if place < len(parts) and fnmatchcase(parts[place], pattern)}
    return len(parts) in reachable
