"""The fields of a Messages API request (https://platform.claude.com/docs/en/api/messages).

The API itself validates with pydantic models like these, so their error messages are the same: "max_tokens: Field required".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, ValidationError

from doubles.anthropic.errors import invalid

ID = r"^[a-zA-Z0-9_-]+$"
TOOL_NAME = r"^[a-zA-Z0-9_-]{1,128}$"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _PassThrough(BaseModel):
    """Base for blocks that the provider's own tools made. Their other fields are not checked."""

    model_config = ConfigDict(extra="allow")


class CacheControl(_Strict):
    type: Literal["ephemeral"]
    ttl: Literal["5m", "1h"] | None = None


class Text(_Strict):
    type: Literal["text"]
    text: str
    cache_control: CacheControl | None = None
    citations: list[dict[str, Any]] | None = None


class _ImageData(_Strict):
    type: Literal["base64"]
    media_type: Literal["image/jpeg", "image/png", "image/gif", "image/webp"]
    data: str


class Image(_Strict):
    type: Literal["image"]
    source: _ImageData
    cache_control: CacheControl | None = None


class _DocumentData(_Strict):
    type: Literal["base64"]
    media_type: Literal["application/pdf"]
    data: str


class Document(_Strict):
    type: Literal["document"]
    source: _DocumentData
    title: str | None = None
    context: str | None = None
    citations: dict[str, Any] | None = None
    cache_control: CacheControl | None = None


class Thinking(_Strict):
    type: Literal["thinking"]
    thinking: str
    signature: str


class RedactedThinking(_Strict):
    type: Literal["redacted_thinking"]
    data: str


class ToolUse(_Strict):
    type: Literal["tool_use"]
    id: Annotated[str, Field(pattern=ID)]
    name: Annotated[str, Field(pattern=TOOL_NAME)]
    input: dict[str, Any]
    caller: dict[str, Any] | None = None
    cache_control: CacheControl | None = None


def _blocks(content: Any) -> Any:
    """Expand a string, which is short for one text block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


_ResultPart = Annotated[Text | Image | Document, Field(discriminator="type")]


class ToolResult(_Strict):
    type: Literal["tool_result"]
    tool_use_id: Annotated[str, Field(pattern=ID)]
    content: str | list[_ResultPart] | None = None
    is_error: bool | None = None
    cache_control: CacheControl | None = None


SERVER_RESULTS: Mapping[str, str] = {
    "web_search": "web_search_tool_result",
    "web_fetch": "web_fetch_tool_result",
    "code_execution": "code_execution_tool_result",
    "bash_code_execution": "bash_code_execution_tool_result",
    "text_editor_code_execution": "text_editor_code_execution_tool_result",
}


class ServerToolUse(_PassThrough):
    type: Literal["server_tool_use"]
    id: Annotated[str, Field(pattern=r"^srvtoolu_[a-zA-Z0-9_]+$")]
    name: Literal["web_search", "web_fetch", "code_execution", "bash_code_execution", "text_editor_code_execution"]
    input: dict[str, Any]


class ServerToolResult(_PassThrough):
    type: Literal[
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
    ]
    tool_use_id: str
    content: dict[str, Any] | list[dict[str, Any]]


Block = Annotated[
    Text | Image | Document | Thinking | RedactedThinking | ToolUse | ToolResult | ServerToolUse | ServerToolResult,
    Field(discriminator="type"),
]


class Message(_Strict):
    role: Literal["user", "assistant"]
    content: Annotated[list[Block], BeforeValidator(_blocks)]


class Tool(_Strict):
    name: Annotated[str, Field(pattern=TOOL_NAME)]
    input_schema: dict[str, Any]
    description: str | None = None
    type: Literal["custom"] | None = None
    cache_control: CacheControl | None = None
    strict: bool | None = None
    eager_input_streaming: bool | None = None
    input_examples: list[dict[str, Any]] | None = None


class _ServerTool(_Strict):
    name: str
    cache_control: CacheControl | None = None
    max_uses: Annotated[int, Field(ge=1)] | None = None
    allowed_domains: list[str] | None = None
    blocked_domains: list[str] | None = None


class _WebSearch(_ServerTool):
    type: Literal["web_search_20250305"]
    name: Literal["web_search"]
    user_location: dict[str, Any] | None = None


class _WebFetch(_ServerTool):
    type: Literal["web_fetch_20250910"]
    name: Literal["web_fetch"]
    citations: dict[str, Any] | None = None
    max_content_tokens: int | None = None


class _CodeExecution(_Strict):
    type: Literal["code_execution_20250825"]
    name: Literal["code_execution"]
    cache_control: CacheControl | None = None


def _tool_kind(tool: Any) -> str:
    return str(tool.get("type") or "custom") if isinstance(tool, dict) else "custom"


AnyTool = Annotated[
    Annotated[Tool, Tag("custom")]
    | Annotated[_WebSearch, Tag("web_search_20250305")]
    | Annotated[_WebFetch, Tag("web_fetch_20250910")]
    | Annotated[_CodeExecution, Tag("code_execution_20250825")],
    Discriminator(_tool_kind),
]


class _FreeChoice(_Strict):
    type: Literal["auto", "any"]
    disable_parallel_tool_use: bool | None = None


class _NamedChoice(_Strict):
    type: Literal["tool"]
    name: str
    disable_parallel_tool_use: bool | None = None


class _NoChoice(_Strict):
    type: Literal["none"]


class _BlockBinding(_Strict):
    prefix_mismatch_behavior: Literal["error", "drop_block"] | None = None


class _EnabledThinking(_Strict):
    type: Literal["enabled"]
    budget_tokens: Annotated[int, Field(ge=1024)]
    display: Literal["summarized", "omitted"] | None = None
    block_binding: _BlockBinding | None = None


class _AdaptiveThinking(_Strict):
    type: Literal["adaptive"]
    display: Literal["summarized", "omitted"] | None = None
    block_binding: _BlockBinding | None = None


class _NoThinking(_Strict):
    type: Literal["disabled", "between_tools"]


class _AnswerFormat(_Strict):
    type: Literal["json_schema"]
    schema_: Annotated[dict[str, Any], Field(alias="schema")]


class _OutputConfig(_Strict):
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    format: _AnswerFormat | None = None


class _Metadata(_Strict):
    user_id: str | None = None


class CountTokensRequest(_Strict):
    model: Annotated[str, Field(min_length=1)]
    messages: list[Message]
    system: Annotated[list[Text], BeforeValidator(_blocks)] | None = None
    tools: list[AnyTool] | None = None
    tool_choice: Annotated[_FreeChoice | _NamedChoice | _NoChoice, Field(discriminator="type")] | None = None
    thinking: Annotated[_EnabledThinking | _AdaptiveThinking | _NoThinking, Field(discriminator="type")] | None = None
    output_config: _OutputConfig | None = None
    cache_control: CacheControl | None = None


class MessagesRequest(CountTokensRequest):
    max_tokens: Annotated[int, Field(ge=1)]
    stream: bool = False
    stop_sequences: list[str] | None = None
    metadata: _Metadata | None = None
    service_tier: Literal["auto", "standard_only"] | None = None
    container: str | None = None
    inference_geo: str | None = None


class MessagesRequest20230601(MessagesRequest):
    """The request of version 2023-06-01."""

    temperature: Annotated[float, Field(ge=0, le=1)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=0)] | None = None


def check_fields(body: dict[str, Any], form: type[CountTokensRequest]) -> None:
    """Check the fields. Raises WireError (400) for the first one that is wrong, missing or unknown."""
    try:
        form.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        raise invalid(f"{'.'.join(str(step) for step in first['loc'])}: {first['msg']}") from error


def blocks_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a message's content as blocks."""
    blocks: list[dict[str, Any]] = _blocks(message["content"])
    return blocks
