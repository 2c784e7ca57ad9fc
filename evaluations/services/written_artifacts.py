"""What a run wrote beside the chat, and whether it parses. What only a browser can tell, whether it runs and how it looks, is not checked."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from agents.artifact_agents.mermaid import diagram_problem
from artifacts.models import Version
from artifacts.selectors import versions_of_run
from evaluations.graders.answer import WrittenArtifact

MAX_CHARS: Final = 500_000
_BY_KIND: Final[Mapping[str, str]] = {"python": "python", "mermaid": "mermaid", "sheet": "csv"}
_BY_EXTENSION: Final[Mapping[str, str]] = {"json": "json", "csv": "csv", "py": "python", "mmd": "mermaid"}


def written_artifacts(run_id: UUID) -> list[WrittenArtifact]:
    """Return the last version of each artifact that the run wrote in a language that can be parsed here. One query."""
    latest = {version.artifact_id: version for version in versions_of_run(run_id)}
    pairs = [(version, _language(version)) for version in latest.values()]
    return [
        WrittenArtifact(language, version.artifact.title, _problem(language, version.content)) for version, language in pairs if language
    ]


def _language(version: Version) -> str:
    """Return a key of CHECKS; "" for prose and for code in another language. Code is told by its title, such as data.json."""
    extension = version.artifact.title.rpartition(".")[2].lower()
    return _BY_KIND.get(version.artifact.kind) or (_BY_EXTENSION.get(extension, "") if version.artifact.kind == "code" else "")


def _problem(language: str, content: str) -> str:
    if len(content) > MAX_CHARS:
        return f"It is longer than {MAX_CHARS:,} characters."
    try:
        return CHECKS[language](content)
    except (RecursionError, MemoryError):
        return "It is nested too deeply."


def _python(content: str) -> str:
    try:
        ast.parse(content)
    except SyntaxError as error:
        return f"Line {error.lineno or 1}: {error.msg}."
    except ValueError as error:  # NUL characters
        return f"{error}."
    return ""


def _mermaid(content: str) -> str:
    problem = diagram_problem(content)
    return str(problem) if problem else ""


def _json(content: str) -> str:
    try:
        json.loads(content)
    except json.JSONDecodeError as error:
        return f"Line {error.lineno}: {error.msg}."
    return ""


def _csv(content: str) -> str:
    """Every row must have as many cells as the first one; empty lines are none."""
    reader = csv.reader(content.splitlines(keepends=True), strict=True)
    try:
        rows = [(reader.line_num, len(row)) for row in reader if row]
    except csv.Error as error:
        return f"Line {reader.line_num}: {error}."
    return next((f"Line {line}: {cells} cells in place of {rows[0][1]}." for line, cells in rows if cells != rows[0][1]), "")


CHECKS: Final[Mapping[str, Callable[[str], str]]] = {"python": _python, "mermaid": _mermaid, "json": _json, "csv": _csv}
