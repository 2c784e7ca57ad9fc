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
    # Where thoughts are shown; "" hides them, and "tags" puts them into the content between <think> and </think>.
    reasoning_field: Literal["", "reasoning", "reasoning_content", "tags"] = ""
    content_parts: bool = False  # content is a list of parts
    other_choices: bool = False  # a second choice comes with each chunk
    sends_bom: bool = False  # a byte order mark comes before the first event
    streams: bool = True  # False: the whole answer is sent as JSON, also when a stream was asked for; on both wires
    output_at_end: bool = False  # Responses: the output comes with the last event only
    sends_done: bool = True  # the stream ends with [DONE]
    always_sends_usage: bool = False  # also without stream_options
    sends_citations: bool = False  # cited pages are sent (gateways)
    images: bool = False  # images of the model are sent as OpenRouter does
    # Mistral's models, on its API and on servers with its templates: ids of calls have nine letters or digits, and an answer follows
    # results before the user speaks (https://github.com/zed-industries/zed/issues/37021, https://github.com/vllm-project/vllm/issues/9019).
    mistral: bool = False
    # llama.cpp makes a grammar of each tool, which takes few patterns (https://github.com/ggml-org/llama.cpp/issues/26930); so do LM
    # Studio and others that contain it.
    makes_grammars: bool = False
    extra_fields: frozenset[str] = frozenset()  # names that a request may have besides OpenAI's
