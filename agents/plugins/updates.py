"""The growing answer for plugins, in steps of time instead of tokens."""

from __future__ import annotations

from collections.abc import Callable

UPDATE_INTERVAL_S = 0.25


class ThrottledText:
    """Collects a step's text. `clock`: seconds that never go back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._pieces: list[str] = []
        self._last_s = clock()

    def add(self, text: str) -> str | None:
        """All the text so far when the last was given at least UPDATE_INTERVAL_S ago, else None."""
        self._pieces.append(text)
        now_s = self._clock()
        if now_s - self._last_s < UPDATE_INTERVAL_S:
            return None
        self._last_s = now_s
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def clear(self) -> None:
        """Begin the next step's text; the pause between two texts goes on."""
        self._pieces = []
