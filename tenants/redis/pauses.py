"""Pauses in questions to a Redis that hangs, so that one caller waits for it and not each (docs/reliability.md).

A Redis that is away fails at once, so it needs no pause. One that hangs takes the whole time limit of each question.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import redis

QUESTION_TIMEOUT_S: Final = 1.0  # what a message waits for one answer of Redis
_TIMEOUTS: Final = (TimeoutError, redis.TimeoutError)


class RedisPaused(redis.TimeoutError):
    """Redis did not answer a moment ago, so it was not asked. One of REDIS_ERRORS."""


class QuestionPause:
    """A pause that begins when a question got no answer in time.

    At its end one caller asks. For the others the pause goes on until that caller has an answer.
    """

    def __init__(self, length_s: float) -> None:
        self._length_s = length_s
        self._until: float | None = None  # of time.monotonic; None: no pause

    @property
    def is_on(self) -> bool:
        until = self._until  # read once: threads ask while the event loop ends a pause
        return until is not None and time.monotonic() < until

    @contextmanager
    def question(self) -> Iterator[None]:
        """Wrap one question to Redis. Raises RedisPaused during a pause."""
        now = time.monotonic()
        if self._until is not None:
            if now < self._until:
                raise RedisPaused
            self._until = now + self._length_s
        try:
            yield
        except _TIMEOUTS:
            self._until = time.monotonic() + self._length_s
            raise
        self._until = None
