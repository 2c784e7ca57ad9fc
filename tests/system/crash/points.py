"""The places in a run where a test kills its process, named as issue and docs name them."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass
from enum import StrEnum


class Point(StrEnum):
    """Where in a step. "written": in a transaction that is not committed; "stored": committed, not yet published."""

    CLAIMED = "claimed, before loading"
    LOADED = "loaded and shown, before the engine"
    BEFORE_CALL = "before the model call"
    MID_STREAM = "in mid-stream"
    AFTER_CALL = "after the call, before its append"
    RESPONSE_WRITTEN = "response written"
    RESPONSE_STORED = "response stored"
    IN_TOOL = "in the tool, before its effect"
    MID_DOCUMENT = "in the tool, while it streams a document"
    EFFECT_DONE = "in the tool, after its effect"
    AFTER_TOOL = "after the tool, before its append"
    RESULT_WRITTEN = "result written"
    RESULT_STORED = "result stored"
    ASKING_WRITTEN = "request for approval written"
    ASKING_STORED = "request for approval stored"
    PAUSE_WRITTEN = "pause written"
    PAUSE_STORED = "pause stored"
    INPUT_WRITTEN = "message or decision written"
    INPUT_STORED = "message or decision stored"
    FINALIZING = "while finalizing, before the write"
    END_WRITTEN = "while finalizing, end written"
    END_STORED = "while finalizing, end stored"


# At these no call is stored that has no result: a tool that must not run twice has a known outcome.
OUTCOME_KNOWN = frozenset(
    {
        Point.BEFORE_CALL,
        Point.MID_STREAM,
        Point.AFTER_CALL,
        Point.RESPONSE_WRITTEN,
        Point.FINALIZING,
        Point.END_WRITTEN,
        Point.END_STORED,
    }
)


@dataclass(frozen=True, slots=True)
class Crash:
    """Die when `point` is passed for the `nth` time, `delay_ms` later where waiting is possible: the event log goes on meanwhile."""

    point: Point
    nth: int = 1
    delay_ms: int = 0


class Trigger:
    """Counts passages of the crash's point and kills this process at the right one; without a crash it does nothing."""

    def __init__(self, crash: Crash | None) -> None:
        self._crash = crash
        self._passages = 0

    async def reach(self, point: Point) -> None:
        """The coroutine waits here until the process dies; others go on."""
        if self._crash and self._is_due(point):
            await asyncio.sleep(self._crash.delay_ms / 1000)
            kill_this_process()

    def reach_now(self, point: Point) -> None:
        """For places that cannot wait: die at once."""
        if self._is_due(point):
            kill_this_process()

    def _is_due(self, point: Point) -> bool:
        if self._crash is None or self._crash.point is not point:
            return False
        self._passages += 1
        return self._passages == self._crash.nth


def kill_this_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
