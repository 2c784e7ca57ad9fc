"""Telling the product's requests to the provider apart."""

from __future__ import annotations

from collections.abc import Callable

from doubles.script import Call, ReceivedRequest


def is_document(request: ReceivedRequest) -> bool:
    """Whether the document agent asks."""
    return "<instruction>" in request.user_text


def is_title(request: ReceivedRequest) -> bool:
    """Whether the conversation's title is asked for: the only request without tools that is not about a document."""
    return not request.tool_names and not is_document(request)


def is_chat_about(topic: str) -> Callable[[ReceivedRequest], bool]:
    """The chat agent's requests in the conversation about `topic`."""
    return lambda request: topic in request.user_text and bool(request.tool_names)


def is_document_about(topic: str) -> Callable[[ReceivedRequest], bool]:
    """The document agent's requests for the document about `topic`."""
    return lambda request: topic in request.user_text and is_document(request)


def create_document(topic: str) -> Call:
    return Call("document_agent", {"operation": "create", "title": topic.title(), "instruction": f"All about {topic}"})
