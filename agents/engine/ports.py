"""The engine's interfaces to the outside, as protocols: model, journal, inbox and tools; and what a run is given of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from agents.context.policy import no_masking
from agents.engine.agent import AgentSpec, RunBudget
from agents.engine.lifecycle import RunHooks
from agents.messages import (
    ClientOutput,
    DataPart,
    Entry,
    ModelEvent,
    ModelRequest,
    NextStep,
    ProviderPart,
    Taint,
    ToolCall,
    ToolDefinition,
    Usage,
)
from agents.messages.prefix_cache import BranchPrefixCache


class LanguageModel(Protocol):
    """One model behind one endpoint."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield deltas and provider parts as they arrive and one ModelResponse last, whose entries contain the same content.

        Raises a `ProviderError` (agents.errors). Closing the iterator, or cancelling the task that awaits it,
        closes the provider's connection immediately.
        """
        ...


class Journal(Protocol):
    """The only way into a conversation: an entry is stored, published and in the model's context, or none of these."""

    @property
    def entries(self) -> Sequence[Entry]:
        """The model's context: the history of the branch and everything that this run appended, oldest first."""
        ...

    async def append(self, *entries: Entry, ends_run: bool = False) -> None:
        """Store, publish and add `entries` at once. What was already shown (deltas, provider parts) is closed, not repeated.

        `ends_run`: nothing but the run's end is expected to follow, and the journal may store these entries with it.
        """
        ...

    def text_delta(self, text: str) -> None: ...

    def reasoning_delta(self, text: str) -> None: ...

    def provider_part(self, part: ProviderPart) -> None:
        """Show `part` immediately, after the text so far. Like that text, it is stored when the answer is appended."""
        ...

    def data(self, part: DataPart) -> None:
        """Publish a data part that is not an entry, such as progress or artifact text that is being written."""
        ...

    async def step_start(self, step: int) -> None:
        """Start step `step` (from 1)."""
        ...

    async def step_finish(self, step: int, usage: Usage) -> None: ...


class Inbox(Protocol):
    """What people send into a run while it works or waits: messages (SPEC 3.10) and approval decisions (SPEC 4.11)."""

    @property
    def has_messages(self) -> bool: ...

    async def arrival(self) -> None:
        """Return when a message is waiting; immediately if one already is."""
        ...

    async def deliver_messages(self) -> bool:
        """Append the waiting messages to the journal, each once. Returns whether there were any."""
        ...

    async def deliver_decisions(self) -> None:
        """Append the waiting decisions (ApprovalResponse), each once."""
        ...


class NoInbox:
    """An inbox that nobody can send to, for sub-agents. Implements `Inbox`."""

    @property
    def has_messages(self) -> bool:
        return False

    async def arrival(self) -> None:
        await asyncio.Event().wait()

    async def deliver_messages(self) -> bool:
        return False

    async def deliver_decisions(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool returns."""

    output: Any  # a JSON value for the model
    is_error: bool = False
    entries: tuple[Entry, ...] = field(default=())  # appended after the result
    next_step: NextStep = NextStep.GO_ON
    # There is no result yet, because something inside the tool waits for the user's decision; the tool is called again
    # after it.
    waits: bool = False
    private: bool = False  # what it read is private, although the tool's traits do not say so
    # The arguments with which the client must execute the call, for a tool whose traits say `by_client`; the tool is
    # called again with the client's output.
    for_client: Mapping[str, Any] | None = None
    is_recorded: bool = False  # of a replay: the output was cut to size when it was recorded


@dataclass(frozen=True, slots=True)
class Grant:
    """The user's lasting permission: calls of `tool` to `host` need no question."""

    tool: str
    host: str
    origins: frozenset[str]  # what the run had read when it was given; it ends with anything private from elsewhere


@dataclass(frozen=True, slots=True)
class RunTaint:
    """What a run has read, and what its user allowed (agents.engine.taint)."""

    reads: frozenset[Taint] = frozenset()
    origins: frozenset[str] = frozenset()  # where what no user typed came from
    grants: tuple[Grant, ...] = ()
    typed_address: str = ""  # the one address in the user's newest message, until a call has named it

    @property
    def is_mixed(self) -> bool:
        """Whether both kinds were read: untrusted text could ask for private data."""
        return len(self.reads) > 1


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a running tool may use."""

    call_id: str
    journal: Journal  # for publishing progress
    budget: RunBudget = field(default_factory=RunBudget)  # the run's; sub-agents spend it too
    call_ids: set[str] = field(default_factory=set)  # all call ids of the conversation; a sub-agent's run adds its own
    just_approved: frozenset[str] = frozenset()  # For sub-agents: calls that were allowed just now, and so have not run before.
    taint: RunTaint = RunTaint()  # for sub-agents: what the run had read when it made the call
    client_output: ClientOutput | None = None  # what the client returned for this call; None: not asked yet


class Danger(StrEnum):
    """How much harm a tool can do (SPEC 4.11): moderate tools are logged in detail, dangerous ones ask the user first."""

    SAFE = "safe"
    MODERATE = "moderate"
    DANGEROUS = "dangerous"


class ReplayRule(StrEnum):
    """What a replay of a recorded run does with a call of the tool (docs/decisions/0064)."""

    RECORDED = "recorded"  # the recorded result, or the replay ends
    READS = "reads"  # the same, but it only reads what Parley itself has, so that it may run if the admin wants that
    RUNS = "runs"  # it runs: it does nothing outside of its run


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTraits:
    """What the engine must know about a tool and the model need not."""

    repeatable: bool = False  # safe to run again after a crash (SPEC 5.2)
    danger: Danger = Danger.SAFE
    confirm: bool = False  # ask the user before each call
    timeout_s: float = 120.0
    # Its line in a compacted history (SPEC 3.8), with argument names as placeholders, such as "read {path}".
    compact_template: str = ""
    reads: frozenset[Taint] = frozenset()  # what kinds of data its results contain
    sends: bool = False  # its arguments leave the platform
    # Returns the host to which a call with these arguments goes, with a port that is not the usual one; "" for arguments
    # that name no host. None: the tool has no host.
    destination: Callable[[Mapping[str, Any]], str] | None = None
    address_argument: str = ""  # the argument that alone is the whole address and content of the request
    open_hosts: tuple[str, ...] = ()  # hosts that need no question (agents.engine.taint.host_matches), as the organization decided
    by_client: bool = False  # the client executes its calls
    # The tool checks its arguments itself, so that a call is not refused because one argument does not fit.
    checks_arguments: bool = False
    replay: ReplayRule = ReplayRule.RECORDED

    @property
    def needs_approval(self) -> bool:
        return self.confirm or self.danger is Danger.DANGEROUS

    def host_of(self, arguments: Mapping[str, Any]) -> str:
        """Return the host to which a call with these arguments goes; "" when there is none."""
        return self.destination(arguments) if self.destination else ""


class Tool(Protocol):
    """One tool of an agent."""

    @property
    def definition(self) -> ToolDefinition: ...

    @property
    def traits(self) -> ToolTraits: ...

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        """Execute one call.

        Raises `ToolFailed` with a text for the model; any other exception is a bug and is logged as one.
        """
        ...


RepairArguments = Callable[[ToolDefinition, ToolCall, str], Awaitable[Mapping[str, Any] | None]]
"""repair(tool, call, problem) returns other arguments for a call whose own do not fit its tool, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent that can run: how it is configured, what it can do and what it may spend."""

    spec: AgentSpec
    tools: Sequence[Tool] = ()
    hooks: RunHooks = field(default_factory=RunHooks)
    budget: RunBudget = field(default_factory=RunBudget)
    mask: Callable[[Entry], Entry] = no_masking  # removes secrets from entries before they are shortened
    repair: RepairArguments | None = None  # None: the model sees at once why the arguments of a call do not fit


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPorts:
    """What one run is connected to."""

    model: LanguageModel
    journal: Journal
    inbox: Inbox = field(default_factory=NoInbox)
    prefix_cache: BranchPrefixCache = field(default_factory=BranchPrefixCache)  # of earlier runs on the same branch
    caller: ToolContext | None = None  # for a sub-agent: of the tool call that the run works for
