"""Counts a message before its run starts, by the limits that hold when it is stored.

The limits are known only in the transaction that stores the message, and Redis is never asked in there. So a message is counted first, by
the limits that this process read last for the member. If others hold, storing raises AllowancesDiffer, and it is counted by those. A
refusal is checked in the same way: the limits are read again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar
from uuid import UUID

from cachetools import LRUCache

from admin_config.services.currencies import currency_on
from limits.allowances import Allowance, Allowances, Sender
from limits.counters import message_count
from limits.errors import LimitReached, LimitsChanged, LimitsUnavailable
from tenants.access import Actor
from tenants.db import in_db
from tenants.localization.currency import Currency

Result = TypeVar("Result")

ATTEMPTS = 3
# By who sends, and the assistant that was asked for. Members without limits are not in it.
_last_allowances: LRUCache[tuple[Sender, str | None], Allowances] = LRUCache(10_000)


class AllowancesDiffer(Exception):
    """A message was counted by other limits than hold."""

    def __init__(self, current: Allowances) -> None:
        super().__init__()
        self.current = current


async def store_within_limits(
    actor: Actor,
    token_id: UUID | None,
    assistant: str | None,
    message: str,
    *,
    store: Callable[[Allowances], Awaitable[Result]],
    load: Callable[[], Allowances],
) -> Result:
    """Count the message and return what `store` returns. `store` passes what it was counted by to `allowances_check`.

    `assistant`: the key of the one that was asked for; None: who answers in the conversation. `load` reads the limits that hold, in the
    organization's transaction. Raises LimitReached, LimitsUnavailable, LimitsChanged, and what `store` raises.
    """
    sender = Sender(actor.organization_id, actor.membership_id, token_id)
    place = (sender, assistant)
    limits, done = _last_allowances.get(place, ()), frozenset[Allowance]()
    for attempt in range(ATTEMPTS):
        try:
            if left := tuple(limit for limit in limits if limit not in done):
                await message_count(sender, left, message=f"{message}-{attempt}" if done else message)
            done |= set(limits)
            return await store(limits)
        except AllowancesDiffer as differ:
            current = differ.current
        except (LimitReached, LimitsUnavailable) as refusal:
            current, currency = await in_db(partial(_load_with_currency, load), organization_id=actor.organization_id)
            if current == limits:
                if isinstance(refusal, LimitReached):
                    refusal.say_in(currency)
                raise
        limits = current
        _remember(place, limits)
    raise LimitsChanged


def _load_with_currency(load: Callable[[], Allowances]) -> tuple[Allowances, Currency]:
    return load(), currency_on()


def allowances_check(current: Allowances, counted_by: Allowances) -> None:
    """Raise AllowancesDiffer when other limits hold than a message was counted by."""
    if current != counted_by:
        raise AllowancesDiffer(current)


def _remember(place: tuple[Sender, str | None], limits: Allowances) -> None:
    if limits:
        _last_allowances[place] = limits
    else:
        _last_allowances.pop(place, None)
