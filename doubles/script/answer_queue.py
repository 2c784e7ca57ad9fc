"""The queue of a double's answers, and the record of the requests it got."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from doubles.script.answers import FULL_SPEED, Answer, Item, Pacing
from doubles.script.received_request import ReceivedRequest
from doubles.signals import Gate, Signal

Predicate = Callable[[ReceivedRequest], bool]
Responder = Callable[[ReceivedRequest], Answer | None]


@dataclass
class _QueuedAnswer:
    answer: Answer
    matches: Predicate
    times: int | None


class Script:
    """The queue of answers and the record of requests. Safe to use from several threads."""

    def __init__(self, fallback: Responder | None = None) -> None:
        self.requests: list[ReceivedRequest] = []
        self.gates: dict[str, Gate] = {}
        self._queue: list[_QueuedAnswer] = []
        self._fallback = fallback
        self._arrivals: dict[int, Signal] = {}
        self._lock = threading.Lock()

    def answer(
        self,
        *items: Item,
        when: Predicate | None = None,
        model: str | None = None,
        system: str | None = None,
        pacing: Pacing = FULL_SPEED,
        times: int | None = 1,
    ) -> None:
        """Queue an answer for the next request that matches `when`, `model` (its name) and `system` (text in the system instruction).

        `times`: how often it is used; None: always.
        """

        def matches(request: ReceivedRequest) -> bool:
            return (
                (model is None or request.model == model)
                and (system is None or system in request.system_text)
                and (when is None or when(request))
            )

        with self._lock:
            self._queue.append(_QueuedAnswer(Answer(items, pacing), matches, times))
            self.gates.update({item.name: item for item in items if isinstance(item, Gate)})

    def default(self, *items: Item, pacing: Pacing = FULL_SPEED) -> None:
        """Answer every request that has no queued answer."""
        self._fallback = lambda request: Answer(items, pacing)

    def respond(self, responder: Responder) -> None:
        """Let a function answer requests without a queued answer. It runs in the double's event loop and must not block."""
        self._fallback = responder

    def reset(self) -> None:
        """Remove queued answers, the default, the gates and the record."""
        with self._lock:
            self._queue.clear()
            self.requests.clear()
            self.gates.clear()
            self._arrivals.clear()
            self._fallback = None

    def arrived(self, count: int = 1) -> Signal:
        """Return a signal that is set once `count` requests have arrived since the start or the last reset."""
        with self._lock:
            signal = self._arrivals.setdefault(count, Signal())
            if len(self.requests) >= count:
                signal.set()
            return signal

    @property
    def queued_count(self) -> int:
        """The number of queued answers with a limited number of uses."""
        return sum(queued_answer.times is not None for queued_answer in self._queue)

    def record(self, request: ReceivedRequest) -> None:
        with self._lock:
            self.requests.append(request)
            signals = [signal for count, signal in self._arrivals.items() if count <= len(self.requests)]
        for signal in signals:
            signal.set()

    def next_answer(self, request: ReceivedRequest) -> Answer | None:
        """Return the answer for a request and remove it from the queue; None when nothing is scripted for it."""
        with self._lock:
            for queued_answer in self._queue:
                if queued_answer.matches(request):
                    self._use(queued_answer)
                    return queued_answer.answer
        return self._fallback(request) if self._fallback else None

    def _use(self, queued_answer: _QueuedAnswer) -> None:
        if queued_answer.times is None:
            return
        queued_answer.times -= 1
        if queued_answer.times == 0:
            self._queue.remove(queued_answer)
