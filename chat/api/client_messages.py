"""The UI messages that chat clients send (docs/protocol.md): the user's new one, or an answer with decisions and outputs of client calls.

Of a message, only what is declared here is read.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from agents.messages import ClientOutput
from chat.stream.chunks import FILE_SCHEME
from files.inline_files import SCHEME as DATA
from files.signed_urls import file_id_from_url
from tenants.errors import BadRequest
from tenants.rest.field_errors import validation_error

MAX_ERROR_TEXT_CHARS = 2000  # of the error text of a client call
MessageId = Annotated[str, StringConstraints(max_length=64, pattern=r"^[^\x00]*$")]


class _Loose(BaseModel):
    """For messages that a client sends back to us: fields that are not declared are ignored."""

    model_config = ConfigDict(extra="ignore")


class ApprovalDecision(_Loose):
    """The user's decision about a tool call that needs approval. `id`: the approval's id."""

    id: UUID
    approved: bool
    reason: Annotated[str, StringConstraints(max_length=500, strip_whitespace=True)] = ""


class MessagePart(_Loose):
    """A part of a message: text, a file, or a tool call with its decision or output."""

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
        """The output of a tool call in this part, or None. It may be any call's: only the server knows which are client calls."""
        match self.state, self.tool_call_id:
            case "output-available", str(call_id):
                return ClientOutput(call_id, self.output)
            case "output-error", str(call_id):
                return ClientOutput(call_id, str(self.error_text)[:MAX_ERROR_TEXT_CHARS], is_error=True)
            case _:
                return None

    @property
    def inline(self) -> bool:
        """Whether a `file` part contains its file as a data URL."""
        return (self.url or "").startswith(DATA)

    @property
    def file_id(self) -> UUID:
        """The id of the uploaded file that a `file` part names. Raises BadRequest for any other URL; none is fetched."""
        scheme, _, file_id = (self.url or "").partition(":")
        try:
            upload_id = UUID(file_id) if scheme == FILE_SCHEME else file_id_from_url(self.url or "")
        except ValueError:
            upload_id = None
        if upload_id is None:
            raise BadRequest(
                gettext("A file part holds a data URL, or names an uploaded file: its address, or %(file_scheme)s:<id>.")
                % {"file_scheme": FILE_SCHEME}
            )
        return upload_id


class ClientMessage(_Loose):
    """A UIMessage: the user's new message, or an answer that the client sends back with decisions or outputs."""

    id: MessageId = ""
    role: Literal["user", "assistant", "system"]
    parts: list[MessagePart] = Field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n\n".join(part.text for part in self.parts if part.type == "text" and part.text)

    @property
    def files(self) -> list[MessagePart]:
        return [part for part in self.parts if part.type == "file"] if self.role == "user" else []

    @property
    def decisions(self) -> list[ApprovalDecision]:
        """The decisions in an answer that the client sends back. Raises BadRequest."""
        approvals = [part.approval for part in self.parts if part.state == "approval-responded" and self.role == "assistant"]
        try:
            return [ApprovalDecision.model_validate(approval) for approval in approvals]
        except ValidationError as exc:
            raise validation_error(exc) from exc

    @property
    def outputs(self) -> list[ClientOutput]:
        """The outputs of tool calls in an answer that the client sends back."""
        outputs = [part.client_output for part in self.parts] if self.role == "assistant" else []
        return [output for output in outputs if output is not None]
