"""Web pages that an answer cites, as entries for the user."""

from __future__ import annotations

from typing import Any

from agents.messages import Source

_WEB = ("https://", "http://")
MAX_URL_CHARS = 2000


class CitedSources:
    """The sources of one answer, without duplicates. They follow the text that cites them; shown earlier, they would split it."""

    def __init__(self) -> None:
        self._urls = set[str]()
        self._waiting: list[Source] = []

    def cite(self, url: Any, title: Any = "") -> None:
        """Record a page. Anything but a web address is ignored, because the user may open it."""
        if not isinstance(url, str) or not url.startswith(_WEB) or len(url) > MAX_URL_CHARS or url in self._urls:
            return
        self._urls.add(url)
        self._waiting.append(Source(url, title if isinstance(title, str) else ""))

    def drain(self) -> list[Source]:
        """Return the pages recorded since the last call."""
        sources, self._waiting = self._waiting, []
        return sources
