"""A member's usage reads no rows of other members."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from tenants.context import tenant_tx
from tests.support.stores.plans import rows_read
from tests.usage.call_rows import LoggedCalls
from usage.models import ConversationSum
from usage.reading.lists import Days, usage_list
from usage.reading.summary import usage_summary

MIDDAY = datetime(2026, 5, 10, 12, tzinfo=UTC)


DAYS_FILLED, MEMBERS, CONVERSATIONS = 10, 12, 200

_FIGURES = "calls, answers, failed_calls, estimated_calls, unpriced_calls, unpriced_tokens, input_tokens, cached_tokens, cache_write_tokens, tool_tokens, output_tokens, thinking_tokens, cost_usd"

# Conversations of many members, a tenth of them trials, on each of some days; and what the members used on 400 days.
_FILL = (
    f"""
insert into usage_conversationsum (id, organization_id, day, conversation_id, member_id, is_trial, {_FIGURES})
select gen_random_uuid(), %(organization)s, %(day)s::date + day, conversation, member, is_trial, 1, 1, 0, 0, 0, 0, 10, 0, 0, 0, 5, 0, 0.5
from generate_series(0, %(days)s - 1) day, (
    select member, gen_random_uuid() as conversation, n %% 10 = 0 as is_trial
    from (select case n when 1 then %(member)s else gen_random_uuid() end as member from generate_series(1, %(members)s) n) m,
    generate_series(1, %(conversations)s) n
) c""",
    f"""
insert into usage_usagesum (id, organization_id, day, kind, agent, assistant, provider, model, member_id, {_FIGURES})
select gen_random_uuid(), %(organization)s, %(day)s::date - day, kind, 'a', '', 'google', 'm', member, 1, 1, 0, 0, 0, 0, 10, 0, 0, 0, 5, 0, 0.5
from generate_series(0, 399) day, unnest(array['chat', 'trial']) kind,
    (select case n when 1 then %(member)s else gen_random_uuid() end as member from generate_series(1, %(members)s) n) m""",
)


@pytest.mark.django_db(databases=["default", "system", "owner"], transaction=True)
def test_it_reads_no_rows_of_other_members(acme: LoggedCalls, other: LoggedCalls) -> None:
    with connections["owner"].cursor() as cursor:
        for logged in (acme, other):
            values: dict[str, Any] = {"organization": logged.organization_id, "member": logged.member_id, "day": MIDDAY.date()}
            for statement in _FILL:
                cursor.execute(statement, values | {"days": DAYS_FILLED, "members": MEMBERS, "conversations": CONVERSATIONS})
        cursor.execute("analyze usage_conversationsum, usage_usagesum")
    connections["owner"].close()
    days = Days(MIDDAY.date(), (MIDDAY + timedelta(days=DAYS_FILLED - 1)).date())
    year = Days(MIDDAY.date() - timedelta(days=399), MIDDAY.date())
    member_id = acme.member_id
    after = str(UUID(int=2**127)).encode().hex()
    results: list[Any] = []

    def page(group: Any, days: Days, cursor: str = "") -> Callable[[], None]:
        return lambda: results.extend(usage_list(days=days, group=group, cursor=cursor, limit=30, member_id=member_id).items)

    for place in ("", after):
        results.clear()
        assert rows_read(acme.organization_id, "usage_conversationsum", page("conversation", days, place)) <= DAYS_FILLED * 32
        with tenant_tx(acme.organization_id):
            own = ConversationSum.objects.filter(member_id=member_id, is_trial=False, conversation_id__gt=UUID(int=2**127 if place else 0))
            expected = list(own.order_by("conversation_id").values_list("conversation_id", flat=True).distinct()[:30])
        assert [(UUID(item.key), item.calls, item.cost_usd) for item in results] == [(one, DAYS_FILLED, 5.0) for one in expected]
    results.clear()
    assert rows_read(acme.organization_id, "usage_usagesum", page("day", year)) <= 800
    assert (len(results), {item.calls for item in results}) == (30, {1})

    def summary() -> None:
        results.append(usage_summary(days=days, member_id=member_id))

    assert rows_read(acme.organization_id, "usage_conversationsum", summary) == DAYS_FILLED * CONVERSATIONS * 9 // 10
    assert [(row.id, row.calls) for row in results[-1].conversations] == [(None, DAYS_FILLED)] * 8
    assert results[-1].days[0].day == date(2026, 5, 10)
