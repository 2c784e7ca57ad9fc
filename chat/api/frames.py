"""The JSON that chat clients send: socket frames and the body of POST /api/chat (docs/protocol.md; AI SDK 7 WebSocketChatTransport).

This module and `client_messages` are the only ones that validate it. The client's copy of the history is ignored (SECURITY 19).
Requests may carry a page state (SPEC 4.12).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from admin_config.services.switches import MAX_KEY_CHARS, MAX_SWITCHES
from agents.messages import ClientOutput
from agents.runtime.page_state import MAX_BYTES, MAX_DEPTH, is_too_deep, size_of
from chat.api.client_messages import ApprovalDecision, ClientMessage, MessageId
from chat.conversations.services import NewMessage
from chat.entries import json_safe
from files.inline_files import InlineFile
from files.models import File
from tenants.errors import BadRequest
from tenants.rest.field_errors import validation_error

MAX_KEYS: Final = 50
MAX_PAGE_TOOLS: Final = 50
KEY_PATTERN: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # what every provider accepts as the name of an argument
MAX_SEND_BYTES = 1024 * 1024  # the SDK's transport sends the whole history, of which only the last message is read
MAX_OTHER_FRAME_BYTES = 64 * 1024
OTHER_TOO_LONG = gettext_lazy("Only a message may be larger than 64 KB.")
_SDK_FIELDS = {"id", "trigger", "messageId", "messages"}


PageToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
SwitchKey = Annotated[str, StringConstraints(max_length=MAX_KEY_CHARS)]


class FrameTooLong(BadRequest):
    """The socket is closed after it."""

    message = gettext_lazy("What was sent is larger than 1 MB. Send only the last message, or attach the text as a file.")


def page_state_validate(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the page state in storable form: a small JSON object with plain names as keys.

    Raises ValueError, whose message is shown to the client.
    """
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


ClientId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
AssistantKey = Annotated[str, StringConstraints(max_length=80, pattern=r"^[a-z0-9_]*$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", protected_namespaces=())


class ChatOptions(_Strict):
    """The options that the user has chosen in the composer; the `body` of the SDK's transport."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=(), populate_by_name=True)

    model_config_id: UUID | None = Field(default=None, alias="modelId")
    thinking: bool = False
    switches: dict[SwitchKey, bool] = Field(default_factory=dict, max_length=MAX_SWITCHES)
    # The key of an assistant, or "" for the chat agent. Left out: who was chosen in the conversation.
    assistant: AssistantKey | None = None
    page_state: Annotated[dict[str, Any], AfterValidator(page_state_validate)] | None = Field(default=None, alias="pageState")
    page_tools: list[PageToolName] = Field(default_factory=list, max_length=MAX_PAGE_TOOLS, alias="pageTools")
    # Of a new conversation; ignored in one that exists.
    project_id: UUID | None = Field(default=None, alias="projectId")
    temporary: bool = False


class ChatRequest(_Strict):
    """A request to send a message or to regenerate an answer, as a socket frame or as the body of POST /api/chat."""

    id: ClientId
    trigger: Literal["submit-message", "regenerate-message"] = "submit-message"
    message_id: MessageId | None = Field(default=None, alias="messageId")
    messages: list[ClientMessage] = Field(default_factory=list)
    options: ChatOptions = Field(default_factory=ChatOptions)

    @property
    def decisions(self) -> list[ApprovalDecision]:
        """The decisions that this request contains instead of a message. Raises BadRequest."""
        return self.messages[-1].decisions if self.messages and self.trigger == "submit-message" else []

    @property
    def outputs(self) -> list[ClientOutput]:
        """The outputs of tool calls that this request contains instead of a message."""
        return self.messages[-1].outputs if self.messages and self.trigger == "submit-message" else []

    @property
    def inline_files(self) -> list[InlineFile]:
        """The files that the new message contains as data URLs, not decoded yet."""
        files = self.messages[-1].files if self.messages and self.trigger == "submit-message" else []
        return [InlineFile(part.url or "", part.filename or "") for part in files if part.inline]

    def as_new_message(self, inline_files: Sequence[File] = ()) -> NewMessage:
        """Return the new message. `inline_files`: the files created from the property `inline_files`, in the same order.

        Raises BadRequest when the last message is not the user's, or a file part names no uploaded file.
        """
        last = self.messages[-1] if self.messages else None
        if last is None or last.role != "user":
            raise BadRequest(gettext("There is no message to send."))
        new = iter(inline_files)
        return NewMessage(
            key=self.id,
            text=last.text,
            file_ids=tuple(next(new).pk if part.inline else part.file_id for part in last.files),
            inline_files=tuple(inline_files),
            client_msg_id=last.id,
            edited_id=self.message_id or "",
            model_config_id=self.options.model_config_id,
            thinking=self.options.thinking,
            switches=self.options.switches,
            assistant=self.options.assistant,
            page_state=self.options.page_state or None,
            page_tools=self.options.page_tools,
            project_id=self.options.project_id,
            temporary=self.options.temporary,
        )


class SendFrame(_Strict):
    """Sends a message or regenerates an answer, and follows it."""

    type: Literal["send"]
    request_id: ClientId = Field(alias="requestId")
    id: ClientId
    trigger: Literal["submit-message", "regenerate-message"]
    message_id: MessageId | None = Field(default=None, alias="messageId")
    messages: list[ClientMessage]
    headers: dict[str, Any] | None = None
    body: ChatOptions = Field(default_factory=ChatOptions)
    metadata: Any = None

    def as_request(self) -> ChatRequest:
        return ChatRequest(id=self.id, trigger=self.trigger, messageId=self.message_id, messages=self.messages, options=self.body)


class ResumeFrame(_Strict):
    """Follows the current answer of a conversation from its start."""

    type: Literal["resume"]
    request_id: ClientId = Field(alias="requestId")
    id: ClientId
    headers: dict[str, Any] | None = None
    body: Any = None
    metadata: Any = None


class AbortFrame(_Strict):
    """Stops following an answer. The run continues."""

    type: Literal["abort"]
    request_id: ClientId = Field(alias="requestId")


ClientFrame = Annotated[SendFrame | ResumeFrame | AbortFrame, Field(discriminator="type")]
_OBJECT = TypeAdapter(dict[str, Any])
_FRAMES: TypeAdapter[SendFrame | ResumeFrame | AbortFrame] = TypeAdapter(ClientFrame)


def frame_parse(text: str) -> SendFrame | ResumeFrame | AbortFrame:
    """Return the frame in a socket's text. Raises FrameTooLong and other BadRequest."""
    size_bytes = len(text.encode())
    if size_bytes > MAX_SEND_BYTES:
        raise FrameTooLong
    try:
        frame = _FRAMES.validate_python(_without_history(_OBJECT.validate_json(text)))
    except ValidationError as exc:
        raise validation_error(exc) from exc
    if size_bytes > MAX_OTHER_FRAME_BYTES and not isinstance(frame, SendFrame):
        raise FrameTooLong(OTHER_TOO_LONG)
    return frame


def request_parse(body: bytes) -> ChatRequest:
    """Return the request in the body of POST /api/chat, where the options stand next to the SDK's fields. Raises BadRequest."""
    try:
        fields = _without_history(_OBJECT.validate_json(body))
        own = {name: fields[name] for name in fields if name in _SDK_FIELDS}
        return ChatRequest.model_validate({**own, "options": {name: fields[name] for name in fields if name not in _SDK_FIELDS}})
    except ValidationError as exc:
        raise validation_error(exc) from exc


def _without_history(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields with the last message alone. The others may be anything that a client keeps."""
    messages = fields.get("messages")
    return {**fields, "messages": messages[-1:]} if isinstance(messages, list) else fields
