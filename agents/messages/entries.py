"""The entries of a conversation. An entry is stored as one row of `chat.Part`, shown as one piece of the client's message and sent as one
piece of the model's context (SPEC 3.6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from agents.messages.display import (
    ApprovalRequest,
    ApprovalResponse,
    ArtifactReference,
    ClientData,
    ClientOutput,
    ClientRequest,
    Notice,
    Source,
    WorkflowStep,
)

# A provider's own data that must be returned to it unchanged (thought signatures, encrypted reasoning): one mapping per entry. Only
# the adapter named under "provider" writes and reads it, and it is valid only for the model named under "model".
ProviderMetadata = Mapping[str, Any]

Taint = Literal["private", "untrusted"]
"""What kind of data a run takes in when it reads something: private data, or text that strangers wrote (SECURITY 27)."""


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the user wrote."""

    text: str
    id: str = ""  # the client's id of a message that was sent into a running answer (SPEC 3.10)


TOOL_SOURCE = "tool"  # the source of a File that came with a tool's result


@dataclass(frozen=True, slots=True)
class File:
    """A file that the user attached, or an image that came with a tool's result."""

    id: str
    name: str
    media_type: str
    size_bytes: int
    text: str = ""  # the text extracted from it
    source: str = ""  # "" for an upload, else its origin, such as "github" or TOOL_SOURCE, where strangers can write too
    pages: int | None = None  # of a PDF file; 0: it is broken or encrypted; None: unknown. It comes with the text

    @property
    def from_tool(self) -> bool:
        """Whether it came with a tool's result."""
        return self.source == TOOL_SOURCE


@dataclass(frozen=True, slots=True)
class AssistantText:
    """Visible text of the model."""

    text: str
    provider_metadata: ProviderMetadata | None = None
    partial: bool = False  # the stream broke or was stopped before the provider's end marker
    from_caller: bool = False  # an API caller sent it as part of the history; no model of ours wrote it


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A summary of the model's thinking."""

    text: str
    provider_metadata: ProviderMetadata | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that the model requested."""

    id: str  # unique in the conversation
    name: str
    arguments: Mapping[str, Any]
    provider_metadata: ProviderMetadata | None = None
    by_client: bool = False  # executed by the client, not by the server


class NextStep(StrEnum):
    """What a run does after a tool's result. Ordered by precedence, lowest first (StepOutcome.set_next_step)."""

    GO_ON = "go_on"
    FINISH = "finish"  # the tool call was the answer
    WAIT_FOR_REPLY = "wait_for_reply"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call. `reads` is ignored in comparisons, so two results with the same output are equal."""

    call_id: str
    name: str
    output: Any  # a JSON value
    is_error: bool = False
    denied: bool = False  # the user did not allow the call
    next_step: NextStep = NextStep.GO_ON
    # what kinds of data it returned, by the tool's traits when it ran; None: not recorded
    reads: Sequence[Taint] | None = field(default=None, compare=False)
    origin: str = field(default="", compare=False)  # the host that the call went to; "": none, or not recorded


class BuiltinTool(StrEnum):
    """Tools that providers run themselves while they answer (SPEC 4.2).

    The values are shown as their names in the user interface and in the admin.
    """

    WEB_SEARCH = "web_search"
    URL_CONTEXT = "url_context"
    CODE_EXECUTION = "code_execution"
    IMAGE_GENERATION = "image_generation"


@dataclass(frozen=True, slots=True)
class ProviderToolCall:
    """A tool that the provider ran while it answered, with its output. The engine has nothing left to do for it.

    `arguments` and `output` are for people. The call goes back to its own provider and model through
    `provider_metadata`; other models are not sent it.
    """

    id: str  # unique in the conversation
    name: str  # a BuiltinTool's value
    arguments: Mapping[str, Any]
    output: Any = None
    is_error: bool = False
    provider_metadata: ProviderMetadata | None = None


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """A file that the model generated as part of its answer."""

    id: str  # of the stored file; "" when it could not be stored
    name: str
    media_type: str  # the provider's own value until the file is stored
    size_bytes: int = 0
    problem: str = ""  # a sentence for the user: why it could not be stored
    provider_metadata: ProviderMetadata | None = None
    # Its content until agents.runtime.files has stored it; never part of an entry.
    unsaved_base64: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reminder:
    """A system reminder, visible to both the user and the model."""

    text: str
    code: str = "reminder"  # why it was given; stable, for the user interface and tests
    duration: int | None = None  # for how many further steps it stays in the model's context (SPEC 3.8); None: forever


@dataclass(frozen=True, slots=True)
class ContextData:
    """Data about something outside the conversation, such as artifacts; for the model, and shown to the user too.

    It is data, never instructions. A later entry with the same name supersedes it.
    """

    name: str  # its tag in the context, such as "artifacts"
    text: str


@dataclass(frozen=True, slots=True)
class NoToolCallRetry:
    """A reminder for an agent that must end with the `message` tool but called no tool (SPEC 3.4)."""

    text: str
    attempt: int  # from 1


@dataclass(frozen=True, slots=True)
class CompactedHistory:
    """Replaces older turns in the model's context (SPEC 3.8)."""

    text: str  # one line per turn
    covers: int  # how many entries, from the start of the branch, it replaces
    # Index of the newest user message, if it is among the covered entries: it stays in the context unshortened. Else
    # None.
    kept: int | None = None
    turns: int = 0
    dropped: int = 0  # how many of the oldest turns no longer have a line


@dataclass(frozen=True, slots=True)
class SubAgentEntry:
    """An entry of a sub-agent's run, stored under the tool call that started it. Not sent to the model that made the call.

    An entry of a sub-agent's sub-agent is wrapped twice.
    """

    call_id: str
    agent: str  # the sub-agent's key
    entry: Entry


# Entries that only people see: never part of a model's context.
ShownEntry = (
    Source
    | ArtifactReference
    | WorkflowStep
    | ApprovalRequest
    | ApprovalResponse
    | ClientRequest
    | ClientOutput
    | ClientData
    | Notice
    | SubAgentEntry
)
Entry = (
    UserMessage
    | File
    | AssistantText
    | Reasoning
    | ToolCall
    | ToolResult
    | ProviderToolCall
    | AnswerFile
    | Reminder
    | ContextData
    | NoToolCallRetry
    | CompactedHistory
    | ShownEntry
)
ResponseEntry = AssistantText | Reasoning | ToolCall | ProviderToolCall | Source | AnswerFile
