"""Estimates token counts of entries without a tokenizer: cheap, and rather too high than too low.

Sources: a token is about 4 characters (https://ai.google.dev/gemini-api/docs/tokens, the same in OpenAI's and
Anthropic's guides). That holds for prose; JSON and code, with their digits and brackets, are closer to 3. In scripts
other than Latin, each character is about a token. While a run works, the provider's actual counts correct the estimate
(`ContextView.calibrate`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, assert_never

from agents.messages import (
    AnswerFile,
    AssistantText,
    CompactedHistory,
    ContextData,
    Entry,
    File,
    NoToolCallRetry,
    ProviderMetadata,
    ProviderToolCall,
    Reasoning,
    Reminder,
    ShownEntry,
    SystemPrompt,
    ToolCall,
    ToolDefinition,
    ToolResult,
    UserMessage,
)

PROSE_CHARS_PER_TOKEN = 4  # ASCII characters per token
JSON_CHARS_PER_TOKEN = 3  # the same in JSON and code
IMAGE_TOKENS = 1500  # providers count an image by its size, mostly fewer than this; a PDF is counted by its text
TOKENS_PER_ENTRY = 8  # tokens for the role, the tags and the separators around an entry
_JSON = json.JSONEncoder(ensure_ascii=False, default=str)  # shared: creating an encoder costs more than encoding a small value


def estimate_tokens(entry: Entry) -> int:
    """Return the tokens of `entry` in a request, including provider metadata; 0 when it is not sent."""
    if type(entry) is UserMessage or (type(entry) is AssistantText and entry.provider_metadata is None):
        return TOKENS_PER_ENTRY + estimate_text(entry.text)  # the most common case
    return _estimate_entry(entry)


def _estimate_entry(entry: Entry) -> int:
    match entry:
        case UserMessage() | Reminder() | ContextData() | NoToolCallRetry() | CompactedHistory():
            tokens = estimate_text(entry.text)
        case AssistantText() | Reasoning():
            tokens = estimate_text(entry.text) + _metadata_tokens(entry.provider_metadata)
        case AnswerFile():
            tokens = estimate_text(entry.name + entry.media_type) + IMAGE_TOKENS + _metadata_tokens(entry.provider_metadata)
        case File():
            is_image = entry.media_type.startswith("image/")
            tokens = estimate_text(entry.name + entry.media_type) + (IMAGE_TOKENS if is_image else estimate_text(entry.text))
        case ToolCall():
            call_tokens = estimate_text(entry.name + entry.id) + output_tokens(entry.arguments)
            tokens = call_tokens + _metadata_tokens(entry.provider_metadata)
        case ToolResult():
            tokens = estimate_text(entry.name + entry.call_id) + output_tokens(entry.output)
        case ProviderToolCall():
            tokens = _metadata_tokens(entry.provider_metadata)
        case _:
            if not isinstance(entry, ShownEntry):
                assert_never(entry)
            return 0
    return TOKENS_PER_ENTRY + tokens


def estimate_prompt(system: SystemPrompt, tools: Sequence[ToolDefinition]) -> int:
    """Return the tokens of what every request carries besides the entries."""
    return TOKENS_PER_ENTRY + estimate_text(str(system)) + sum(map(_definition_tokens, tools))


def _definition_tokens(tool: ToolDefinition) -> int:
    return TOKENS_PER_ENTRY + estimate_text(tool.name + tool.description) + estimate_text(tool.schema_text, JSON_CHARS_PER_TOKEN)


def estimate_text(text: str, per_token: int = PROSE_CHARS_PER_TOKEN) -> int:
    """Return the tokens of a text."""
    if text.isascii():
        return -(-len(text) // per_token)
    plain = len(text.encode("ascii", "ignore"))
    return -(-plain // per_token) + len(text) - plain


def output_text(output: Any) -> str:
    """Return a tool's output, which is a JSON value, as text."""
    return output if isinstance(output, str) else _JSON.encode(output)


def output_tokens(output: Any) -> int:
    """Return the estimated tokens of a JSON value."""
    return estimate_text(output_text(output), JSON_CHARS_PER_TOKEN)


def _metadata_tokens(provider_metadata: ProviderMetadata | None) -> int:
    return 0 if provider_metadata is None else output_tokens(provider_metadata)
