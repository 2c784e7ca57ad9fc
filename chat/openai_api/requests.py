"""The request of POST /v1/chat/completions: OpenAI's fields that Parley supports.

Any other field is refused by name, except fields that Parley can ignore (IGNORED_FIELDS) and fields with a value that changes nothing
(FIXED_FIELDS).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import orjson
from django.utils.translation import gettext, gettext_lazy
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError, model_validator

from agents.runtime.request_overrides import RequestOverrides
from chat.openai_api.errors import ApiError, bad_request
from files.inline_files import SCHEME, InlineFile
from tenants.errors import TooLarge
from tenants.rest.field_errors import field_reason, first_error

MAX_BODY_BYTES = 2_000_000
MAX_MESSAGES = 2_000
MAX_TOOLS = 128
TEXT_ONLY = gettext_lazy("Only text parts can be sent here.")
USER_PARTS = gettext_lazy("A user's message has parts of the types text and image_url.")
NOT_FETCHED = gettext_lazy("Images are not fetched from an address. Send the image itself as a data URL: data:image/png;base64,iVBORw0...")
IGNORED_FIELDS = {"user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key"}
# Fields that clients send with a value that changes nothing, with these values. Any other value is refused.
FIXED_FIELDS: dict[str, tuple[Any, ...]] = {
    "n": (None, 1),
    "logprobs": (None, False),
    "top_logprobs": (None, 0),
    "modalities": (None, ["text"]),
    "logit_bias": (None, {}),
}


def _join_text_parts(content: Any) -> Any:
    """Join a list of text parts into one text. Raises ValueError for other parts."""
    if not isinstance(content, list):
        return content
    if any(not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str) for part in content):
        raise ValueError(TEXT_ONLY)
    return "\n\n".join(part["text"] for part in content)


@dataclass(frozen=True, slots=True)
class UserContent:
    """The content of a user's message."""

    text: str
    images: tuple[InlineFile, ...] = ()  # not decoded yet


def _parse_user_content(content: Any) -> Any:
    """Parse a text, or a list of text parts and images as data URLs. Raises ValueError for other parts."""
    if not isinstance(content, list):
        return UserContent(content) if isinstance(content, str) else content
    parts = [(part.get("type"), part) if isinstance(part, dict) else ("", {}) for part in content]
    if not all(kind == "image_url" or (kind == "text" and isinstance(part.get("text"), str)) for kind, part in parts):
        raise ValueError(USER_PARTS)
    images = tuple(_image(part) for kind, part in parts if kind == "image_url")
    return UserContent("\n\n".join(part["text"] for kind, part in parts if kind == "text"), images)


def _image(part: dict[str, Any]) -> InlineFile:
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else None
    if not isinstance(url, str) or not url.startswith(SCHEME):
        raise ValueError(NOT_FETCHED)
    return InlineFile(url)


Text = Annotated[str, BeforeValidator(_join_text_parts)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


# Types are strict in both, as in the real API: true is no number and "yes" no boolean. A number such as a temperature may be whole.
class _Loose(BaseModel):
    """Unknown fields are ignored: clients send back objects with fields that we do not need."""

    model_config = ConfigDict(extra="ignore", strict=True)


class _Strict(BaseModel):
    """Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SystemTurn(_Loose):
    role: Literal["system", "developer"]
    content: Text


class UserTurn(_Loose):
    role: Literal["user"]
    content: Annotated[UserContent, BeforeValidator(_parse_user_content)]


class FunctionCall(_Loose):
    name: Name
    arguments: str


class RequestToolCall(_Loose):
    id: Annotated[str, StringConstraints(min_length=1, max_length=1000)]
    type: Literal["function"]
    function: FunctionCall


class AssistantTurn(_Loose):
    role: Literal["assistant"]
    content: Text | None = None
    tool_calls: list[RequestToolCall] | None = None


class ToolTurn(_Loose):
    role: Literal["tool"]
    content: Text
    tool_call_id: str


Turn = Annotated[SystemTurn | UserTurn | AssistantTurn | ToolTurn, Field(discriminator="role")]


class Function(_Strict):
    name: Name
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    strict: bool | None = None


class RequestTool(_Strict):
    type: Literal["function"]
    function: Function


class ToolChoiceFunction(_Strict):
    name: str


class NamedToolChoice(_Strict):
    type: Literal["function"]
    function: ToolChoiceFunction


class TextFormat(_Strict):
    type: Literal["text"]


class JsonFormat(_Strict):
    type: Literal["json_object"]


class JsonSchema(_Strict):
    name: Name
    description: str | None = None
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    strict: bool | None = None


class SchemaFormat(_Strict):
    type: Literal["json_schema"]
    json_schema: JsonSchema


class StreamOptions(_Strict):
    include_usage: bool = False
    include_obfuscation: bool = False


class CompletionRequest(_Strict):
    """The validated request."""

    model: Annotated[str, StringConstraints(min_length=1, max_length=300)]
    messages: Annotated[list[Turn], Field(min_length=1, max_length=MAX_MESSAGES)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    seed: int | None = None
    stop: str | Annotated[list[str], Field(max_length=4)] | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    tools: Annotated[list[RequestTool], Field(max_length=MAX_TOOLS)] | None = None
    tool_choice: Literal["auto", "none", "required"] | NamedToolChoice | None = None
    parallel_tool_calls: bool | None = None
    response_format: Annotated[TextFormat | JsonFormat | SchemaFormat, Field(discriminator="type")] | None = None

    @model_validator(mode="after")
    def _check_consistency(self) -> CompletionRequest:
        if self.stream_options is not None and not self.stream:
            raise ValueError("stream_options needs stream: true.")
        if self.tool_choice not in (None, "none", "auto") and not self.tools:
            raise ValueError("tool_choice needs tools.")
        if isinstance(self.tool_choice, NamedToolChoice) and self.tool_choice.function.name not in self.tool_names:
            raise ValueError("tool_choice names a tool that is not in tools.")
        return self

    @property
    def tool_names(self) -> list[str]:
        return [tool.function.name for tool in self.tools or ()]

    @property
    def answer_format(self) -> dict[str, Any] | None:
        """The JSON that the answer must be, as ModelSettings has it; None for text."""
        match self.response_format:
            case SchemaFormat(json_schema=schema):
                fields = {"name": schema.name, "description": schema.description, "schema": schema.schema_, "strict": schema.strict}
                return {"type": "json_schema", "json_schema": {name: value for name, value in fields.items() if value is not None}}
            case JsonFormat():
                return {"type": "json_object"}
            case _:
                return None

    @property
    def wants_usage(self) -> bool:
        return self.stream_options is not None and self.stream_options.include_usage

    @property
    def wants_thinking(self) -> bool:
        return self.reasoning_effort not in (None, "none")

    @property
    def images(self) -> list[InlineFile]:
        """The images of all messages, in order."""
        return [image for turn in self.messages if isinstance(turn, UserTurn) for image in turn.content.images]

    def request_overrides(self) -> RequestOverrides:
        """Return the caller's own instructions and settings for the answer."""
        stops = [self.stop] if isinstance(self.stop, str) else self.stop or []
        return RequestOverrides(
            instructions="\n\n".join(turn.content for turn in self.messages if isinstance(turn, SystemTurn)).replace("\x00", "").strip(),
            max_output_tokens=self.max_completion_tokens or self.max_tokens,
            temperature=self.temperature,
            top_p=self.top_p,
            presence_penalty=self.presence_penalty,
            frequency_penalty=self.frequency_penalty,
            seed=self.seed,
            stop_sequences=tuple(stop for stop in stops if stop),
        )


_FIELDS: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


def request_parse(body: bytes) -> CompletionRequest:
    """Return the request in a body. Raises TooLarge, and ApiError with the invalid field."""
    if len(body) > MAX_BODY_BYTES:
        raise TooLarge
    try:
        fields = {name: value for name, value in _FIELDS.validate_python(_json(body)).items() if name not in IGNORED_FIELDS}
        for name in _unsupported_fields(fields):
            raise bad_request(
                gettext("Parley does not support another value of %(name)s.") % {"name": name}, param=name, code="unsupported_value"
            )
        return CompletionRequest.model_validate({name: value for name, value in fields.items() if name not in FIXED_FIELDS})
    except ValidationError as exc:
        raise _invalid_request(exc) from None


def _json(body: bytes) -> Any:
    """Parse strict JSON, because NaN and numbers beyond a double could not be stored. Raises ApiError."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as exc:
        raise bad_request(gettext("The request: Invalid JSON: %(exc)s") % {"exc": exc}) from None


def _unsupported_fields(fields: dict[str, Any]) -> Iterator[str]:
    yield from (name for name, values in FIXED_FIELDS.items() if name in fields and not _is_one_of(fields[name], values))


def _is_one_of(candidate: Any, values: tuple[Any, ...]) -> bool:
    return any(type(candidate) is type(value) and candidate == value for value in values)  # True == 1 in Python


def _invalid_request(exc: ValidationError) -> ApiError:
    """Return an error that names the first invalid field. It does not repeat the caller's input."""
    first = first_error(exc)
    param = ".".join(str(part) for part in first["loc"]) or None
    if first["type"] == "extra_forbidden":
        return bad_request(gettext("Unsupported parameter: %(param)s.") % {"param": param}, param=param, code="unsupported_parameter")
    return bad_request(f"{param or gettext('The request')}: {field_reason(first)}", param=param)
