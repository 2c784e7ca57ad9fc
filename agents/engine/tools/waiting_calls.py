"""Reads from the entries which calls wait: for the user's approval (SPEC 4.11) or for the client (SPEC 4.12).

A client call is executed by the page around the chat, which then reports its output.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid5

from agents.engine.messages import ApprovalRequest, ApprovalResponse, ClientOutput, ClientRequest, Entry, ToolCall, ToolResult

_APPROVAL_ID_NAMESPACE = UUID("8f2f4d0e-6a0c-4d0b-9d57-0c1f7a4f3b11")
CLIENT_DID_NOT_ANSWER: Final = "The page did not answer, so it is unknown whether it did this."
CLIENT_OUTPUT_NOT_USED: Final = "The page answered, but the run ended before this was read: {output}"


@dataclass(frozen=True, slots=True)
class Approvals:
    """Approval requests and answers by call id."""

    asked: frozenset[str]
    answers: dict[str, ApprovalResponse]

    @property
    def refused(self) -> frozenset[str]:
        return frozenset(call_id for call_id, answer in self.answers.items() if not answer.approved)

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Approvals:
        asked, answers = set(), {}
        for entry in entries:
            match entry:
                case ApprovalRequest():
                    asked.add(entry.call_id)
                case ApprovalResponse():
                    answers[entry.call_id] = entry
        return cls(frozenset(asked), answers)


def approval_request(call: ToolCall, reason: str = "") -> ApprovalRequest:
    """Return the approval request for a call.

    Its id is derived from the call and its arguments. So asking again after a crash gives the same request, and a call
    of another answer that has the same id gives a different one.
    """
    what = json.dumps([call.id, call.name, call.arguments], sort_keys=True)
    return ApprovalRequest(str(uuid5(_APPROVAL_ID_NAMESPACE, what)), call.id, reason)


@dataclass(frozen=True, slots=True)
class ClientCalls:
    """Client requests and outputs by call id."""

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


def unanswered_call_results(calls: Iterable[ToolCall], entries: Iterable[Entry]) -> Iterator[ToolResult]:
    """Yield error results for those of `calls` that the client was asked for and did not answer."""
    clients = ClientCalls.of(entries)
    return (ToolResult(call.id, call.name, CLIENT_DID_NOT_ANSWER, is_error=True, reads=()) for call in calls if clients.waits(call))


def unfinished_call_results(calls: Iterable[ToolCall], entries: Iterable[Entry]) -> Iterator[ToolResult]:
    """Yield error results for those of `calls` that the client was asked for, in a run that ends and runs no more tools."""
    clients = ClientCalls.of(entries)
    for call in calls:
        if (given := clients.outputs.get(call.id)) is not None:
            text = CLIENT_OUTPUT_NOT_USED.format(output=_output_text(given.output))
            yield ToolResult(call.id, call.name, text, is_error=True, reads=("private", "untrusted"))  # text of the page
        elif clients.waits(call):
            yield ToolResult(call.id, call.name, CLIENT_DID_NOT_ANSWER, is_error=True, reads=())


def _output_text(output: Any) -> str:
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
