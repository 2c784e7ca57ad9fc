"""The demo's responder: decides whether a request wants suggestions, a conversation title, a document or the chat agent's reply."""

from __future__ import annotations

import json
import re

from doubles.demo.artifact_texts import artifact_items, tag_content
from doubles.demo.chat import chat_items
from doubles.demo.documents import topic_of
from doubles.demo.showcase import piece_for
from doubles.demo.titles import conversation_title, without_lead
from doubles.script import FULL_SPEED, Answer, Item, Pacing, Pause, ReceivedRequest, Text

_DOCUMENT = re.compile(r"\bIt is ready to read\b|\bI changed \*\*")
_TAG = re.compile(r"<(user|assistant)>(.*?)</\1>", re.DOTALL)
_TOPIC_WORDS = 6
# What a document can be about in the suggestion's own English: neither a question, an order, another script nor a word without an end.
_NO_TOPIC = re.compile(
    r"[^\x20-\u024f]|\S{30}|^(?:what|who|when|where|why|which|is|are|do|does|did|can|ask|search|draw)\b|^/", re.IGNORECASE
)
FIRST_TOKEN_S = 0.25
TOKENS_PER_S = 70.0


def suggestions(exchange: str) -> str:
    """Return a JSON list of three follow-up messages that the demo itself can answer."""
    tags = dict(_TAG.findall(exchange))
    if piece := piece_for(tags.get("user", "")):
        return json.dumps(piece.suggestions)
    if _DOCUMENT.search(tags.get("assistant", "")):
        return json.dumps(["Make it shorter.", "Add a section about the next steps.", "Show me a table."])
    return json.dumps([f"Write a short document about {_topic(tags.get('user', ''))}.", "Show me a table.", "What else can I try?"])


def _topic(question: str) -> str:
    words = (topic_of(question) or without_lead(question)).split()
    topic = " ".join(words[:_TOPIC_WORDS]).strip(" .,;:!?\"'")
    return topic if topic and not _NO_TOPIC.search(topic) else "this conversation"


class DemoScript:
    """A responder (see `Script.respond`). The same request always gets the same words."""

    def __init__(self, *, pace: float = 1.0) -> None:
        self._pace = pace

    def __call__(self, request: ReceivedRequest) -> Answer:
        items = _items(request)
        if self._pace == 0:
            return Answer(tuple(item for item in items if not isinstance(item, Pause)), FULL_SPEED)
        speed = self._pace * (2 if "fast" in request.model else 1)
        paced_items = [Pause(item.seconds / speed) if isinstance(item, Pause) else item for item in items]
        return Answer(tuple(paced_items), Pacing(FIRST_TOKEN_S / speed, TOKENS_PER_S * speed))


def _items(request: ReceivedRequest) -> list[Item]:
    if request.tool_names:
        return chat_items(request)
    if (exchange := tag_content("exchange", request.user_text)) is not None:
        return [Text(suggestions(exchange))]
    if "<conversation>" in request.user_text:
        return [Text(conversation_title(tag_content("conversation", request.user_text) or ""))]
    return artifact_items(request) or chat_items(request)
