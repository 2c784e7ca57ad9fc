"""What the call log stores of a model request, and the request again from it (SPEC 3.16).

A chat agent's context is made of its conversation's branch, which is stored already: a call adds how long the branch was, and what it
sent besides or instead of it (`own_entries`: masked entries, say).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from operator import is_
from typing import Any

from agents.engine.agent import ContextPolicy
from agents.engine.codec import Content, entry_decode, entry_encode
from agents.engine.context.model_context import build_context
from agents.engine.messages import BuiltinTool, Entry, ModelRequest, ModelSettings, SystemPrompt, ToolDefinition

Json = dict[str, Any]
OwnEntry = tuple[int, str, Content, Content | None]
"""Its place among the entries that were sent, and agents.engine.codec's three."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSource:
    """What a call's entries are made of: `entries()` gives the branch of now, of which the engine sends what `policy` says."""

    entries: Callable[[], Sequence[Entry]]
    policy: ContextPolicy


def prompt_snapshot(request: ModelRequest, policy: ContextPolicy | None) -> Json:
    """System prompt, tools and, for a call on a branch, the policy. Nothing is copied."""
    snapshot: Json = {"system": _fields(request.system), "tools": [_fields(tool) for tool in request.tools]}
    if policy is not None:
        snapshot["context"] = _fields(policy)
    return snapshot


def settings_snapshot(request: ModelRequest) -> Json:
    return _fields(request.settings)


def own_entries(sent: Sequence[Entry], stored: Sequence[Entry]) -> list[OwnEntry]:
    """The sent entries that are none of the stored objects."""
    if len(sent) <= len(stored) and all(map(is_, sent, stored)):  # nothing was left out, masked or summed up
        return []
    known = set(map(id, stored))
    if known.issuperset(map(id, sent)):  # as a rule; five times as fast as to look at each
        return []
    return [(place, *entry_encode(entry)) for place, entry in enumerate(sent) if id(entry) not in known]


def rebuild_request(*, model: str, prompt: Json, settings: Json, branch: Sequence[Entry], own_entries: Iterable[OwnEntry]) -> ModelRequest:
    """The request of a call; `branch`: the entries that its branch had, none for a call without one.

    Snapshots are read for ever: what an older one lacks has its default.
    """
    entries = list(build_context(branch, _policy(prompt.get("context", {})))) if branch else []
    for place, kind, content, provider_metadata in own_entries:
        entries[place : place + 1] = [entry_decode(kind, content, provider_metadata)]
    return ModelRequest(
        model=model,
        system=SystemPrompt(**prompt["system"]),
        entries=tuple(entries),
        tools=tuple(ToolDefinition(**tool) for tool in prompt["tools"]),
        settings=_settings(settings),
    )


def _settings(settings: Json) -> ModelSettings:
    lists = {name: tuple(settings.get(name, ())) for name in ("stop_sequences", "native_files")}
    return ModelSettings(**settings | lists | {"builtin_tools": tuple(map(BuiltinTool, settings.get("builtin_tools", ())))})


def _fields(value: SystemPrompt | ToolDefinition | ModelSettings | ContextPolicy) -> Json:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _policy(policy: Json) -> ContextPolicy:
    return ContextPolicy(**policy | {"prune_tools": tuple((name, pruning) for name, pruning in policy.get("prune_tools", ()))})
