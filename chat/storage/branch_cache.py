"""Branches as this process has read them: a send into a conversation then reads what came since, however long that is.

What is kept can't be out of date: an answer gets entries only while its run is not over, no entry ever changes, and a question is stored
and read only when no run is open. It is no way around rights: who asks has found the conversation, under its organization, in the
transaction that asks (docs/decisions/0011-branches-in-memory.md).
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from sys import getsizeof
from typing import Final
from uuid import UUID

from django.db import transaction

from agents.engine.messages import Entry, File, UserMessage
from agents.engine.prefix_cache import BranchPrefixCache
from chat.storage.attached_files import file_texts_load
from chat.storage.branches import ENTRY_OVERHEAD_BYTES, MAX_CUT_POINTS, BranchSegment, branch_segment

MAX_CACHE_BYTES: Final = 32 * 1024 * 1024  # of all branches, about
BRANCH_OVERHEAD_BYTES: Final = 2000  # of one, beside its entries
CACHE_TTL_S: Final = 600.0  # after its last use: nobody's words stay in memory because nothing else came

Key = tuple[UUID, UUID]
"""Organization and conversation."""


@dataclass(frozen=True, slots=True)
class CachedBranch:
    """A branch up to one of its messages. `cut_points`: see BranchSegment. `pending_file_ids`: ids of files whose text is not known yet."""

    entries: tuple[Entry, ...]
    cut_points: tuple[tuple[UUID, int], ...]
    size_bytes: int
    prefix_cache: BranchPrefixCache
    pending_file_ids: tuple[str, ...] = ()


def branch_load(*, organization_id: UUID, conversation_id: UUID, leaf_id: UUID) -> CachedBranch:
    """The branch of the conversation up to the question `leaf_id`, with the texts of its files. At most one query, and one for new files.

    No run of the conversation but the question's own may be open.
    """
    key = organization_id, conversation_id
    known = BRANCH_CACHE.get(key)
    prefix = known and _prefix(known, leaf_id)
    if prefix is not None:
        return prefix
    new = branch_segment(
        organization_id=organization_id, leaf_id=leaf_id, known=[message_id for message_id, _ in known.cut_points] if known else ()
    )
    branch = _extended(_prefix(known, new.after) if known and new.after else None, new)
    _cache_on_commit(key, branch)
    return branch


def new_branch_load(*, organization_id: UUID, conversation_id: UUID, leaf_id: UUID, entries: Sequence[Entry]) -> CachedBranch:
    """The same for the first question of a new conversation, whose `entries` were just stored. One query when it has files."""
    size_bytes = sum(ENTRY_OVERHEAD_BYTES + 4 * getsizeof(entry.text) for entry in entries if isinstance(entry, UserMessage | File))
    branch = _extended(None, BranchSegment(tuple(entries), None, ((leaf_id, len(entries)),), size_bytes))
    _cache_on_commit((organization_id, conversation_id), branch)
    return branch


def _cache_on_commit(key: Key, branch: CachedBranch) -> None:
    """For later transactions, once this one has ended well: a send writes into the answer that its conversation waits in before it reads it."""
    if not branch.pending_file_ids:
        transaction.on_commit(partial(BRANCH_CACHE.put, key, branch))


def _prefix(branch: CachedBranch, message_id: UUID) -> CachedBranch | None:
    """None: the message is none of its marks."""
    length = dict(branch.cut_points).get(message_id)
    if length is None:
        return None
    return replace(branch, entries=branch.entries[:length], cut_points=tuple(mark for mark in branch.cut_points if mark[1] <= length))


def _extended(prefix: CachedBranch | None, new: BranchSegment) -> CachedBranch:
    filled = file_texts_load(new.entries)
    text_bytes = 4 * sum(len(entry.text) for entry in filled.entries if isinstance(entry, File))
    size_bytes = new.size_bytes + text_bytes
    if prefix is None:
        return CachedBranch(
            filled.entries, new.cut_points, BRANCH_OVERHEAD_BYTES + size_bytes, BranchPrefixCache(), filled.pending_file_ids
        )
    length = len(prefix.entries)
    cut_points = (*((message_id, length + count) for message_id, count in new.cut_points), *prefix.cut_points)[:MAX_CUT_POINTS]
    return CachedBranch(
        (*prefix.entries, *filled.entries), cut_points, prefix.size_bytes + size_bytes, prefix.prefix_cache, filled.pending_file_ids
    )


class BranchCache:
    """The branches that were used last; `clock` in seconds. For all threads."""

    def __init__(
        self, *, max_bytes: int = MAX_CACHE_BYTES, ttl_s: float = CACHE_TTL_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._max_bytes, self._ttl_s, self._clock = max_bytes, ttl_s, clock
        self._entries: OrderedDict[Key, _CacheEntry] = OrderedDict()  # least recently used first
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self.size_bytes = 0

    def get(self, key: Key) -> CachedBranch | None:
        with self._lock:
            self._evict_expired()
            if (cache_entry := self._entries.get(key)) is None:
                return None
            self._entries.move_to_end(key)
            cache_entry.used_at = self._clock()
            return cache_entry.branch

    def put(self, key: Key, branch: CachedBranch) -> None:
        """Keep the branch in place of the former one of this name; one that takes more than half of the room is not kept."""
        with self._lock:
            self._evict(key)
            if branch.size_bytes > self._max_bytes / 2:
                return
            self._entries[key] = _CacheEntry(branch, self._clock())
            self.size_bytes += branch.size_bytes
            while self.size_bytes > self._max_bytes:
                self._evict(next(iter(self._entries)))
            self._schedule_eviction()

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self.size_bytes = 0

    def _evict(self, key: Key) -> None:
        if (cache_entry := self._entries.pop(key, None)) is not None:
            self.size_bytes -= cache_entry.branch.size_bytes

    def _evict_expired(self) -> None:
        oldest = self._clock() - self._ttl_s
        while self._entries and next(iter(self._entries.values())).used_at <= oldest:
            self._evict(next(iter(self._entries)))

    def _schedule_eviction(self) -> None:
        """Also when nothing is asked any more: one timer while there is something to forget."""
        if self._timer is None and self._entries:
            self._timer = threading.Timer(self._ttl_s / 2, self._tick)
            self._timer.daemon = True
            self._timer.start()

    def _tick(self) -> None:
        with self._lock:
            self._timer = None
            self._evict_expired()
            self._schedule_eviction()


@dataclass(slots=True)
class _CacheEntry:
    branch: CachedBranch
    used_at: float


BRANCH_CACHE: Final = BranchCache()
