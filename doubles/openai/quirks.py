"""How the servers that speak Chat Completions differ from OpenAI's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class ServerQuirks:
    """The defaults are OpenAI's own. Only chat/completions has them.

    `calls_in_one_delta`: a call comes in one delta (Ollama). `call_ids` False: calls have none. `object_arguments`: arguments are a JSON
    object. `call_finish_reason`: the finish reason after calls. `reasoning_field`: where thoughts are shown; "" hides them. `sends_done`:
    the stream ends with [DONE]. `always_sends_usage`: usage comes without stream_options. `sends_citations`: the pages that a text rests on are shown
    (gateways). `images`: those that a model makes are sent as OpenRouter does it. `extra_fields`: names that a request may have beside OpenAI's own.
    """

    calls_in_one_delta: bool = False
    call_ids: bool = True
    object_arguments: bool = False
    call_finish_reason: str = "tool_calls"
    reasoning_field: Literal["", "reasoning", "reasoning_content"] = ""
    sends_done: bool = True
    always_sends_usage: bool = False
    sends_citations: bool = False
    images: bool = False
    extra_fields: frozenset[str] = frozenset()
