"""The kinds of things that members own. Higher layers add theirs when Django starts, so that this layer need not know them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class OwnedKind:
    """A kind of things that members own. The functions but `export` run in the organization's `tenant_tx`.

    `delete` runs when the days of the policy are over (accounts.tasks), and must be safe to repeat.
    """

    key: str
    one: str  # "conversation"
    many: str  # "conversations"
    count: Callable[[UUID], int]  # of a membership
    hand_over: Callable[[UUID, UUID], None] | None  # from one membership to another
    delete: Callable[[UUID], None]
    archive: Callable[[UUID], None] | None = None
    export: Callable[[UUID, UUID], Iterator[tuple[str, bytes]]] | None = None  # organization, membership; opens its own transactions
    order: int = 0  # kinds that others depend on come first
    give_back: Callable[[UUID], None] | None = None  # when a removed member has access again: undoes `archive`
    begin_removal: Callable[[UUID], None] | None = None  # ends what is under way, before anything changes hands

    def says(self, number: int) -> str:
        return f"{number:,} {self.one if number == 1 else self.many}"


_KINDS: dict[str, OwnedKind] = {}  # by their keys


def owned_kind_add(kind: OwnedKind) -> None:
    """Add a kind: whoever removes a member says what becomes of theirs. Called in an app config's `ready`."""
    _KINDS[kind.key] = kind


def owned_kind(key: str) -> OwnedKind | None:
    return _KINDS.get(key)


def owned_kinds() -> list[OwnedKind]:
    """Return all kinds, those first on which others depend."""
    return sorted(_KINDS.values(), key=lambda kind: (kind.order, kind.key))
