"""What a client may send (docs/protocol.md; AI SDK 7 WebSocketChatTransport): the only place where its JSON is trusted.

The client sends text and ids; history, roles and results in its frames are not read (SECURITY 19).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from chat.chunks import FILE_SCHEME
from chat.services import Send
from tenants.errors import BadRequest

FRAME_MAX_BYTES = 64 * 1024
ClientId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", protected_namespaces=())


class _Loose(BaseModel):
    """Parts of a message that come back from a client as we sent them: only what is declared here is read."""

    model_config = ConfigDict(extra="ignore")


class Decided(_Loose):
    """What the user said of a tool call that asked first. `id`: the approval's."""

    id: UUID
    approved: bool
    reason: Annotated[str, StringConstraints(max_length=500, strip_whitespace=True)] = ""


class MessagePart(_Loose):
    type: str
    text: str = ""
    state: Any = None
    approval: Any = None
    url: Annotated[str, StringConstraints(max_length=200)] | None = None

    @property
    def file_id(self) -> UUID:
        """Of a `file` part. Raises BadRequest: files come as uploads, never as data or addresses."""
        scheme, _, file_id = (self.url or "").partition(":")
        try:
            if scheme == FILE_SCHEME:
                return UUID(file_id)
        except ValueError:
            pass
        raise BadRequest(f"A file part names an uploaded file: its url is {FILE_SCHEME}:<id>.")


class ClientMessage(_Loose):
    id: Annotated[str, StringConstraints(max_length=64)] = ""
    role: Literal["user", "assistant", "system"]
    parts: list[MessagePart] = Field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n\n".join(part.text for part in self.parts if part.type == "text" and part.text)

    @property
    def file_ids(self) -> tuple[UUID, ...]:
        return tuple(part.file_id for part in self.parts if part.type == "file")

    @property
    def decided(self) -> list[Decided]:
        """The decisions in an answer that comes back. Raises BadRequest."""
        answered = [part.approval for part in self.parts if part.state == "approval-responded" and self.role == "assistant"]
        try:
            return [Decided.model_validate(approval) for approval in answered]
        except ValidationError as exc:
            raise unreadable(exc) from exc


class ChatOptions(_Strict):
    """The transport's `body`: what the composer has chosen."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=(), populate_by_name=True)

    model_config_id: UUID | None = Field(default=None, alias="modelId")
    thinking: bool = False


class ChatRequest(_Strict):
    """One send or regenerate, over a socket frame or as the body of POST /api/chat."""

    id: ClientId
    trigger: Literal["submit-message", "regenerate-message"] = "submit-message"
    message_id: str | None = Field(default=None, alias="messageId")
    messages: list[ClientMessage] = Field(default_factory=list)
    options: ChatOptions = Field(default_factory=ChatOptions)

    @property
    def decided(self) -> list[Decided]:
        """The decisions that this request sends instead of a message. Raises BadRequest."""
        return self.messages[-1].decided if self.messages and self.trigger == "submit-message" else []

    def as_send(self) -> Send:
        """Raises BadRequest when there is no user message at the end."""
        last = self.messages[-1] if self.messages else None
        if last is None or last.role != "user":
            raise BadRequest("There is no message to send.")
        return Send(
            key=self.id,
            text=last.text,
            file_ids=last.file_ids,
            client_msg_id=last.id,
            model_config_id=self.options.model_config_id,
            thinking=self.options.thinking,
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
_OWN_FIELDS = {"id", "trigger", "messageId", "messages"}


def frame_parse(text: str) -> SendFrame | ResumeFrame | AbortFrame:
    """Raises BadRequest."""
    if len(text.encode()) > FRAME_MAX_BYTES:
        raise BadRequest("The message is too long. Shorten it or send it in parts.")
    try:
        return _FRAMES.validate_json(text)
    except ValidationError as exc:
        raise unreadable(exc) from exc


def request_parse(body: bytes) -> ChatRequest:
    """The body of POST /api/chat: the SDK's fields, and beside them the options. Raises BadRequest."""
    try:
        fields = TypeAdapter(dict[str, Any]).validate_json(body)
        own = {name: fields[name] for name in fields if name in _OWN_FIELDS}
        return ChatRequest.model_validate({**own, "options": {name: fields[name] for name in fields if name not in _OWN_FIELDS}})
    except ValidationError as exc:
        raise unreadable(exc) from exc


def unreadable(exc: ValidationError) -> BadRequest:
    """The first thing that does not fit, by name; what was sent is not repeated."""
    first = exc.errors(include_url=False, include_input=False)[0]
    return BadRequest(f"The request could not be read: {'.'.join(map(str, first['loc'])) or 'body'}: {first['msg']}.")
