"""Sums by conversation, of all members or of one, without a look at the calls that are added up."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from usage.call_sums import FIGURES, NEW_CONVERSATION_SUMS
from usage.reading.sums import ADDED, Scope, Sums

_COLUMNS: Final = ", ".join(("conversation_id", *FIGURES))
_NEW: Final = f"union all select {_COLUMNS} from ({NEW_CONVERSATION_SUMS}) n where {{whose}}"  # noqa: S608 - constants
_ALL: Final = "true"
_OWN: Final = "member_id = %(member)s and not is_trial"  # as usage_conversationsum has an index for it
# The first ids of all days are among the first ones of each day, which an index has in order. So a page reads as many rows of a day as it
# has lines, however many conversations there are.
_PAGE: Final = f"""\
select conversation_id, {ADDED} from (
    select f.* from generate_series(0, %(last_day)s::date - %(first_day)s::date) n cross join lateral (
        select conversation_id, {ADDED} from usage_conversationsum
        where organization_id = %(organization)s and day = %(first_day)s::date + n and conversation_id > %(after)s and {{whose}}
        group by conversation_id order by conversation_id limit %(limit)s
    ) f {{new}}
) s where conversation_id > %(after)s group by conversation_id order by conversation_id limit %(limit)s"""  # noqa: S608 - constants
_TOP: Final = f"""\
select conversation_id, {ADDED} from (
    select {_COLUMNS} from usage_conversationsum
    where organization_id = %(organization)s and day >= %(first_day)s and day <= %(last_day)s and {_OWN} {{new}}
) s group by conversation_id order by cost_usd desc, input_tokens desc, conversation_id limit %(limit)s"""  # noqa: S608 - constants


def conversations_after(scope: Scope, after: UUID, limit: int, member_id: UUID | None) -> list[tuple[UUID, Sums]]:
    """Return the sums of the first conversations after an id, in the order of ids: a member's without trials, or all. One statement."""
    return _read(scope, _PAGE, _OWN if member_id else _ALL, after=after, limit=limit, member=member_id)


def top_conversations(scope: Scope, limit: int, member_id: UUID) -> list[tuple[UUID, Sums]]:
    """Return the sums of the member's conversations that cost most, then of those that used most. One statement."""
    return _read(scope, _TOP, _OWN, limit=limit, member=member_id)


def _read(scope: Scope, statement: str, whose: str, **values: UUID | int | None) -> list[tuple[UUID, Sums]]:
    period = scope.query.period
    new = "" if scope.is_summed(period.last) else _NEW.format(whose=whose)
    rows = scope.run(statement.format(new=new, whose=whose), period.first, period.last, **values)
    return [(conversation_id, Sums.of(figures)) for conversation_id, *figures in rows]
