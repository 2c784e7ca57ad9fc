"""Caches values derived from the beginning of a branch, so that the next step or run only processes what is new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any

from agents.messages.entries import Entry, UserMessage


class BranchPrefixCache:
    """One cached value per name, valid only if the entries it was derived from are the beginning of the branch.

    They must be the same objects in the same order. Entries never change, so a value may be missing but never wrong,
    whatever branch the cache is used for.
    """

    def __init__(self) -> None:
        self._values: dict[str, tuple[Sequence[object], Any]] = {}  # by name: the entries, and what was derived from them

    def find(self, name: str, entries: Sequence[object]) -> Any | None:
        """Return the value of this name if it was derived from the beginning of `entries`, else None. It must not be modified."""
        source, value = self._values.get(name, ((), None))
        return value if len(source) <= len(entries) and all(map(is_, source, entries)) else None

    def keep(self, name: str, entries: Sequence[object], value: Any) -> None:
        """Store the value of this name, derived from `entries`. It outlives the run, so it must not contain a secret."""
        self._values[name] = (entries, value)


def question_index(entries: Sequence[Entry]) -> int:
    """Return the index of the newest message that was not sent into a run; 0 without one.

    The entries up to there are loaded from storage, and the next run gets the same objects. What a run itself appends
    is loaded anew.
    """
    for place in reversed(range(len(entries))):
        entry = entries[place]
        if isinstance(entry, UserMessage) and not entry.id:
            return place
    return 0


def map_entries_cached(
    name: str, entries: Sequence[Entry], change: Callable[[Entry], Entry], prefix_cache: BranchPrefixCache
) -> tuple[Entry, ...]:
    """Return `change` applied to each entry; for entries before the question, the same objects as last time.

    `change` must depend on nothing but the entry. `name` identifies it in the cache.
    """
    mapped_entries: tuple[Entry, ...] = prefix_cache.find(name, entries) or ()
    place = question_index(entries)
    if place > len(mapped_entries):
        mapped_entries = (*mapped_entries, *map(change, entries[len(mapped_entries) : place]))
        prefix_cache.keep(name, entries[:place], mapped_entries)
    return (*mapped_entries, *map(change, entries[len(mapped_entries) :]))
