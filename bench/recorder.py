"""Recorder of a running round. It does as little work as possible, because the client shares a core."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.model.answer_bytes import LENGTH, ages_ms


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Counters at one moment."""

    at_s: float  # on the monotonic clock
    tokens: int
    cpu_s: tuple[float, ...]  # of the web process, the client, the double, Valkey and PostgreSQL
    web_mb: float


@dataclass(slots=True)
class Recorder:
    """Collects a round while it runs.

    The rates' window opens when `open_at` chats have their first token, and closes when `close_at` have ended. A chat that failed counts as
    begun, so that the others' window opens, but not as the first one to end.
    """

    open_at: int
    close_at: int
    probe: Callable[[int], Snapshot]
    first_tokens_ms: list[float] = field(default_factory=list)
    arrivals: list[tuple[int, str]] = field(default_factory=list)  # (monotonic time in nanoseconds, text)
    errors: list[str] = field(default_factory=list)
    tokens: int = 0
    started_count: int = 0
    ended_count: int = 0
    window_start: Snapshot | None = None
    window_end: Snapshot | None = None

    def chat_started(self) -> None:
        self.started_count += 1
        if self.started_count == self.open_at:
            self.window_start = self.probe(self.tokens)

    def chat_ended(self) -> None:
        self.ended_count += 1
        if self.ended_count == self.close_at:
            self.window_end = self.probe(self.tokens)

    def chat_failed(self, why: str, *, had_begun: bool) -> None:
        self.errors.append(why)
        if not had_begun:
            self.chat_started()
        if self.close_at > 1:
            self.chat_ended()

    def window(self) -> tuple[Snapshot, Snapshot]:
        """Return the snapshots at the window's start and end; the same one twice when failures left no window."""
        now = self.probe(self.tokens)
        return (self.window_start, self.window_end) if self.window_start and self.window_end else (now, now)

    def text_received(self, text: str) -> None:
        """Store the text and its time of arrival; the ages are computed after the round."""
        self.tokens += len(text) // LENGTH
        self.arrivals.append((time.monotonic_ns(), text))

    def ages_ms(self) -> list[float]:
        return [age for now_ns, text in self.arrivals for age in ages_ms(text, now_ns)]

    def ages_between_ms(self, begin_s: float, end_s: float) -> list[float]:
        """Return the ages of tokens that arrived in this period of the monotonic clock, in order of arrival."""
        return [age for now_ns, text in self.arrivals if begin_s <= now_ns / 1e9 <= end_s for age in ages_ms(text, now_ns)]


class ChatTimer:
    """Times one chat's part of a round."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._asked_s = 0.0
        self._is_waiting = False
        self.has_begun = False

    def message_sent(self) -> None:
        """Start timing the next message."""
        self._asked_s = time.perf_counter()
        self._is_waiting = True

    def text_received(self, text: str) -> None:
        if self._is_waiting:
            self._is_waiting = False
            self._recorder.first_tokens_ms.append((time.perf_counter() - self._asked_s) * 1000)
            if not self.has_begun:
                self.has_begun = True
                self._recorder.chat_started()
        self._recorder.text_received(text)
