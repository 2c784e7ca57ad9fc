"""Calls that the client carries out, read from the entries alone (SPEC 4.12): a page changes itself, and says what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from agents.engine.messages import ClientOutput, ClientRequest, Entry, ToolCall, ToolResult

SILENT: Final = "The page did not answer, so it is unknown whether it did this."


@dataclass(frozen=True, slots=True)
class ClientCalls:
    """By call id: what the client was asked for, and what it answered."""

    asked: frozenset[str]
    outputs: Mapping[str, ClientOutput]

    def waits(self, call: ToolCall) -> bool:
        return call.id in self.asked and call.id not in self.outputs

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> ClientCalls:
        asked, outputs = set(), {}
        for entry in entries:
            match entry:
                case ClientRequest():
                    asked.add(entry.call_id)
                case ClientOutput():
                    outputs[entry.call_id] = entry
        return cls(frozenset(asked), outputs)


def unanswered(calls: Iterable[ToolCall], entries: Iterable[Entry]) -> Iterator[ToolResult]:
    """The results of those of `calls` that the client was asked for in vain."""
    clients = ClientCalls.of(entries)
    return (ToolResult(call.id, call.name, SILENT, is_error=True, reads=()) for call in calls if clients.waits(call))
