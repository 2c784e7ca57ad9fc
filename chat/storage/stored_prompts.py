"""Which prompts this process has stored lately: each call of an agent has the same ten kilobytes and more, which are not sent again."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Final
from uuid import UUID

MAX_PROMPTS: Final = 4096
PROMPT_TTL_S: Final = 600.0  # then a prompt is stored anew, if it is not there: a database may have been set back meanwhile


class StoredPromptCache:
    """Hashes of stored prompts by organization; `clock` in seconds. For all threads."""

    def __init__(self, *, kept: int = MAX_PROMPTS, clock: Callable[[], float] = time.monotonic) -> None:
        self._max_prompts, self._clock = kept, clock
        self._stored_at: OrderedDict[tuple[UUID, str], float] = OrderedDict()  # oldest first
        self._lock = Lock()

    def missing(self, organization_id: UUID, digests: Iterable[str]) -> list[str]:
        """Those that may not be stored, sorted."""
        oldest = self._clock() - PROMPT_TTL_S
        with self._lock:
            return sorted(digest for digest in digests if self._stored_at.get((organization_id, digest), oldest) <= oldest)

    def add(self, organization_id: UUID, digests: Iterable[str]) -> None:
        """To be called after the commit."""
        with self._lock:
            for digest in digests:
                self._stored_at[organization_id, digest] = self._clock()
                self._stored_at.move_to_end((organization_id, digest))
            while len(self._stored_at) > self._max_prompts:
                self._stored_at.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._stored_at.clear()


STORED_PROMPTS: Final = StoredPromptCache()
