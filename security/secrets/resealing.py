"""Seals everything under the current key: the stored secrets, and what higher apps seal themselves. Each adds its kind here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Id = TypeVar("Id")


@dataclass(frozen=True, slots=True)
class Rotation:
    """The result of a key rotation."""

    resealed_count: int  # how many secrets were sealed under the current key
    broken_rows: tuple[str, ...]  # what can't be decrypted, by kind and id; its owners must enter it again


Reseal = Callable[[], Rotation]
Batch = Callable[[Id], list[tuple[Id, bool]]]
"""Seals the next rows behind an id, in one transaction. Returns their ids in order, and whether each was sealed under the current key."""

_kinds: list[Reseal] = []


def reseal_add(kind: Reseal) -> None:
    """Add what an app seals. Call it in `AppConfig.ready`; `kind` may run again, or twice at the same time."""
    _kinds.append(kind)


def reseal_all() -> Rotation:
    """Seal everything under the current key. Opens its own transactions."""
    done = [kind() for kind in _kinds]
    return Rotation(sum(each.resealed_count for each in done), tuple(name for each in done for name in each.broken_rows))


def reseal_in_batches(batch: Batch[Id], *, name: str, first_id: Id) -> Rotation:
    """Seal all rows of a kind. `name`: of a row, before its id; `first_id`: is below all ids."""
    resealed_count, broken_rows, last_id = 0, list[str](), first_id
    while rows := batch(last_id):
        last_id = rows[-1][0]
        resealed_count += sum(done for _, done in rows)
        broken_rows += [f"{name} {row_id}" for row_id, done in rows if not done]
    return Rotation(resealed_count, tuple(broken_rows))
