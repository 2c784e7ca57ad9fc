"""A scene with the page around the chat: the demo writes into the state that the page handed over."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from doubles.demo.conversation import ConversationState
from doubles.script import Call, Item, ReceivedRequest, Text

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


def page_scene(conversation: ConversationState, request: ReceivedRequest) -> list[Item] | None:
    """None when the user asked for nothing of the kind."""
    if not _WANTS_CHANGE.search(conversation.text):
        return None
    if UPDATE not in conversation.tools:
        return [Text(_NO_PAGE)]
    if conversation.results:
        return [Text(f"I asked the page around this chat. What came of it: {_words(conversation.results[-1].value)}")]
    if (wanted := _SET.search(conversation.text)) is not None:
        return [Call(UPDATE, {wanted[1]: wanted[2]})]
    return [Call(UPDATE, {key: _sample(value) for key, value in _state(request).items()})]


def _state(request: ReceivedRequest) -> Mapping[str, Any]:
    """What the model was told of the page last."""
    texts = [part.get("text", "") for content in request.contents for part in content["parts"]]
    told = [match[1] for text in texts for match in _PAGE_STATE_TAG.finditer(text)]
    state: dict[str, Any] = json.loads(told[-1].replace("&lt;", "<")) if told else {}
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


def _words(value: Any) -> str:
    return str(value.get("error", value)) if isinstance(value, dict) else str(value)
