"""The SQL that adds up results of tools. What is stored by day and what is read of the newest results come from the same statement.

A result is a part of an answer: a `tool_result`, or a `provider_tool_call`, which a provider ran itself; those of sub-agents are wrapped in a
part that names the sub-agent. Replays and trials are left out: their tools may give recorded results instead of running.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

KEYS: Final = ("tool", "by_provider", "agent", "assistant", "member_id", "project_id", "token_id")
AGENT_KEYS: Final = ("tool", "by_provider", "agent", "assistant")
# The tables of sums with what they are kept by, the smallest first; the first is a sum over the second.
GRAINS: Final[Mapping[str, tuple[str, ...]]] = {"usage_toolagentsum": AGENT_KEYS, "usage_toolsum": KEYS}
FIGURES: Final = ("calls", "failed_calls", "denied_calls", "timed_calls", "duration_ms", "result_chars")
PART_KINDS: Final = ("tool_result", "provider_tool_call", "sub_agent")  # the condition of the index chat.part_tool_ended

_RESULT_KINDS: Final = "('tool_result', 'provider_tool_call')"
# Sub-agents of sub-agents are the deepest. A NUL, which PostgreSQL's JSON refuses, becomes the character that stands for what is unreadable.
_RESULTS: Final = """\
    from chat_part p
    join chat_message m on m.organization_id = p.organization_id and m.id = p.message_id
    join chat_run r on r.organization_id = m.organization_id and r.id = m.run_id and r.replay_of_id is null
    join chat_conversation v on v.organization_id = r.organization_id and v.id = r.conversation_id and not v.is_trial
    cross join lateral (select p.kind, '' as agent, replace(p.content::text, '\\u0000', '\\ufffd')::json as entry) outer_part
    cross join lateral (select * from (values (0, outer_part.kind, outer_part.agent, outer_part.entry),
        (1, outer_part.entry ->> 'kind', outer_part.entry ->> 'agent', outer_part.entry -> 'content'),
        (2, outer_part.entry -> 'content' ->> 'kind', outer_part.entry -> 'content' ->> 'agent', outer_part.entry -> 'content' -> 'content')
    ) as level (depth, kind, agent, entry) where level.kind <> 'sub_agent' order by level.depth limit 1) e
    cross join lateral (select
        (p.created_at at time zone 'UTC')::date as day,
        left(e.entry ->> 'name', 200) as tool, e.kind = 'provider_tool_call' as by_provider,
        case when e.agent <> '' then e.agent else coalesce((
            select c.agent_key from chat_modelcall c
            where c.organization_id = r.organization_id and c.run_id = r.id and c.kind = 'step' order by c.created_at limit 1
        ), '') end as agent,
        r.assistant, v.owner_id as member_id, v.project_id, r.token_id,
        coalesce((e.entry ->> 'is_error')::boolean, false) as failed, coalesce((e.entry ->> 'denied')::boolean, false) as denied,
        case when e.kind = 'tool_result' then length(coalesce(e.entry ->> 'output', '')) else 0 end as chars
    ) k
"""
_OF_TIME: Final = f"""\
where p.organization_id = %(organization)s and p.kind in {PART_KINDS} and p.created_at >= %(first)s and p.created_at < %(end)s
    and e.kind in {_RESULT_KINDS}"""
_NEWER: Final = "and p.created_at >= %(summed_until)s and p.created_at >= coalesce((select u.summed_until from usage_usageprogress u where u.organization_id = %(organization)s), '-infinity')"

_SUMS: Final = f"""\
select k.day, {", ".join(f"k.{name}" for name in KEYS)},
    count(*) as calls,
    count(*) filter (where k.failed and not k.denied) as failed_calls,
    count(*) filter (where k.denied) as denied_calls,
    count(p.duration_ms) as timed_calls,
    coalesce(sum(p.duration_ms), 0)::bigint as duration_ms,
    sum(k.chars)::bigint as result_chars
{_RESULTS}{{where}}
group by 1, 2, 3, 4, 5, 6, 7, 8"""

SUMS: Final = _SUMS.format(where=_OF_TIME)
NEW_SUMS: Final = _SUMS.format(where=f"{_OF_TIME} {_NEWER}")
COUNT: Final = f"select count(*) {_RESULTS}{_OF_TIME}"
