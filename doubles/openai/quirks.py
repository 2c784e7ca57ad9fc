"""How servers with Chat Completions differ from OpenAI's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class ServerQuirks:
    """The behaviour of one server's chat/completions. The defaults are OpenAI's."""

    calls_in_one_delta: bool = False  # each call is sent in one delta (Ollama)
    call_ids: bool = True  # False: calls have no ids
    object_arguments: bool = False  # arguments are a JSON object
    call_finish_reason: str = "tool_calls"  # after calls
    reasoning_field: Literal["", "reasoning", "reasoning_content"] = ""  # where thoughts are shown; "" hides them
    sends_done: bool = True  # the stream ends with [DONE]
    always_sends_usage: bool = False  # also without stream_options
    sends_citations: bool = False  # cited pages are sent (gateways)
    images: bool = False  # images of the model are sent as OpenRouter does
    extra_fields: frozenset[str] = frozenset()  # names that a request may have besides OpenAI's
