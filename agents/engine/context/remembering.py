"""What a run begins with, made of the whole branch: kept up to the run's question, where the next run on the branch finds it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agents.engine.agent import ContextPolicy
from agents.engine.context.model_context import ContextView, call_ids
from agents.engine.memo import BranchMemo
from agents.engine.messages import Entry, UserMessage

_VIEW, _CALL_IDS = "context", "call ids"


def question_place(entries: Sequence[Entry]) -> int:
    """Where the newest message is that was not sent into a run; 0 without one.

    Up to there entries come from what is stored, and the next run has the same objects; what a run itself appends is read anew.
    """
    for place in reversed(range(len(entries))):
        entry = entries[place]
        if isinstance(entry, UserMessage) and not entry.id:
            return place
    return 0


def context_view(
    entries: Sequence[Entry], policy: ContextPolicy, memo: BranchMemo, *, templates: Mapping[str, str], mask: Callable[[Entry], Entry]
) -> ContextView:
    """A view that has taken in `entries`."""
    kept = memo.find(_VIEW, entries)
    known: ContextView | None = kept.piece if kept and kept.piece.policy == policy else None
    view = known.forked(templates=templates, mask=mask) if known else ContextView(policy, templates=templates, mask=mask)
    until_question = entries[: question_place(entries) + 1]
    if view.length < len(until_question):
        view.update(until_question)
        memo.keep(_VIEW, until_question, view.forked())
    view.update(entries)
    return view


def known_call_ids(entries: Sequence[Entry], memo: BranchMemo) -> set[str]:
    """The ids of all calls, a set of the caller's own (`call_ids`)."""
    kept = memo.find(_CALL_IDS, entries)
    begun, ids = (len(kept.entries), set(kept.piece)) if kept else (0, set[str]())
    place = question_place(entries)
    if place > begun:
        ids |= call_ids(entries[begun:place])
        memo.keep(_CALL_IDS, entries[:place], frozenset(ids))
        begun = place
    return ids | call_ids(entries[begun:])


def changed_entries(name: str, entries: Sequence[Entry], change: Callable[[Entry], Entry], memo: BranchMemo) -> tuple[Entry, ...]:
    """`change` of each entry, which depends on nothing but the entry; of older ones the same objects as the last time. `name`: of the change."""
    kept = memo.find(name, entries)
    changed: tuple[Entry, ...] = kept.piece if kept else ()
    place = question_place(entries)
    if place > len(changed):
        changed = (*changed, *map(change, entries[len(changed) : place]))
        memo.keep(name, entries[:place], changed)
    return (*changed, *map(change, entries[len(changed) :]))
