"""How the servers that speak Chat Completions differ from OpenAI's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Habits:
    """The defaults are OpenAI's own. Only chat/completions has them.

    `whole_calls`: a call comes in one delta (Ollama). `call_ids` False: calls have none. `object_arguments`: arguments are a JSON
    object. `call_finish`: the finish reason after calls. `reasoning_field`: where thoughts are shown; "" hides them. `done_mark`:
    the stream ends with [DONE]. `usage_unasked`: usage comes without stream_options. `cites`: the pages that a text rests on are shown
    (gateways). `images`: those that a model makes are sent as OpenRouter does it. `extra_fields`: names that a request may have beside OpenAI's own.
    """

    whole_calls: bool = False
    call_ids: bool = True
    object_arguments: bool = False
    call_finish: str = "tool_calls"
    reasoning_field: Literal["", "reasoning", "reasoning_content"] = ""
    done_mark: bool = True
    usage_unasked: bool = False
    cites: bool = False
    images: bool = False
    extra_fields: frozenset[str] = frozenset()
