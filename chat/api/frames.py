"""The page state that a request may bring (SPEC 4.12): a small JSON object with plain names as keys.

What a client may send (docs/protocol.md; AI SDK 7 WebSocketChatTransport): the only place where its JSON is trusted.

The client sends text and ids; history, roles and results in its frames are not read (SECURITY 19).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from agents.engine.messages import ClientOutput
from agents.runtime.page_state import MAX_BYTES, MAX_DEPTH, is_too_deep, size_of
from chat.conversations.services import NewMessage
from chat.entries import json_safe
from chat.stream.chunks import FILE_SCHEME
from files.inline_files import SCHEME as DATA, InlineFile
from files.links import file_id_from_url
from files.models import File
from tenants.errors import BadRequest

MAX_KEYS: Final = 50
KEY_PATTERN: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # what every provider takes for the name of an argument


def page_state_validate(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state as it is stored. Raises ValueError, in words."""
    if len(state) > MAX_KEYS:
        raise ValueError(f"The page state has {len(state)} keys, {MAX_KEYS} are possible.")
    if not all(KEY_PATTERN.fullmatch(key) for key in state):
        raise ValueError("A key of the page state has 1 to 64 letters, digits and the characters _ . -")
    if is_too_deep(state):
        raise ValueError(f"The page state is nested more than {MAX_DEPTH} levels deep.")
    clean: dict[str, Any] = json_safe(state)
    if size_of(clean) > MAX_BYTES:
        raise ValueError(f"The page state is larger than {MAX_BYTES // 1024} KB. Hand over only what the assistant needs.")
    return clean


MAX_FRAME_BYTES = 64 * 1024
TOO_LONG = "What was sent is larger than 64 KB. Shorten the message, or attach the text as a file."
MAX_ERROR_TEXT_CHARS = 2000  # characters of what a client says went wrong
ClientId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", protected_namespaces=())


class _Loose(BaseModel):
    """Parts of a message that come back from a client as we sent them: only what is declared here is read."""

    model_config = ConfigDict(extra="ignore")


class ApprovalDecision(_Loose):
    """What the user said of a tool call that asked first. `id`: the approval's."""

    id: UUID
    approved: bool
    reason: Annotated[str, StringConstraints(max_length=500, strip_whitespace=True)] = ""


class MessagePart(_Loose):
    type: str
    text: str = ""
    state: Any = None
    approval: Any = None
    tool_call_id: Any = Field(default=None, alias="toolCallId")
    output: Any = None
    error_text: Any = Field(default=None, alias="errorText")
    url: str | None = None
    filename: str | None = None

    @property
    def client_output(self) -> ClientOutput | None:
        """What the client says came of a tool call. Which calls are the client's is known to the server alone."""
        match self.state, self.tool_call_id:
            case "output-available", str(call_id):
                return ClientOutput(call_id, self.output)
            case "output-error", str(call_id):
                return ClientOutput(call_id, str(self.error_text)[:MAX_ERROR_TEXT_CHARS], is_error=True)
            case _:
                return None

    @property
    def inline(self) -> bool:
        """Whether a `file` part holds its file itself."""
        return (self.url or "").startswith(DATA)

    @property
    def file_id(self) -> UUID:
        """The upload that a `file` part names. Raises BadRequest: no other address is looked up."""
        scheme, _, file_id = (self.url or "").partition(":")
        try:
            found = UUID(file_id) if scheme == FILE_SCHEME else file_id_from_url(self.url or "")
        except ValueError:
            found = None
        if found is None:
            raise BadRequest(f"A file part holds a data URL, or names an uploaded file: its address, or {FILE_SCHEME}:<id>.")
        return found


class ClientMessage(_Loose):
    id: Annotated[str, StringConstraints(max_length=64)] = ""
    role: Literal["user", "assistant", "system"]
    parts: list[MessagePart] = Field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n\n".join(part.text for part in self.parts if part.type == "text" and part.text)

    @property
    def files(self) -> list[MessagePart]:
        return [part for part in self.parts if part.type == "file"] if self.role == "user" else []

    @property
    def decided(self) -> list[ApprovalDecision]:
        """The decisions in an answer that comes back. Raises BadRequest."""
        answered = [part.approval for part in self.parts if part.state == "approval-responded" and self.role == "assistant"]
        try:
            return [ApprovalDecision.model_validate(approval) for approval in answered]
        except ValidationError as exc:
            raise invalid_request(exc) from exc

    @property
    def outputs(self) -> list[ClientOutput]:
        """The results of tool calls in an answer that comes back."""
        given = [part.client_output for part in self.parts] if self.role == "assistant" else []
        return [output for output in given if output is not None]


class ChatOptions(_Strict):
    """The transport's `body`: what the composer has chosen."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=(), populate_by_name=True)

    model_config_id: UUID | None = Field(default=None, alias="modelId")
    thinking: bool = False
    page_state: Annotated[dict[str, Any], AfterValidator(page_state_validate)] | None = Field(default=None, alias="pageState")


class ChatRequest(_Strict):
    """One send or regenerate, over a socket frame or as the body of POST /api/chat."""

    id: ClientId
    trigger: Literal["submit-message", "regenerate-message"] = "submit-message"
    message_id: str | None = Field(default=None, alias="messageId")
    messages: list[ClientMessage] = Field(default_factory=list)
    options: ChatOptions = Field(default_factory=ChatOptions)

    @property
    def decided(self) -> list[ApprovalDecision]:
        """The decisions that this request sends instead of a message. Raises BadRequest."""
        return self.messages[-1].decided if self.messages and self.trigger == "submit-message" else []

    @property
    def outputs(self) -> list[ClientOutput]:
        """What this request says of tool calls instead of a message."""
        return self.messages[-1].outputs if self.messages and self.trigger == "submit-message" else []

    @property
    def inline_files(self) -> list[InlineFile]:
        """The files that the message to send holds itself, not decoded yet."""
        files = self.messages[-1].files if self.messages and self.trigger == "submit-message" else []
        return [InlineFile(part.url or "", part.filename or "") for part in files if part.inline]

    def as_new_message(self, inline_files: Sequence[File] = ()) -> NewMessage:
        """`inline_files`: the files made of what the property gave. Raises BadRequest when there is no user message at the end."""
        last = self.messages[-1] if self.messages else None
        if last is None or last.role != "user":
            raise BadRequest("There is no message to send.")
        new = iter(inline_files)
        return NewMessage(
            key=self.id,
            text=last.text,
            file_ids=tuple(next(new).pk if part.inline else part.file_id for part in last.files),
            inline_files=tuple(inline_files),
            client_msg_id=last.id,
            model_config_id=self.options.model_config_id,
            thinking=self.options.thinking,
            page_state=self.options.page_state or None,
        )


class SendFrame(_Strict):
    type: Literal["send"]
    request_id: ClientId = Field(alias="requestId")
    id: ClientId
    trigger: Literal["submit-message", "regenerate-message"]
    message_id: str | None = Field(default=None, alias="messageId")
    messages: list[ClientMessage]
    headers: dict[str, Any] | None = None
    body: ChatOptions = Field(default_factory=ChatOptions)
    metadata: Any = None

    def as_request(self) -> ChatRequest:
        return ChatRequest(id=self.id, trigger=self.trigger, messageId=self.message_id, messages=self.messages, options=self.body)


class ResumeFrame(_Strict):
    type: Literal["resume"]
    request_id: ClientId = Field(alias="requestId")
    id: ClientId
    headers: dict[str, Any] | None = None
    body: Any = None
    metadata: Any = None


class AbortFrame(_Strict):
    type: Literal["abort"]
    request_id: ClientId = Field(alias="requestId")


ClientFrame = Annotated[SendFrame | ResumeFrame | AbortFrame, Field(discriminator="type")]
_FRAMES: TypeAdapter[SendFrame | ResumeFrame | AbortFrame] = TypeAdapter(ClientFrame)
_SDK_FIELDS = {"id", "trigger", "messageId", "messages"}


def frame_parse(text: str) -> SendFrame | ResumeFrame | AbortFrame:
    """Raises BadRequest."""
    if len(text.encode()) > MAX_FRAME_BYTES:
        raise BadRequest(TOO_LONG)
    try:
        return _FRAMES.validate_json(text)
    except ValidationError as exc:
        raise invalid_request(exc) from exc


def request_parse(body: bytes) -> ChatRequest:
    """The body of POST /api/chat: the SDK's fields, and beside them the options. Raises BadRequest."""
    try:
        fields = TypeAdapter(dict[str, Any]).validate_json(body)
        own = {name: fields[name] for name in fields if name in _SDK_FIELDS}
        return ChatRequest.model_validate({**own, "options": {name: fields[name] for name in fields if name not in _SDK_FIELDS}})
    except ValidationError as exc:
        raise invalid_request(exc) from exc


def invalid_request(exc: ValidationError) -> BadRequest:
    """The first thing that does not fit, by name; what was sent is not repeated."""
    first = exc.errors(include_url=False, include_input=False)[0]
    return BadRequest(f"The request could not be read: {'.'.join(map(str, first['loc'])) or 'body'}: {first['msg']}.")
