"""What the call log stores of a model request, and how the request is rebuilt from it (SPEC 3.16).

A chat agent's context is built from its conversation's branch, which is stored already. So a call only adds the length
of the branch and the entries that were sent in addition to it or instead of it (`own_entries`), such as masked entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from operator import is_
from typing import Any

from agents.context.policy import ContextPolicy
from agents.context.view import build_context
from agents.entry_codec import Content, entry_decode, entry_encode
from agents.messages import BuiltinTool, Entry, ModelRequest, ModelSettings, SystemPrompt, ToolDefinition

Json = dict[str, Any]
OwnEntry = tuple[int, str, Content, Content | None]
"""(index among the sent entries, kind, content, provider_metadata); the last three are those of agents.entry_codec."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSource:
    """What a call's entries are built from."""

    entries: Callable[[], Sequence[Entry]]  # returns the current entries of the branch
    policy: ContextPolicy  # selects which of them the engine sends


def prompt_snapshot(request: ModelRequest, policy: ContextPolicy | None) -> Json:
    """Return system prompt, tools and, for a call with a branch, the context policy. Nothing is copied."""
    snapshot: Json = {"system": _fields(request.system), "tools": [_fields(tool) for tool in request.tools]}
    if policy is not None:
        snapshot["context"] = _fields(policy)
    return snapshot


def settings_snapshot(request: ModelRequest) -> Json:
    return _fields(request.settings)


def own_entries(sent_entries: Sequence[Entry], stored_entries: Sequence[Entry]) -> list[OwnEntry]:
    """Return the sent entries that are not among the stored objects."""
    if len(sent_entries) <= len(stored_entries) and all(
        map(is_, sent_entries, stored_entries)
    ):  # nothing was left out, masked or compacted
        return []
    stored_ids = set(map(id, stored_entries))
    if stored_ids.issuperset(map(id, sent_entries)):  # the usual case; five times as fast as checking each entry
        return []
    return [(place, *entry_encode(entry)) for place, entry in enumerate(sent_entries) if id(entry) not in stored_ids]


def rebuild_request(*, model: str, prompt: Json, settings: Json, branch: Sequence[Entry], own_entries: Iterable[OwnEntry]) -> ModelRequest:
    """Return the request of a call. `branch`: the entries of its branch at the time; empty for a call without one.

    Snapshots stay readable forever: fields that an older one lacks get their defaults.
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
