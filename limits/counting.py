"""Counts a message before its run starts, by the limits that hold when it is stored.

The limits are known only in the transaction that stores the message, and Redis is never asked in there. So a message is counted first, by
the limits that this process last found for the member. If others hold, storing raises AllowancesDiffer, and it is counted by those. A
refusal is checked in the same way: the limits are read again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar
from uuid import UUID

from cachetools import LRUCache

from limits.allowances import Allowances
from limits.counters import Sender, message_count
from limits.errors import LimitsChanged, MessageLimitReached
from limits.selectors import allowances_load
from tenants.access import Actor
from tenants.db import in_db

Result = TypeVar("Result")

ATTEMPTS = 3
_last_found: LRUCache[Sender, Allowances] = LRUCache(10_000)  # members without limits are not in it


class AllowancesDiffer(Exception):
    """A message was counted by other limits than hold."""

    def __init__(self, found: Allowances) -> None:
        super().__init__()
        self.found = found


async def counted(actor: Actor, token_id: UUID | None, message: str, store: Callable[[Allowances], Awaitable[Result]]) -> Result:
    """Count the message and return what `store` returns. `store` passes what it was counted by to `allowances_check`.

    Raises MessageLimitReached, LimitsChanged, and what `store` raises.
    """
    sender = Sender(actor.organization_id, actor.membership_id, token_id)
    limits = _last_found.get(sender, ())
    for _ in range(ATTEMPTS):
        try:
            if limits:
                await message_count(sender, limits, message=message)
            return await store(limits)
        except AllowancesDiffer as differ:
            found = differ.found
        except MessageLimitReached:
            found = await in_db(partial(allowances_load, actor, with_token=token_id is not None), organization_id=actor.organization_id)
            if found == limits:
                raise
        limits = found
        _remember(sender, limits)
    raise LimitsChanged


def allowances_check(found: Allowances, counted_by: Allowances) -> None:
    """Raise AllowancesDiffer when other limits hold than a message was counted by."""
    if found != counted_by:
        raise AllowancesDiffer(found)


def _remember(sender: Sender, limits: Allowances) -> None:
    if limits:
        _last_found[sender] = limits
    else:
        _last_found.pop(sender, None)
