"""Context state derived from a branch and cached up to a run's question, where the next run on the branch reuses it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agents.engine.agent import ContextPolicy
from agents.engine.context.model_context import ContextView, call_ids
from agents.engine.messages import Entry, UserMessage
from agents.engine.prefix_cache import BranchPrefixCache

_VIEW, _CALL_IDS = "context", "call ids"


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


def cached_context_view(
    entries: Sequence[Entry],
    policy: ContextPolicy,
    prefix_cache: BranchPrefixCache,
    *,
    templates: Mapping[str, str],
    mask: Callable[[Entry], Entry],
) -> ContextView:
    """Return a view that already contains `entries`."""
    kept = prefix_cache.find(_VIEW, entries)
    known: ContextView | None = kept.piece if kept and kept.piece.policy == policy else None
    view = known.fork(templates=templates, mask=mask) if known else ContextView(policy, templates=templates, mask=mask)
    until_question = entries[: question_index(entries) + 1]
    if view.length < len(until_question):
        view.update(until_question)
        prefix_cache.keep(_VIEW, until_question, view.fork())
    view.update(entries)
    return view


def cached_call_ids(entries: Sequence[Entry], prefix_cache: BranchPrefixCache) -> set[str]:
    """Return the ids of all calls (see `call_ids`) as a new set, which the caller may modify."""
    kept = prefix_cache.find(_CALL_IDS, entries)
    cached_length, ids = (len(kept.entries), set(kept.piece)) if kept else (0, set[str]())
    place = question_index(entries)
    if place > cached_length:
        ids |= call_ids(entries[cached_length:place])
        prefix_cache.keep(_CALL_IDS, entries[:place], frozenset(ids))
        cached_length = place
    return ids | call_ids(entries[cached_length:])


def map_entries_cached(
    name: str, entries: Sequence[Entry], change: Callable[[Entry], Entry], prefix_cache: BranchPrefixCache
) -> tuple[Entry, ...]:
    """Return `change` applied to each entry; for older entries, the same objects as last time.

    `change` must depend on nothing but the entry. `name` identifies it in the cache.
    """
    kept = prefix_cache.find(name, entries)
    changed: tuple[Entry, ...] = kept.piece if kept else ()
    place = question_index(entries)
    if place > len(changed):
        changed = (*changed, *map(change, entries[len(changed) : place]))
        prefix_cache.keep(name, entries[:place], changed)
    return (*changed, *map(change, entries[len(changed) :]))
