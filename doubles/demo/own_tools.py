"""Scenes with Parley's own tools: working by a plan, reading a page, searching the organization's files.

Also the scene in which the demo writes into the state of the page around the chat.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from doubles.demo.conversation import ConversationState, Event
from doubles.demo.provider_scenes import offered_tools
from doubles.demo.titles import without_lead
from doubles.demo.web_pages import PAGE_PATH
from doubles.script import Call, Item, Pause, ReceivedRequest, Text

PLAN, FETCH, SEARCH_FILES, READ_FILE = "plan", "fetch_url", "search_files", "read_file"
STEPS = ("Look for what is known", "Compare the ways", "Write down the result")
STEP_S = 1.5

_BY_PLAN = re.compile(r"\b(?:by|with|show|make) (?:me )?(?:a|the|your) (?:plan|checklist)\b|\bplan (?:your|the) work\b", re.IGNORECASE)
_DEMO_PAGE = re.compile(r"\b(?:read|open|fetch|visit|summari[sz]e)\b.{0,40}?\bdemo (?:web )?page\b", re.IGNORECASE)
_PAGE = re.compile(r"\b(?:read|open|fetch|visit|summari[sz]e)\b.{0,40}?(https?://[^\s<>\"')]+)", re.IGNORECASE | re.DOTALL)
_FILES = re.compile(
    r"\b(?:our|my|the) (?:knowledge |organization's )?files\b.{0,20}?\b(?:for|about|on)\b\s*(.+)", re.IGNORECASE | re.DOTALL
)

_PLAN_DONE = "I am the **demo provider** and play work in three steps. The list above is the plan, and every step is done."
_NO_PLAN = "This agent has no tool `plan`: an admin gives it one on the agent's page, under Tools."
_NO_FETCH = "This agent has no tool `fetch_url`: an admin gives it one on the agent's page, under Tools."
_NO_FILES = (
    "This agent has no folder of files yet. An admin makes one under **Tools** (kind: knowledge files), uploads files to it under **Knowledge "
    "files** and gives it to the agent on the agent's page."
)
UPDATE = "update_page_state"
_WANTS_CHANGE = re.compile(
    r"\b(?:set|put|change|update|fill|write)\b.{0,60}?\b(?:on|in|into) (?:the|this|my) (?:web ?)?(?:page|form)\b"
    r"|\b(?:change|update|fill(?: in)?) (?:the|this|my) (?:web ?)?(?:page|form)\b",
    re.IGNORECASE | re.DOTALL,
)
_SET = re.compile(r"\bset ([A-Za-z0-9_.-]{1,64}) to [\"'“]?(.+?)[\"'”]?\s+(?:on|in) (?:the|this|my)\b", re.IGNORECASE | re.DOTALL)
_PAGE_STATE_TAG = re.compile(r"<page_state>\n(.*?)\n</page_state>", re.DOTALL)
_NO_PAGE = (
    "No page handed over its state with this message, so there is nothing that I could change. A page does it with the field `pageState` of "
    "the request, as docs/protocol.md tells, and the agent needs the tool **Page around the chat**."
)


def own_tool_scene(conversation: ConversationState, request: ReceivedRequest) -> list[Item] | None:
    """Return the scene's next items; None when the user asked for none of these."""
    if _BY_PLAN.search(conversation.text) and (PLAN in conversation.tools or not _writes(conversation)):
        return _plan(conversation)
    if address := _address(conversation, request):
        return _page(conversation, address)
    if files := _FILES.search(conversation.text):
        return _files(conversation, without_lead(files[1]).strip(" .?!"))
    return None


def _writes(conversation: ConversationState) -> bool:
    """Return whether the agent can write documents: the plan that the user wants may be a document."""
    return any(name.endswith("_agent") for name in conversation.tools)


def _plan(conversation: ConversationState) -> list[Item]:
    if PLAN not in conversation.tools:
        return [Text(_NO_PLAN)]
    done = sum(event.kind == "call" and event.tool == PLAN for event in conversation.since)
    if done > len(STEPS):
        return [Text(_PLAN_DONE)]
    states = ["done" if number < done else "running" if number == done else "pending" for number in range(len(STEPS))]
    steps = [{"text": text, "state": state} for text, state in zip(STEPS, states, strict=True)]
    return [*([Pause(STEP_S)] if done else []), Call(PLAN, {"title": "A task in three steps", "steps": steps})]


def _address(conversation: ConversationState, request: ReceivedRequest) -> str:
    """Return the address of the page to read; "" when there is none, or when the provider itself reads pages."""
    if _DEMO_PAGE.search(conversation.text):
        return f"http://{request.headers.get('host', 'localhost')}{PAGE_PATH}"
    match = _PAGE.search(conversation.text)
    own = match is not None and FETCH in conversation.tools and "url_context" not in offered_tools(request.body)
    return match[1].rstrip(".,;:!?") if match and own else ""


def _page(conversation: ConversationState, address: str) -> list[Item]:
    if FETCH not in conversation.tools:
        return [Text(_NO_FETCH)]
    if not conversation.results:
        return [Text("I'll read the page."), Call(FETCH, {"url": address})]
    page = _value(conversation.results[-1])
    if "text" not in page:
        return [Text(f"I could not read the page. {page.get('error', '')}".strip())]
    introduction = f"I read **{page.get('title') or page.get('url')}**, {page.get('total_chars', 0):,} characters as Markdown. It begins:"
    return [Text(f"{introduction}\n\n{_quote(str(page['text']))}\n\nI am the **demo provider**: a real model would now answer from it.")]


def _files(conversation: ConversationState, query: str) -> list[Item]:
    if SEARCH_FILES not in conversation.tools:
        return [Text(_NO_FILES)]
    if not conversation.results:
        return [Text("I'll look into the files."), Call(SEARCH_FILES, {"query": query})]
    last, value = conversation.results[-1], _value(conversation.results[-1])
    if "error" in value:
        return [Text(f"That did not work: {value['error']}")]
    matches = value.get("matches", [])
    if last.tool == SEARCH_FILES and not matches:
        return [Text(f"No file has a line with \u201c{query}\u201d.")]
    if last.tool == SEARCH_FILES:
        return [Call(READ_FILE, {"path": matches[0]["path"]})]
    return [Text(f"**{value.get('path')}** has it:\n\n{_quote(str(value.get('text', '')))}")]


def _value(event: Event) -> dict[str, Any]:
    return event.value if isinstance(event.value, dict) else {"error": str(event.value)}


def _quote(text: str) -> str:
    """Return the first lines as a quotation."""
    return "\n".join(f"> {line}" for line in text[:600].splitlines()[:12])


def page_scene(conversation: ConversationState, request: ReceivedRequest) -> list[Item] | None:
    """Return the scene's next items; None when the user did not ask for a change of the page."""
    if not _WANTS_CHANGE.search(conversation.text):
        return None
    if UPDATE not in conversation.tools:
        return [Text(_NO_PAGE)]
    if conversation.results:
        return [Text(f"I asked the page around this chat. What came of it: {_value_text(conversation.results[-1].value)}")]
    if (match := _SET.search(conversation.text)) is not None:
        return [Call(UPDATE, {match[1]: match[2]})]
    return [Call(UPDATE, {key: _sample(value) for key, value in _state(request).items()})]


def _state(request: ReceivedRequest) -> Mapping[str, Any]:
    """Return the latest page state that the model was given."""
    texts = [part.get("text", "") for content in request.contents for part in content["parts"]]
    states = [match[1] for text in texts for match in _PAGE_STATE_TAG.finditer(text)]
    state: dict[str, Any] = json.loads(states[-1].replace("&lt;", "<")) if states else {}
    return state


def _sample(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return 42
        case list() | dict():
            return type(value)()
        case _:
            return "Written by the demo"


def _value_text(value: Any) -> str:
    return str(value.get("error", value)) if isinstance(value, dict) else str(value)
