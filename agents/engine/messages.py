"""The data types of a conversation as the engine sees it: entries, model requests and responses.

Pure data: no Django, no SDK. An entry is stored as one row of `chat.Part`, shown as one piece of the client's message
and sent as one piece of the model's context (SPEC 3.6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from agents.engine.prefix_cache import BranchPrefixCache

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
class Source:
    """A web page that an answer is based on; shown to the user, not part of the model's context."""

    url: str
    title: str = ""


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
class ArtifactReference:
    """An artifact version that a tool wrote. Shown to the user; the model knows of it through the tool's result."""

    artifact_id: str
    title: str
    kind: str
    version: int | None
    operation: str
    call_id: str
    status: Literal["streaming", "ready", "stopped", "failed"] = "ready"


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
class WorkflowStep:
    """A step of the agent's work that it reported to the user; the model knows of it from its own call."""

    text: str
    state: Literal["running", "done"] = "running"


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
class ApprovalRequest:
    """The run waits until the user allows or refuses this call (SPEC 4.11). Not part of the model's context."""

    approval_id: str
    call_id: str
    reason: str = ""  # a sentence for the user: why approval is needed, unless the tool always asks
    host: str = ""  # where the arguments go; "": unknown, or nowhere
    may_last: bool = False  # whether the user may allow the tool and host for the rest of the conversation


@dataclass(frozen=True, slots=True)
class ApprovalResponse:
    """The user's decision; the model learns of it from the call's result."""

    approval_id: str
    call_id: str
    approved: bool
    reason: str = ""  # why it was refused, in the user's words
    lasts: bool = False  # later calls of the tool to this host are allowed too (agents.engine.taint)


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """The run waits until the client has executed this call (SPEC 4.12). Not part of the model's context."""

    call_id: str
    name: str
    input: Mapping[str, Any]  # the arguments: what is left of the model's own after the server's check


@dataclass(frozen=True, slots=True)
class ClientOutput:
    """What the client returned for a call; the model learns of it from the call's result."""

    call_id: str
    output: Any  # a JSON value
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ClientData:
    """A stored data part, such as suggestions; shown to the user, not part of the model's context."""

    name: str
    data: Mapping[str, Any]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A status line for the user (stopped, failed, step limit); never part of the model's context."""

    code: str
    text: str
    level: Literal["info", "warning", "error"] = "info"
    action: Literal["retry", "continue", "settings"] | None = None  # what the user interface offers next
    retry_at: str = ""  # ISO 8601, when the provider named a time; "": it named none


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


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one or more model calls."""

    input_tokens: int = 0  # includes `cached_tokens`, `cache_write_tokens` and `tool_tokens`
    output_tokens: int = 0  # without thinking
    thinking_tokens: int = 0
    cached_tokens: int = 0  # read from the provider's cache
    cache_write_tokens: int = 0  # written to the provider's cache
    tool_tokens: int = 0  # added by the provider's own tools, where it counts them separately

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens + self.thinking_tokens

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
    """One complete answer.

    Its text and reasoning entries correspond to the streamed deltas: one entry per run of deltas of one kind, in order.
    Between them, in place, are what the provider itself ran and its sources.
    """

    entries: tuple[ResponseEntry, ...]
    finish_reason: FinishReason
    usage: Usage = field(default_factory=Usage)  # the sum of `parts` where there are any
    model_version: str = ""
    # What was wrong with a tool call that could not be parsed, such as "it was not valid JSON."; then `entries` contains
    # no calls, not even those that could be parsed. "" when nothing was wrong.
    malformed_call: str = ""
    notice: str = ""  # tells the user that another than the best endpoint answered (SPEC 2.6)
    parts: tuple[Usage, ...] = ()  # the usage of each request of a continued answer; empty: there was one
    prompt_tokens: int | None = None  # of the prompt as first sent, where that is not `usage.input_tokens`

    @property
    def usages(self) -> tuple[Usage, ...]:
        """The usage of each request. They are priced separately, because the price depends on the length of each prompt."""
        return self.parts or (self.usage,)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(entry for entry in self.entries if isinstance(entry, ToolCall))


ProviderPart = ProviderToolCall | Source | AnswerFile  # streamed as a whole, not in deltas
ModelEvent = TextDelta | ReasoningDelta | ProviderPart | ModelResponse


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as it is described to the model."""

    name: str
    description: str
    input_schema: Mapping[str, Any]  # a JSON schema of type object


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """A system prompt in two parts: the stable part comes first, so that a provider's prompt cache keeps it."""

    stable: str
    changing: str = ""  # the date, the user and the like

    def __str__(self) -> str:
        return "\n\n".join(part for part in (self.stable, self.changing) if part)


NativeFileKind = Literal["image", "pdf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Settings of one model call; None means the provider's default."""

    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    stop_sequences: tuple[str, ...] = ()
    tool_choice: str = "auto"  # "auto", "none", "required" or the name of the one tool that must be called
    thinking_budget: int | None = None  # tokens; None: thinking is off (SPEC 2.4)
    thinking_level: Literal["minimal", "low", "medium", "high"] | None = None
    builtin_tools: tuple[BuiltinTool, ...] = ()
    native_files: tuple[NativeFileKind, ...] = ()  # kinds of files that are sent as they are, not as text
    # Further fields of the provider's own request, as its API documents them.
    provider_options: Mapping[str, Any] = field(default_factory=dict)
    # JSON that the whole answer must be, as `response_format` of Chat Completions says it: {"type": "json_object"} or
    # {"type": "json_schema", "json_schema": {...}}. None: free text.
    answer_format: Mapping[str, Any] | None = None
    single_tool_call: bool = False  # whether an answer may call one tool only; APIs without such a setting may send more
    reasons: bool | None = None  # Whether it is a reasoning model, which accepts no sampling settings; None: decided by its name.


@dataclass(slots=True)
class CallMeter:
    """What a model call used, also when it failed, was cut off or was stopped.

    The adapter adds each attempt when it ends, however it ends.
    """

    attempts: int = 0
    usages: list[Usage] = field(default_factory=list)
    model_version: str = ""
    is_estimated: bool = False  # whether some of `usages` was estimated, because the provider gave no final figure
    progress: Callable[[], Usage] | None = None  # estimates what the attempt that is going on has used so far
    prompt_tokens: int | None = None  # the estimate of what is sent, once it was needed

    @property
    def usage(self) -> Usage:
        """The sum over all attempts."""
        return sum(self.usages, Usage())

    def add(self, model_version: str, *usages: Usage, is_estimated: bool = False) -> None:
        """Add one attempt, with the usage of each of its requests."""
        self.attempts += 1
        self.progress = None
        self.usages += usages
        self.is_estimated = self.is_estimated or is_estimated
        self.model_version = model_version or self.model_version

    def include(self, other: CallMeter) -> None:
        """Add the attempts of another meter."""
        self.attempts += other.attempts
        self.usages += other.usages
        self.model_version = other.model_version or self.model_version
        self.is_estimated = self.is_estimated or other.is_estimated


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """Everything that a provider adapter needs for one call. `meter` and `prefix_cache` do not belong to the request itself."""

    model: str
    system: SystemPrompt
    entries: tuple[Entry, ...]
    tools: tuple[ToolDefinition, ...] = ()
    settings: ModelSettings = field(default_factory=ModelSettings)
    # Contents of those files among `entries` that are sent as they are, by the id of the File; all others are sent as
    # text.
    attachments: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    meter: CallMeter = field(default_factory=CallMeter, compare=False, repr=False)  # the adapter records here what the call used
    # Here the adapter keeps what it derived from the entries, for the next call on the same branch.
    prefix_cache: BranchPrefixCache = field(default_factory=BranchPrefixCache, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DataPart:
    """Custom data for the client: an AI SDK `data-<name>` part. A later part with the same name and id replaces it."""

    name: str
    data: Mapping[str, Any]
    id: str | None = None
    transient: bool = False  # not stored
