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

from agents.engine.memo import BranchMemo
from agents.engine.messages import Entry, File, UserMessage
from chat.storage.attached_files import files_filled
from chat.storage.branches import ENTRY_BYTES, MARKS, BranchPart, branch_part

KEPT_BYTES: Final = 32 * 1024 * 1024  # of all branches, about
BRANCH_BYTES: Final = 2000  # of one, beside its entries
KEPT_S: Final = 600.0  # after its last use: nobody's words stay in memory because nothing else came

Key = tuple[UUID, UUID]
"""Organization and conversation."""


@dataclass(frozen=True, slots=True)
class ReadBranch:
    """A branch up to one of its messages. `marks`: see BranchPart. `unread`: ids of files whose text is not known yet."""

    entries: tuple[Entry, ...]
    marks: tuple[tuple[UUID, int], ...]
    size_bytes: int
    memo: BranchMemo
    unread: tuple[str, ...] = ()


def branch_read(*, organization_id: UUID, conversation_id: UUID, leaf_id: UUID) -> ReadBranch:
    """The branch of the conversation up to the question `leaf_id`, with the texts of its files. At most one query, and one for new files.

    No run of the conversation but the question's own may be open.
    """
    key = organization_id, conversation_id
    known = BRANCHES.get(key)
    begun = known and _up_to(known, leaf_id)
    if begun is not None:
        return begun
    new = branch_part(
        organization_id=organization_id, leaf_id=leaf_id, known=[message_id for message_id, _ in known.marks] if known else ()
    )
    branch = _grown(_up_to(known, new.after) if known and new.after else None, new)
    _keep(key, branch)
    return branch


def branch_begun(*, organization_id: UUID, conversation_id: UUID, leaf_id: UUID, entries: Sequence[Entry]) -> ReadBranch:
    """The same for the first question of a new conversation, whose `entries` were just stored. One query when it has files."""
    size_bytes = sum(ENTRY_BYTES + 4 * getsizeof(entry.text) for entry in entries if isinstance(entry, UserMessage | File))
    branch = _grown(None, BranchPart(tuple(entries), None, ((leaf_id, len(entries)),), size_bytes))
    _keep((organization_id, conversation_id), branch)
    return branch


def _keep(key: Key, branch: ReadBranch) -> None:
    """For later transactions, once this one has ended well: a send writes into the answer that its conversation waits in before it reads it."""
    if not branch.unread:
        transaction.on_commit(partial(BRANCHES.put, key, branch))


def _up_to(branch: ReadBranch, message_id: UUID) -> ReadBranch | None:
    """None: the message is none of its marks."""
    length = dict(branch.marks).get(message_id)
    if length is None:
        return None
    return replace(branch, entries=branch.entries[:length], marks=tuple(mark for mark in branch.marks if mark[1] <= length))


def _grown(begun: ReadBranch | None, new: BranchPart) -> ReadBranch:
    filled = files_filled(new.entries)
    text_bytes = 4 * sum(len(entry.text) for entry in filled.entries if isinstance(entry, File))
    size_bytes = new.size_bytes + text_bytes
    if begun is None:
        return ReadBranch(filled.entries, new.marks, BRANCH_BYTES + size_bytes, BranchMemo(), filled.unread)
    length = len(begun.entries)
    marks = (*((message_id, length + count) for message_id, count in new.marks), *begun.marks)[:MARKS]
    return ReadBranch((*begun.entries, *filled.entries), marks, begun.size_bytes + size_bytes, begun.memo, filled.unread)


class BranchCache:
    """The branches that were used last; `clock` in seconds. For all threads."""

    def __init__(self, *, kept_bytes: int = KEPT_BYTES, kept_s: float = KEPT_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._kept_bytes, self._kept_s, self._clock = kept_bytes, kept_s, clock
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()  # least recently used first
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self.size_bytes = 0

    def get(self, key: Key) -> ReadBranch | None:
        with self._lock:
            self._forget_old()
            if (kept := self._kept.get(key)) is None:
                return None
            self._kept.move_to_end(key)
            kept.used_at = self._clock()
            return kept.branch

    def put(self, key: Key, branch: ReadBranch) -> None:
        """Keep the branch in place of the former one of this name; one that takes more than half of the room is not kept."""
        with self._lock:
            self._forget(key)
            if branch.size_bytes > self._kept_bytes / 2:
                return
            self._kept[key] = _Kept(branch, self._clock())
            self.size_bytes += branch.size_bytes
            while self.size_bytes > self._kept_bytes:
                self._forget(next(iter(self._kept)))
            self._forget_later()

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self.size_bytes = 0

    def _forget(self, key: Key) -> None:
        if (kept := self._kept.pop(key, None)) is not None:
            self.size_bytes -= kept.branch.size_bytes

    def _forget_old(self) -> None:
        oldest = self._clock() - self._kept_s
        while self._kept and next(iter(self._kept.values())).used_at <= oldest:
            self._forget(next(iter(self._kept)))

    def _forget_later(self) -> None:
        """Also when nothing is asked any more: one timer while there is something to forget."""
        if self._timer is None and self._kept:
            self._timer = threading.Timer(self._kept_s / 2, self._tick)
            self._timer.daemon = True
            self._timer.start()

    def _tick(self) -> None:
        with self._lock:
            self._timer = None
            self._forget_old()
            self._forget_later()


@dataclass(slots=True)
class _Kept:
    branch: ReadBranch
    used_at: float


BRANCHES: Final = BranchCache()
