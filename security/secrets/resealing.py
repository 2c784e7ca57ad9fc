"""Seals everything under the current key: the stored secrets, and what higher apps seal themselves and add here."""

from __future__ import annotations

from collections.abc import Callable

from security.secrets.services import Rotation, secrets_rotate

Reseal = Callable[[], Rotation]

_kinds: list[Reseal] = [secrets_rotate]


def reseal_add(kind: Reseal) -> None:
    """Add what an app seals. Call it in `AppConfig.ready`; `kind` may run again, or twice at the same time."""
    _kinds.append(kind)


def reseal_all() -> Rotation:
    """Seal everything under the current key. Opens its own transactions."""
    done = [kind() for kind in _kinds]
    return Rotation(sum(each.resealed for each in done), tuple(name for each in done for name in each.broken))
