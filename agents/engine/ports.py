"""What the engine needs from outside, as protocols: a model, tools and the one way into a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from agents.engine.agent import RunBudget
from agents.engine.messages import (
    ClientOutput,
    DataPart,
    Entry,
    ModelEvent,
    ModelRequest,
    NextStep,
    ProviderPart,
    Taint,
    ToolDefinition,
    Usage,
)


class LanguageModel(Protocol):
    """One model behind one endpoint."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield deltas and provider parts as they come and one ModelResponse last, which has the same in its entries.

        Raises a `ProviderError` (agents.engine.errors). Closing the iterator or cancelling the task that awaits it closes the
        provider's connection at once.
        """
        ...


class Journal(Protocol):
    """The one way into a conversation: what is appended is stored, published and in the model's context, or none of it."""

    @property
    def entries(self) -> Sequence[Entry]:
        """The model's context: the branch's history and all that this run appended, oldest first."""
        ...

    async def append(self, *entries: Entry) -> None:
        """Store, publish and add `entries` in one go. What was shown already (deltas, provider parts) is closed, not repeated."""
        ...

    def text_delta(self, text: str) -> None: ...

    def reasoning_delta(self, text: str) -> None: ...

    def provider_part(self, part: ProviderPart) -> None:
        """Show `part` at once, after the text so far. Like that text it is stored with the answer's append."""
        ...

    def data(self, part: DataPart) -> None:
        """Publish a data part that is no entry (progress; artifact text while it is written)."""
        ...

    async def step_start(self, step: int) -> None:
        """Begin step `step` (from 1)."""
        ...

    async def step_finish(self, step: int, usage: Usage) -> None: ...


class Inbox(Protocol):
    """What people sent into the run while it worked or waited: messages (SPEC 3.10) and decisions about calls (4.11)."""

    @property
    def has_messages(self) -> bool: ...

    async def arrival(self) -> None:
        """Return when a message waits, at once when one does already."""
        ...

    async def deliver_messages(self) -> bool:
        """Append the messages that wait to the journal, each once; return whether there was one."""
        ...

    async def deliver_decisions(self) -> None:
        """Append the decisions that wait (ApprovalResponse), each once."""
        ...


class NoInbox:
    """Nobody can send anything: a sub-agent. Implements `Inbox`."""

    has_messages = False

    async def arrival(self) -> None:
        await asyncio.Event().wait()

    async def deliver_messages(self) -> bool:
        return False

    async def deliver_decisions(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool gives back: `output` (a JSON value) goes to the model, `entries` are appended after the result.

    `waits`: nothing came out yet, as something in the tool waits for the user; it is called again when that is decided. `for_client`: the
    client is to carry out the call with these arguments, for a tool whose traits say so; it is called again with what came of it.
    """

    output: Any
    is_error: bool = False
    entries: tuple[Entry, ...] = field(default=())
    next_step: NextStep = NextStep.GO_ON
    waits: bool = False
    for_client: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RunTaint:
    """What a run has read, and all that its user typed."""

    reads: frozenset[Taint] = frozenset()
    user_text: str = ""

    @property
    def is_mixed(self) -> bool:
        """Strangers' text may ask for what is private."""
        return len(self.reads) > 1


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a running tool may use: its call's id, a way to publish progress and the run's budget, which sub-agents spend too.

    For the runs of sub-agents: `call_ids`, all that the conversation has, which they add theirs to; `just_approved`, calls that were allowed just
    now, so that they have not run before; `taint`, what the run had read when it made the call. `client_output`: what the client made of
    this call; None: it was not asked yet.
    """

    call_id: str
    journal: Journal
    budget: RunBudget = field(default_factory=RunBudget)
    call_ids: set[str] = field(default_factory=set)
    just_approved: frozenset[str] = frozenset()
    taint: RunTaint = RunTaint()
    client_output: ClientOutput | None = None


class Danger(StrEnum):
    """How much harm a tool can do (SPEC 4.11): moderate ones are logged in detail, dangerous ones ask the user first."""

    SAFE = "safe"
    MODERATE = "moderate"
    DANGEROUS = "dangerous"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTraits:
    """What the engine must know of a tool and the model need not.

    `repeatable`: running it again after a crash is safe (SPEC 5.2). `confirm`: ask the user before each call. `compact_template`: its
    line in a compacted history (SPEC 3.8), with the arguments' names as placeholders, such as "read {path}". `reads`: what its results
    are; `sends`: its arguments leave the platform. `by_client`: the client carries its calls out. `checks_arguments`: the tool itself says
    which of the arguments it takes, so that a call is not refused for one that does not fit.
    """

    repeatable: bool = False
    danger: Danger = Danger.SAFE
    confirm: bool = False
    timeout_s: float = 120.0
    compact_template: str = ""
    reads: frozenset[Taint] = frozenset()
    sends: bool = False
    by_client: bool = False
    checks_arguments: bool = False

    @property
    def needs_approval(self) -> bool:
        return self.confirm or self.danger is Danger.DANGEROUS


class Tool(Protocol):
    """One tool of an agent."""

    @property
    def definition(self) -> ToolDefinition: ...

    @property
    def traits(self) -> ToolTraits: ...

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        """Raises `ToolFailed` for what the model should read; any other exception is a bug and is logged as one."""
        ...
