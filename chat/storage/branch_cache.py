"""A cache of the branches that this process read last (docs/decisions/0011-branches-in-memory.md).

A send then reads only the entries that were added since, however long the conversation is. Cached branches can't be stale: entries
never change, an answer gets entries only while its run is open, and a question is stored and read only while no other run is open.
The cache does not bypass access checks: its callers have found the conversation in the same transaction.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from sys import getsizeof
from typing import Final
from uuid import UUID

from cachetools import TTLCache
from django.db import transaction

from agents.messages import Entry, File, UserMessage
from agents.messages.prefix_cache import BranchPrefixCache
from chat.storage.attached_files import file_texts_load
from chat.storage.branches import ENTRY_OVERHEAD_BYTES, MAX_CUT_POINTS, BranchSegment, branch_segment

MAX_CACHE_BYTES: Final = 32 * 1024 * 1024  # estimated size of all branches
BRANCH_OVERHEAD_BYTES: Final = 2000  # of one branch, in addition to its entries
CACHE_TTL_S: Final = 600.0  # since the last use, so that nobody's messages stay in the memory of an idle process

Key = tuple[UUID, UUID]
"""Organization and conversation."""


@dataclass(frozen=True, slots=True)
class CachedBranch:
    """A branch up to one of its messages."""

    entries: tuple[Entry, ...]
    cut_points: tuple[tuple[UUID, int], ...]  # (message id, number of entries up to its end), newest message first
    size_bytes: int  # estimate
    prefix_cache: BranchPrefixCache
    pending_file_ids: tuple[str, ...] = ()  # files whose text has not been extracted yet


def branch_load(*, organization_id: UUID, conversation_id: UUID, leaf_id: UUID) -> CachedBranch:
    """Return the branch up to the question `leaf_id`, with the texts of its files.

    At most one query, and one more for new files. No run of the conversation may be open except the one that answers this question.
    """
    key = organization_id, conversation_id
    cached_branch = BRANCH_CACHE.get(key)
    prefix = cached_branch and _prefix(cached_branch, leaf_id)
    if prefix is not None:
        return prefix
    new = branch_segment(
        organization_id=organization_id,
        leaf_id=leaf_id,
        known_ids=[message_id for message_id, _ in cached_branch.cut_points] if cached_branch else (),
    )
    branch = _extend(_prefix(cached_branch, new.after) if cached_branch and new.after else None, new)
    _cache_on_commit(key, branch)
    return branch


def branch_read(*, organization_id: UUID, leaf_id: UUID) -> CachedBranch:
    """Return the branch up to a message as it is stored, with the texts of its files, beside the cache. One query, and one for files."""
    return _extend(None, branch_segment(organization_id=organization_id, leaf_id=leaf_id))


@dataclass(frozen=True, slots=True)
class HeadSegment:
    """The end of a conversation's branch, read before its question was stored: what a cached branch lacks up to the head."""

    cached_branch: CachedBranch
    segment: BranchSegment


def question_branch_load(
    *,
    organization_id: UUID,
    conversation_id: UUID,
    head_id: UUID | None,
    question_id: UUID,
    entries: Sequence[Entry],
    head_segment: HeadSegment | None = None,
) -> CachedBranch:
    """Return the branch up to a question that was just stored, which consists of `entries` and follows the former head.

    `head_segment`: the branch up to that head, if it was read under the conversation's lock. No query for a new conversation or with it,
    else at most one; one more for new files.
    """
    size_bytes = sum(ENTRY_OVERHEAD_BYTES + 4 * getsizeof(entry.text) for entry in entries if isinstance(entry, UserMessage | File))
    question = BranchSegment(tuple(entries), None, ((question_id, len(entries)),), size_bytes)
    if head_id is None:
        branch = _extend(None, question)
    else:
        prefix, segment = _branch_to_head(organization_id, conversation_id, head_id, head_segment)
        branch = _extend(prefix, _join(segment, question) if segment else question)
    _cache_on_commit((organization_id, conversation_id), branch)
    return branch


def _branch_to_head(
    organization_id: UUID, conversation_id: UUID, head_id: UUID, head_segment: HeadSegment | None
) -> tuple[CachedBranch | None, BranchSegment | None]:
    """Return the cached part of the branch up to the head, and what follows it."""
    cached_branch = head_segment.cached_branch if head_segment else BRANCH_CACHE.get((organization_id, conversation_id))
    if cached_branch is not None and (whole := _prefix(cached_branch, head_id)) is not None:
        return whole, None
    marks = [message_id for message_id, _ in cached_branch.cut_points] if cached_branch else []
    segment = head_segment.segment if head_segment else branch_segment(organization_id=organization_id, leaf_id=head_id, known_ids=marks)
    return _prefix(cached_branch, segment.after) if cached_branch and segment.after else None, segment


def _join(first: BranchSegment, second: BranchSegment) -> BranchSegment:
    """Return both segments as one."""
    length = len(first.entries)
    cut_points = (*((message_id, length + count) for message_id, count in second.cut_points), *first.cut_points)[:MAX_CUT_POINTS]
    return BranchSegment((*first.entries, *second.entries), first.after, cut_points, first.size_bytes + second.size_bytes)


def _cache_on_commit(key: Key, branch: CachedBranch) -> None:
    """Cache the branch for later transactions, once this one has committed. A branch with pending files is not cached.

    Caching earlier would be wrong: a send may add entries to the answer of a waiting run before it reads the branch, and then roll back.
    """
    if not branch.pending_file_ids:
        transaction.on_commit(partial(BRANCH_CACHE.put, key, branch))


def _prefix(branch: CachedBranch, message_id: UUID) -> CachedBranch | None:
    """Return the branch up to the message, or None when the message is not one of its cut points."""
    length = dict(branch.cut_points).get(message_id)
    if length is None:
        return None
    return replace(branch, entries=branch.entries[:length], cut_points=tuple(mark for mark in branch.cut_points if mark[1] <= length))


def _extend(prefix: CachedBranch | None, new: BranchSegment) -> CachedBranch:
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
    """A thread-safe LRU cache of branches, limited by size and age. `clock` returns seconds."""

    def __init__(
        self, *, max_bytes: int = MAX_CACHE_BYTES, ttl_s: float = CACHE_TTL_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._max_bytes, self._ttl_s = max_bytes, ttl_s
        self._branches = TTLCache[Key, CachedBranch](max_bytes, ttl_s, timer=clock, getsizeof=lambda branch: branch.size_bytes)
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    @property
    def size_bytes(self) -> int:
        return int(self._branches.currsize)

    def get(self, key: Key) -> CachedBranch | None:
        with self._lock:
            branch: CachedBranch | None = self._branches.get(key)
            if branch is not None:
                self._branches[key] = branch  # its age counts from the last use
            return branch

    def put(self, key: Key, branch: CachedBranch) -> None:
        """Cache the branch and replace a former one with this key. A branch larger than half of the cache is not cached."""
        with self._lock:
            self._branches.pop(key, None)
            if branch.size_bytes > self._max_bytes / 2:
                return
            self._branches[key] = branch
            self._schedule_eviction()

    def clear(self) -> None:
        with self._lock:
            self._branches.clear()

    def _schedule_eviction(self) -> None:
        """Start a timer while the cache holds anything, so that branches expire even when nobody uses the cache."""
        if self._timer is None and self._branches:
            self._timer = threading.Timer(self._ttl_s / 2, self._tick)
            self._timer.daemon = True
            self._timer.start()

    def _tick(self) -> None:
        with self._lock:
            self._timer = None
            self._branches.expire()
            self._schedule_eviction()


BRANCH_CACHE: Final = BranchCache()
