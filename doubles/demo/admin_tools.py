"""Scenes with what an admin sets up: a tool or an agent that the user calls by its name, and the GitHub agent.

By name it is an HTTP tool, a tool of an MCP server, or an agent:

    Use `orders` with {"number": "7"}
    Ask `order_clerk` to use `orders` with {"number": "7"}

The chat agent delegates a question about GitHub, and the GitHub agent answers from the demo's own small GitHub.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from doubles.demo.conversation import ConversationState, Event, refusal_text
from doubles.script import Call, Item, Text

_NAME = r"(?:the )?(?:tool |agent )?[`\"\u201c]?([a-z][a-z0-9_]*)[`\"\u201d]?"
_ASK = re.compile(rf"\bask {_NAME}(?: to\b|:|,)?\s*(.+)", re.IGNORECASE | re.DOTALL)
_USE = re.compile(rf"\b(?:use|call) {_NAME}(?:\s+with\s+(\{{.*\}}))?", re.IGNORECASE | re.DOTALL)
_MAX_QUOTED_CHARS = 1_500  # of an answer that is repeated

GITHUB_AGENT = "git_mcp_agent"
LIST_ISSUES, SEARCH, CONTENTS, WRITE_ISSUE = "list_issues", "search_repositories", "get_file_contents", "issue_write"

_REPOSITORY = re.compile(r"\b([\w.-]+)/([\w.-]*[\w-])")
_MENTIONS_GITHUB = re.compile(r"\bgithub\b|\brepositor(?:y|ies)\b|\bissues?\b.{0,30}?\b[\w-]+/[\w-]+", re.IGNORECASE | re.DOTALL)
_ISSUES = re.compile(r"\bissues?\b|\bbugs?\b", re.IGNORECASE)
_NEW_ISSUE = re.compile(r"\b(?:open|create|file|write)\b.{0,20}?\bissue\b.{0,40}?[“\"'](.+?)[”\"']", re.IGNORECASE | re.DOTALL)
_FILES = re.compile(r"\b(?:files?|folders?|readme|content)\b", re.IGNORECASE)
_DISCLAIMER = "I am the **demo provider**; this GitHub is a small one of the demo's own."
_NO_AGENT = "This agent has no GitHub agent: an admin gives it one on the agent's page, under Tools."


def named_tool_scene(conversation: ConversationState) -> list[Item] | None:
    """Return the call or the summary of its result; None when the user named no tool that this agent has."""
    call = _call(conversation)
    if call is None:
        return None
    if not conversation.since:
        return [call]
    results = [event for event in conversation.results if event.tool == call.name]
    return [Text(_named_summary(results[-1]))] if results else None


def _call(conversation: ConversationState) -> Call | None:
    """Return the call that the message asks for. "Ask" comes first, because the rest of such a message is the agent's task."""
    ask_match, use_match = _ASK.search(conversation.text), _USE.search(conversation.text)
    if ask_match and ask_match[1] in conversation.tools:
        return Call(ask_match[1], {"task": ask_match[2].strip()})
    if use_match and use_match[1] in conversation.tools:
        return Call(use_match[1], _arguments(use_match[2] or "{}"))
    return None


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _named_summary(event: Event) -> str:
    value = event.value
    if refusal := refusal_text(value):
        return refusal
    if isinstance(value, dict) and "error" in value:
        return f"That did not work: {value['error']}"
    if isinstance(value, dict) and "result" in value:
        return f"`{event.tool}` answered:\n\n{_quote(str(value['result']))}"
    return f"`{event.tool}` gave:\n\n```json\n{_as_json(value)[:_MAX_QUOTED_CHARS]}\n```"


def _quote(text: str) -> str:
    return "\n".join(f"> {line}" for line in text[:_MAX_QUOTED_CHARS].splitlines())


def _as_json(value: Any) -> str:
    """Format a result as JSON if it is JSON; other text is returned unchanged."""
    try:
        value = orjson.loads(value) if isinstance(value, str) else value
    except orjson.JSONDecodeError:
        return str(value)
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def github_scene(conversation: ConversationState) -> list[Item] | None:
    """Return the answer; None when the user did not ask about GitHub."""
    if GITHUB_AGENT not in conversation.tools and SEARCH in conversation.tools:
        return _github_summary(conversation) if conversation.results else [_github_call(conversation)]
    if not _MENTIONS_GITHUB.search(conversation.text):
        return None
    if GITHUB_AGENT not in conversation.tools:
        return [Text(_NO_AGENT)] if not conversation.since else None
    if conversation.results:
        return [Text(f"{_answer(conversation.results[-1])}\n\n{_DISCLAIMER}")]
    return [Text("I'll ask the GitHub agent."), Call(GITHUB_AGENT, {"task": conversation.text})] if not conversation.since else None


def _github_call(conversation: ConversationState) -> Call:
    """Return the one call that fits the GitHub agent's task."""
    match = _REPOSITORY.search(conversation.text)
    if match is None:
        return Call(SEARCH, {"query": "user:@me"})
    place = {"owner": match[1], "repo": match[2]}
    new = _NEW_ISSUE.search(conversation.text)
    if new and WRITE_ISSUE in conversation.tools:
        return Call(WRITE_ISSUE, {**place, "title": new[1]})
    if _FILES.search(conversation.text) and not _ISSUES.search(conversation.text):
        return Call(CONTENTS, {**place, "path": "README.md" if "readme" in conversation.text.lower() else "/"})
    return Call(LIST_ISSUES, place)


def _github_summary(conversation: ConversationState) -> list[Item]:
    event = conversation.results[-1]
    result = _json(event.value)
    format_result = _FORMATTERS.get(event.tool.removeprefix("github_"), lambda value: None)
    return [Text(format_result(result) or _plain(event.value))]


def _issues(result: Any) -> str | None:
    issues = result.get("issues") if isinstance(result, dict) else None
    return _lines("issue", [f"#{one['number']} {one['title']} ({one['state']})" for one in issues]) if issues is not None else None


def _repositories(result: Any) -> str | None:
    items = result.get("items") if isinstance(result, dict) else None
    return _lines("repository", [f"**{one['full_name']}**: {one['description']}" for one in items]) if items is not None else None


def _entries(result: Any) -> str | None:
    return _lines("entry", [f"`{one['path']}`" for one in result]) if isinstance(result, list) else None


_FORMATTERS: dict[str, Callable[[Any], str | None]] = {LIST_ISSUES: _issues, SEARCH: _repositories, CONTENTS: _entries}


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
