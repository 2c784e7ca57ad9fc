"""The web pages that an answer rests on, as entries for the user."""

from __future__ import annotations

from typing import Any

from agents.engine.messages import Source

_WEB = ("https://", "http://")
MAX_URL_CHARS = 2000


class CitedSources:
    """Those of one answer, each once. They are shown at the end of the text that cites them: in its middle they would part it."""

    def __init__(self) -> None:
        self._known = set[str]()
        self._waiting: list[Source] = []

    def cite(self, url: Any, title: Any = "") -> None:
        """Remember a page; what is no web address is no source: the user may open it."""
        if not isinstance(url, str) or not url.startswith(_WEB) or len(url) > MAX_URL_CHARS or url in self._known:
            return
        self._known.add(url)
        self._waiting.append(Source(url, title if isinstance(title, str) else ""))

    def drain(self) -> list[Source]:
        """The pages since the last time."""
        drained, self._waiting = self._waiting, []
        return drained
