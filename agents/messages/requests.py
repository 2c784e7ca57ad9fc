"""What a model is asked: the request with its settings and tools, and the meter of what the call used."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from agents.messages.entries import BuiltinTool, Entry
from agents.messages.prefix_cache import BranchPrefixCache
from agents.messages.responses import Usage


@dataclass(frozen=True)
class ToolDefinition:
    """A tool as it is described to the model."""

    name: str
    description: str
    input_schema: Mapping[str, Any]  # a JSON schema of type object

    @cached_property
    def schema_text(self) -> str:
        """The schema as JSON, by which its tokens are estimated."""
        return json.dumps(self.input_schema, ensure_ascii=False, default=str)


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
    max_native_pages: int | None = None  # of these files together, an image as one page; None: any number
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
    request_hash: str = ""  # SHA-256 (hex) of the body that was sent first; "": nothing was sent

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
