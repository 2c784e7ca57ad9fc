"""How many tokens an entry costs a model, estimated without its tokenizer: cheap, and rather too many than too few.

Sources: 4 characters are about a token (https://ai.google.dev/gemini-api/docs/tokens, the same in OpenAI's and Anthropic's guides).
That holds for prose; JSON and code, with their digits and brackets, come nearer to 3. Other scripts than Latin take about a token for
each character. What a provider really counted corrects the estimate while a run works (`ContextView.calibrate`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, assert_never

from agents.engine.messages import (
    AnswerFile,
    ApprovalRequest,
    ApprovalResponse,
    ArtifactReference,
    AssistantText,
    ClientData,
    ClientOutput,
    ClientRequest,
    CompactedHistory,
    ContextData,
    Entry,
    File,
    Notice,
    NoToolCallRetry,
    ProviderMetadata,
    ProviderToolCall,
    Reasoning,
    Reminder,
    Source,
    SubAgentEntry,
    SystemPrompt,
    ToolCall,
    ToolDefinition,
    ToolResult,
    UserMessage,
    WorkflowStep,
)

PROSE_CHARS_PER_TOKEN = 4  # ASCII characters of a token
JSON_CHARS_PER_TOKEN = 3  # the same in JSON and code
IMAGE_TOKENS = 1500  # an image that the model sees: providers count it by its size, most below this; a PDF counts by its text
TOKENS_PER_ENTRY = 8  # tokens for the role, the tags and the separators around an entry
_JSON = json.JSONEncoder(ensure_ascii=False, default=str)  # one for all: making it costs more than a small value


def estimate_tokens(entry: Entry) -> int:
    """Tokens of `entry` in a request; 0 when it is not sent. A provider's own data that goes back counts beside the text."""
    if type(entry) is UserMessage or (type(entry) is AssistantText and entry.provider_metadata is None):
        return TOKENS_PER_ENTRY + _text_tokens(entry.text)  # as most entries are
    return _estimated(entry)


def _estimated(entry: Entry) -> int:
    match entry:
        case UserMessage() | Reminder() | ContextData() | NoToolCallRetry() | CompactedHistory():
            return TOKENS_PER_ENTRY + _text_tokens(entry.text)
        case AssistantText() | Reasoning():
            return TOKENS_PER_ENTRY + _text_tokens(entry.text) + _metadata_tokens(entry.provider_metadata)
        case AnswerFile():
            return TOKENS_PER_ENTRY + _text_tokens(entry.name + entry.media_type) + IMAGE_TOKENS + _metadata_tokens(entry.provider_metadata)
        case File(media_type=media_type) if media_type.startswith("image/"):
            return TOKENS_PER_ENTRY + _text_tokens(entry.name + entry.media_type) + IMAGE_TOKENS
        case File():
            return TOKENS_PER_ENTRY + _text_tokens(entry.name + entry.media_type) + _text_tokens(entry.text)
        case ToolCall():
            return (
                TOKENS_PER_ENTRY
                + _text_tokens(entry.name + entry.id)
                + _json_tokens(entry.arguments)
                + _metadata_tokens(entry.provider_metadata)
            )
        case ToolResult():
            return TOKENS_PER_ENTRY + _text_tokens(entry.name + entry.call_id) + _json_tokens(entry.output)
        case ProviderToolCall():
            return TOKENS_PER_ENTRY + _metadata_tokens(entry.provider_metadata)
        case (
            ArtifactReference()
            | WorkflowStep()
            | ApprovalRequest()
            | ApprovalResponse()
            | ClientRequest()
            | ClientOutput()
            | ClientData()
            | Source()
            | Notice()
            | SubAgentEntry()
        ):
            return 0
        case _:
            assert_never(entry)


def estimate_prompt(system: SystemPrompt, tools: Sequence[ToolDefinition]) -> int:
    """Tokens of what every request carries beside the entries."""
    declared = sum(TOKENS_PER_ENTRY + _text_tokens(tool.name + tool.description) + _json_tokens(tool.input_schema) for tool in tools)
    return TOKENS_PER_ENTRY + _text_tokens(str(system)) + declared


def _text_tokens(text: str, per_token: int = PROSE_CHARS_PER_TOKEN) -> int:
    if text.isascii():
        return -(-len(text) // per_token)
    plain = len(text.encode("ascii", "ignore"))
    return -(-plain // per_token) + len(text) - plain


def _json_tokens(value: Any) -> int:
    return _text_tokens(value if isinstance(value, str) else _JSON.encode(value), JSON_CHARS_PER_TOKEN)


def _metadata_tokens(provider_metadata: ProviderMetadata | None) -> int:
    return 0 if provider_metadata is None else _json_tokens(provider_metadata)
