"""What a conversation is made of, as the engine sees it: entries in, a model's response out.

Pure data: no Django, no SDK. One entry is one row of `chat.Part`, one piece of the client's message and one piece of the
model's context (SPEC 3.6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from agents.engine.prefix_cache import BranchPrefixCache

# A provider's own data that must go back to it unchanged (thought signatures, encrypted reasoning): one mapping per
# entry, written and read only by the adapter that names itself in "provider" and bound to the "model" it names.
ProviderMetadata = Mapping[str, Any]

Taint = Literal["private", "untrusted"]
"""What something brings into a run that reads it: what is not for everybody, or text that strangers wrote (SECURITY 27)."""


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the user wrote. `id`: the client's id of a message that was sent into a running answer (SPEC 3.10)."""

    text: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class File:
    """A file that the user attached; `text` is what was read from it. `source`: where it came from, "" for an upload, else a name such as
    "github", where strangers write, too.
    """

    id: str
    name: str
    media_type: str
    size_bytes: int
    text: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class AssistantText:
    """Visible text of the model. `partial`: the stream broke or was stopped before the provider's end mark."""

    text: str
    provider_metadata: ProviderMetadata | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A summary of the model's thinking."""

    text: str
    provider_metadata: ProviderMetadata | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that the model asked for; `id` is unique in the conversation. `by_client`: the client carries it out, not the server."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    provider_metadata: ProviderMetadata | None = None
    by_client: bool = False


class NextStep(StrEnum):
    """What a run does after a tool's result."""

    GO_ON = "go_on"
    FINISH = "finish"  # the tool's call was the answer
    WAIT_FOR_REPLY = "wait_for_reply"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool call gave back; `output` is a JSON value. `denied`: the user did not allow the call.

    `reads`: what it brought into the run, as the tool was when it ran; None: not noted. It says nothing of what came out, so two results
    with the same output are equal.
    """

    call_id: str
    name: str
    output: Any
    is_error: bool = False
    denied: bool = False
    next_step: NextStep = NextStep.GO_ON
    reads: Sequence[Taint] | None = field(default=None, compare=False)


class BuiltinTool(StrEnum):
    """Tools that providers run themselves while they answer (SPEC 4.2); the values are their names on screen and in the admin."""

    WEB_SEARCH = "web_search"
    URL_CONTEXT = "url_context"
    CODE_EXECUTION = "code_execution"
    IMAGE_GENERATION = "image_generation"


@dataclass(frozen=True, slots=True)
class ProviderToolCall:
    """A tool that the provider ran while it answered, with what came out; nothing is left to do for the engine.

    `name`: a BuiltinTool's value. `arguments` and `output` are for people; to its own provider and model it goes back by `provider_metadata`, to
    others as nothing. `id` is unique in the conversation.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]
    output: Any = None
    is_error: bool = False
    provider_metadata: ProviderMetadata | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A web page that an answer rests on; shown to the user, no part of the model's context."""

    url: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """A file that the model made as a part of its answer.

    `id`: of the stored file; "" of one that could not be kept, and `problem` says why, a sentence for the user. `unsaved_base64`: its bytes in
    base64 and `media_type` the provider's word for them, until agents.runtime.files has stored it; never part of an entry.
    """

    id: str
    name: str
    media_type: str
    size_bytes: int = 0
    problem: str = ""
    provider_metadata: ProviderMetadata | None = None
    unsaved_base64: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ArtifactReference:
    """An artifact version that a tool wrote; shown to the user, and known to the model through the tool's result."""

    artifact_id: str
    title: str
    kind: str
    version: int | None
    operation: str
    call_id: str
    status: Literal["streaming", "ready", "stopped", "failed"] = "ready"


@dataclass(frozen=True, slots=True)
class Reminder:
    """A system reminder: visible to the user and to the model.

    `code`: why it was given (stable, for screens and tests). `duration`: for how many further steps it stays in the model's context
    (SPEC 3.8); None: for ever.
    """

    text: str
    code: str = "reminder"
    duration: int | None = None


@dataclass(frozen=True, slots=True)
class ContextData:
    """What the model should know of what lies beside the conversation: data, never instructions, shown to the user, too.

    `name`: its tag in the context ("artifacts"). A later one of the same name tells how things are since then.
    """

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class NoToolCallRetry:
    """The reminder to an agent that must end with the `message` tool and called no tool (SPEC 3.4). `attempt` counts from 1."""

    text: str
    attempt: int


@dataclass(frozen=True, slots=True)
class WorkflowStep:
    """A step of the agent's work that it told the user about; the model knows it from its own call."""

    text: str
    state: Literal["running", "done"] = "running"


@dataclass(frozen=True, slots=True)
class CompactedHistory:
    """Stands for older turns in the model's context (SPEC 3.8): one line each in `text`.

    `covers`: it replaces the branch's first so many entries. `kept`: the place of the one entry among them that stays whole, the newest
    user message; None when that comes later anyway. `dropped`: how many of the oldest turns have not even a line any more.
    """

    text: str
    covers: int
    kept: int | None = None
    turns: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """The run waits until the user allows or refuses this call (SPEC 4.11). Not part of the model's context.

    `reason`: why it asks, where the tool does not always; a sentence for the user.
    """

    approval_id: str
    call_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalResponse:
    """What was decided; the model learns it from the call's result. `reason`: of a refusal, in the user's words."""

    approval_id: str
    call_id: str
    approved: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """The run waits until the client has carried out this call, with these arguments: what is left of the model's own after the server's
    check (SPEC 4.12). Not part of the model's context.
    """

    call_id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ClientOutput:
    """What the client says came of a call, a JSON value; the model learns it from the call's result."""

    call_id: str
    output: Any
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ClientData:
    """A data part that is kept (suggestions, say): shown to the user, no part of the model's context."""

    name: str
    data: Mapping[str, Any]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A status line for the user (stopped, failed, step limit); never part of the model's context.

    `action`: what the screen offers next.
    """

    code: str
    text: str
    level: Literal["info", "warning", "error"] = "info"
    action: Literal["retry", "continue", "settings"] | None = None


@dataclass(frozen=True, slots=True)
class SubAgentEntry:
    """An entry of a sub-agent's own run, under the call that the sub-agent works for; nothing for the model that made the call.

    `agent`: the sub-agent's key. An entry of a sub-agent's sub-agent is wrapped twice.
    """

    call_id: str
    agent: str
    entry: Entry


Entry = (
    UserMessage
    | File
    | AssistantText
    | Reasoning
    | ToolCall
    | ToolResult
    | ProviderToolCall
    | Source
    | AnswerFile
    | ArtifactReference
    | Reminder
    | ContextData
    | NoToolCallRetry
    | WorkflowStep
    | CompactedHistory
    | ApprovalRequest
    | ApprovalResponse
    | ClientRequest
    | ClientOutput
    | ClientData
    | Notice
    | SubAgentEntry
)
ResponseEntry = AssistantText | Reasoning | ToolCall | ProviderToolCall | Source | AnswerFile


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more model calls. `output_tokens` leaves thinking out.

    `input_tokens` contains those that the provider's cache had (`cached_tokens`), those that it took (`cache_write_tokens`), and those
    that the provider's own tools brought in, where it counts them apart (`tool_tokens`).
    """

    input_tokens: int = 0
    output_tokens: int = 0
    thinking_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    tool_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.thinking_tokens + other.thinking_tokens,
            self.cached_tokens + other.cached_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.tool_tokens + other.tool_tokens,
        )


class FinishReason(StrEnum):
    """Why a model stopped; the values are the AI SDK's."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool-calls"
    CONTENT_FILTER = "content-filter"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """One whole answer. Its text and reasoning entries are the deltas' runs, one entry per run, in order; among them, at their place,
    what the provider ran itself and its sources.

    `malformed_call`: what was wrong with a tool call that could not be read, such as "it was not valid JSON."; then there are no calls
    in `entries`, also when others could be read. "": nothing was. `notice`: what the user is told of where the answer came from, when
    that was not the best endpoint (SPEC 2.6).

    `usage` is the sum of `parts`, what each request behind a continued answer took; (): there was one. `prompt_tokens`: what the prompt
    alone took as it was first sent, where that is not `usage.input_tokens`.
    """

    entries: tuple[ResponseEntry, ...]
    finish_reason: FinishReason
    usage: Usage = field(default_factory=Usage)
    model_version: str = ""
    malformed_call: str = ""
    notice: str = ""
    parts: tuple[Usage, ...] = ()
    prompt_tokens: int | None = None

    @property
    def usages(self) -> tuple[Usage, ...]:
        """Of each request: what it costs depends on how long its own prompt was."""
        return self.parts or (self.usage,)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(entry for entry in self.entries if isinstance(entry, ToolCall))


ProviderPart = ProviderToolCall | Source | AnswerFile  # shown whole while the answer comes
ModelEvent = TextDelta | ReasoningDelta | ProviderPart | ModelResponse


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as the model is told of it; `input_schema` is a JSON schema of type object."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """`stable` first, so that a provider's prompt cache keeps it; `changing` (date, user) after it."""

    stable: str
    changing: str = ""

    def __str__(self) -> str:
        return "\n\n".join(part for part in (self.stable, self.changing) if part)


NativeFileKind = Literal["image", "pdf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Settings of one model call; None: the provider's own default. `thinking_budget` in tokens; None: thinking is off (SPEC 2.4).

    `tool_choice`: "auto", "none", "required" or the name of the one tool that must be called. `native_files`: the kinds of files
    that the model is given as they are. `provider_options`: further fields of the provider's own request, as its API documents them.
    `reasons`: whether it is a reasoning model, which takes no sampling settings; None: its name tells.
    """

    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    stop_sequences: tuple[str, ...] = ()
    tool_choice: str = "auto"
    thinking_budget: int | None = None
    thinking_level: Literal["minimal", "low", "medium", "high"] | None = None
    builtin_tools: tuple[BuiltinTool, ...] = ()
    native_files: tuple[NativeFileKind, ...] = ()
    provider_options: Mapping[str, Any] = field(default_factory=dict)
    reasons: bool | None = None


@dataclass(slots=True)
class CallMeter:
    """What a model call took, also one that failed, was cut or stopped: its adapter adds each attempt when that ends, however it ends."""

    attempts: int = 0
    usages: list[Usage] = field(default_factory=list)
    model_version: str = ""

    @property
    def usage(self) -> Usage:
        """The sum."""
        return sum(self.usages, Usage())

    def add(self, model_version: str, *usages: Usage) -> None:
        """One more attempt, with what the provider said of each of its requests before its end."""
        self.attempts += 1
        self.usages += usages
        self.model_version = model_version or self.model_version


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """All that a provider adapter needs for one call. `meter` is no part of it: the adapter writes there what the call took. Nor is `prefix_cache`:
    there it keeps what it made of the entries, for the next call on their branch.

    `attachments`: the bytes of files among `entries` that the model is given as they are, by the File's id; all others go as text.
    """

    model: str
    system: SystemPrompt
    entries: tuple[Entry, ...]
    tools: tuple[ToolDefinition, ...] = ()
    settings: ModelSettings = field(default_factory=ModelSettings)
    attachments: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    meter: CallMeter = field(default_factory=CallMeter, compare=False, repr=False)
    prefix_cache: BranchPrefixCache = field(default_factory=BranchPrefixCache, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DataPart:
    """Own data for the client: an AI SDK `data-<name>` part. Same name and id replaces; transient is not kept."""

    name: str
    data: Mapping[str, Any]
    id: str | None = None
    transient: bool = False
