"""The demo with GitHub: the chat agent hands the question on, and the GitHub agent looks it up on the demo's own small GitHub."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from doubles.demo.situation import Event, Situation
from doubles.script import Call, Item, Text

GITHUB_AGENT = "git_mcp_agent"
LIST_ISSUES, SEARCH, CONTENTS, WRITE_ISSUE = "list_issues", "search_repositories", "get_file_contents", "issue_write"

_REPOSITORY = re.compile(r"\b([\w.-]+)/([\w.-]*[\w-])")
_MEANT = re.compile(r"\bgithub\b|\brepositor(?:y|ies)\b|\bissues?\b.{0,30}?\b[\w-]+/[\w-]+", re.IGNORECASE | re.DOTALL)
_ISSUES = re.compile(r"\bissues?\b|\bbugs?\b", re.IGNORECASE)
_NEW_ISSUE = re.compile(r"\b(?:open|create|file|write)\b.{0,20}?\bissue\b.{0,40}?[“\"'](.+?)[”\"']", re.IGNORECASE | re.DOTALL)
_FILES = re.compile(r"\b(?:files?|folders?|readme|content)\b", re.IGNORECASE)
_PLAYED = "I am the **demo provider**; this GitHub is a small one of the demo's own."
_NO_AGENT = "This agent has no GitHub agent: an admin gives it one on the agent's page, under Tools."


def github_scene(now: Situation) -> list[Item] | None:
    """None when the user asked for nothing of the kind."""
    if GITHUB_AGENT not in now.tools and SEARCH in now.tools:
        return _told(now) if now.results else [_lookup(now)]
    if not _MEANT.search(now.text):
        return None
    if GITHUB_AGENT not in now.tools:
        return [Text(_NO_AGENT)] if not now.since else None
    if now.results:
        return [Text(f"{_answer(now.results[-1])}\n\n{_PLAYED}")]
    return [Text("I'll ask the GitHub agent."), Call(GITHUB_AGENT, {"task": now.text})] if not now.since else None


def _lookup(now: Situation) -> Call:
    """The one call of the GitHub agent that fits its task."""
    named = _REPOSITORY.search(now.text)
    if named is None:
        return Call(SEARCH, {"query": "user:@me"})
    place = {"owner": named[1], "repo": named[2]}
    new = _NEW_ISSUE.search(now.text)
    if new and WRITE_ISSUE in now.tools:
        return Call(WRITE_ISSUE, {**place, "title": new[1]})
    if _FILES.search(now.text) and not _ISSUES.search(now.text):
        return Call(CONTENTS, {**place, "path": "README.md" if "readme" in now.text.lower() else "/"})
    return Call(LIST_ISSUES, place)


def _told(now: Situation) -> list[Item]:
    event = now.results[-1]
    found = _json(event.value)
    tell = _TELLING.get(event.tool.removeprefix("github_"), lambda value: None)
    return [Text(tell(found) or _plain(event.value))]


def _issues(found: Any) -> str | None:
    issues = found.get("issues") if isinstance(found, dict) else None
    return _lines("issue", [f"#{one['number']} {one['title']} ({one['state']})" for one in issues]) if issues is not None else None


def _repositories(found: Any) -> str | None:
    items = found.get("items") if isinstance(found, dict) else None
    return _lines("repository", [f"**{one['full_name']}**: {one['description']}" for one in items]) if items is not None else None


def _entries(found: Any) -> str | None:
    return _lines("entry", [f"`{one['path']}`" for one in found]) if isinstance(found, list) else None


_TELLING: dict[str, Callable[[Any], str | None]] = {LIST_ISSUES: _issues, SEARCH: _repositories, CONTENTS: _entries}


def _lines(what: str, lines: Sequence[str]) -> str:
    if not lines:
        return f"There is no {what}."
    return "I found:\n\n" + "\n".join(f"- {line}" for line in lines)


def _answer(event: Event) -> str:
    if isinstance(event.value, dict) and "result" in event.value:
        return str(event.value["result"])
    return _plain(event.value)


def _plain(value: Any) -> str:
    if isinstance(value, dict) and "error" in value:
        return f"That did not work. {value['error']}"
    return str(value)[:2000]


def _json(value: Any) -> Any:
    try:
        return orjson.loads(value) if isinstance(value, str) else value
    except orjson.JSONDecodeError:
        return value
