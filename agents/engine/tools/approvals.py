"""Which calls wait for the user, read from the entries alone (SPEC 4.11)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID, uuid5

from agents.engine.messages import ApprovalRequest, ApprovalResponse, Entry, ToolCall

_APPROVAL_ID_NAMESPACE = UUID("8f2f4d0e-6a0c-4d0b-9d57-0c1f7a4f3b11")


@dataclass(frozen=True, slots=True)
class Approvals:
    """By call id: what was asked and what was answered."""

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
    """The request for a call. Its id follows from the call and its arguments: asked again after a crash it is the same request, and a
    call of another answer that has the same id is another one.
    """
    what = json.dumps([call.id, call.name, call.arguments], sort_keys=True)
    return ApprovalRequest(str(uuid5(_APPROVAL_ID_NAMESPACE, what)), call.id, reason)
