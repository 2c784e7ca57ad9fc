"""What was made of a branch's beginning, kept for whoever goes on with it: the next step, and the next run, then cost what is new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any


@dataclass(frozen=True, slots=True)
class CachedValue:
    """`piece`: what was made of `entries`. Nobody changes it."""

    entries: Sequence[object]
    piece: Any

    def is_prefix_of(self, entries: Sequence[object]) -> bool:
        """Whether `entries` begin with the very same objects."""
        return len(self.entries) <= len(entries) and all(map(is_, self.entries, entries))


class BranchPrefixCache:
    """One piece of each name. It counts only where the entries that it was made of are the beginning, the same objects in the same order:
    entries never change, so a piece can be missing but not wrong, whatever branch a memo is handed to.
    """

    def __init__(self) -> None:
        self._values: dict[str, CachedValue] = {}

    def find(self, name: str, entries: Sequence[object]) -> CachedValue | None:
        """The piece of this name, when it was made of the beginning of `entries`."""
        kept = self._values.get(name)
        return kept if kept and kept.is_prefix_of(entries) else None

    def keep(self, name: str, entries: Sequence[object], piece: Any) -> None:
        """Keep `piece`, made of `entries`, in place of the former one of this name. It outlives the run: no secret may be in it."""
        self._values[name] = CachedValue(entries, piece)
