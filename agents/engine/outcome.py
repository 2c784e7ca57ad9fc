"""How a run came to its end, or to its pause."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agents.engine.messages import FinishReason, Usage


class RunEnd(StrEnum):
    """How an execution that neither failed nor was stopped ended. The WAITING ones are pauses: an answer starts the run again."""

    ANSWERED = "answered"
    EMPTY = "empty"
    STEP_LIMIT = "step_limit"
    BUDGET = "budget"
    LOOP = "loop"
    NO_TOOL_CALL = "no_tool_call"
    TOOL_STOP = "tool_stop"
    WAITING_FOR_APPROVAL = "waiting_for_approval"
    WAITING_FOR_REPLY = "waiting_for_reply"
    WAITING_FOR_CLIENT = "waiting_for_client"

    @property
    def is_pause(self) -> bool:
        return self in (RunEnd.WAITING_FOR_APPROVAL, RunEnd.WAITING_FOR_REPLY, RunEnd.WAITING_FOR_CLIENT)


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """`finish_reason`: the last model call's. `usage`: the sum over this execution. `step`: the number of the last step."""

    end: RunEnd
    finish_reason: FinishReason
    usage: Usage
    step: int
