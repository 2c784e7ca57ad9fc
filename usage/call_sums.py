"""The SQL that adds up the call log. What is stored by day and what is read of the newest calls come from the same statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy

from admin_config.defaults.artifact_agents import ARTIFACT_AGENTS

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

STEP: Final = 1.1  # a class of times reaches from STEP ** n to STEP ** (n + 1) milliseconds
MAX_CLASS: Final = 180  # seven hours
KINDS: Final[Mapping[str, StrOrPromise]] = {
    "chat": gettext_lazy("Answers in chats"),
    "sub_agent": gettext_lazy("Sub-agents"),
    "artifact_agent": gettext_lazy("Artifact agents"),
    "title": gettext_lazy("Titles"),
    "suggestions": gettext_lazy("Suggestions"),
    "repair": gettext_lazy("Repairs of tool calls"),
    "trial": gettext_lazy("Trials by admins"),
    "evaluation": gettext_lazy("Evaluations"),
    "replay": gettext_lazy("Replays"),
    "judge": gettext_lazy("Judges of evaluations"),
}
KEYS: Final = ("kind", "agent", "assistant", "provider", "model", "member_id", "project_id", "token_id")
TIME_KEYS: Final = ("kind", "agent", "assistant", "provider", "model")
MEMBER_KEYS: Final = ("model", "member_id", "project_id", "token_id")
CONVERSATION_KEYS: Final = ("conversation_id", "member_id", "is_trial")
# Of calls that admins make to try something out: the organization's, not theirs.
TRIAL_KINDS: Final = ("trial", "evaluation", "replay", "judge")
# The tables of sums with what they are kept by, the smallest first.
GRAINS: Final[Mapping[str, tuple[str, ...]]] = {
    "usage_modelsum": TIME_KEYS,
    "usage_membersum": MEMBER_KEYS,
    "usage_usagesum": KEYS,
    "usage_conversationsum": CONVERSATION_KEYS,
}
FIGURES: Final = (
    "calls",
    "answers",
    "failed_calls",
    "estimated_calls",
    "unpriced_calls",
    "unpriced_tokens",
    "input_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "tool_tokens",
    "output_tokens",
    "thinking_tokens",
    "cost_usd",
)

_TOKENS: Final = ("input_tokens", "cached_tokens", "cache_write_tokens", "tool_tokens", "output_tokens", "thinking_tokens")
_ARTIFACT_KINDS: Final = ", ".join(f"'{kind}'" for kind in ARTIFACT_AGENTS)


def _usage(name: str) -> str:
    return f"coalesce((c.usage ->> '{name}')::bigint, 0)"


_ALL_TOKENS: Final = f"{_usage('input_tokens')} + {_usage('output_tokens')} + {_usage('thinking_tokens')}"
_EXACT_COST: Final = "c.cost_usd::numeric(24, 12)"

# The calls of an organization in a time, with what they are counted by.
_CALLS: Final = f"""\
    from chat_modelcall c
    left join chat_run r on r.organization_id = c.organization_id and r.id = c.run_id
    join chat_conversation v on v.organization_id = c.organization_id and v.id = coalesce(r.conversation_id, c.conversation_id)
    cross join lateral (select
        (c.created_at at time zone 'UTC')::date as day,
        case
            when c.kind = 'judge' then 'judge'
            when v.is_trial and exists (
                select from evaluations_caseresult e where e.organization_id = c.organization_id and e.run_id = c.run_id
            ) then 'evaluation'
            when r.replay_of_id is not null then 'replay'
            when v.is_trial then 'trial'
            when c.kind = 'step' then 'chat'
            when c.kind = 'sub_agent' and exists (
                select from admin_config_agentconfig a
                where a.organization_id = c.organization_id and a.key = c.agent_key and a.kind in ({_ARTIFACT_KINDS})
            ) then 'artifact_agent'
            else c.kind
        end as kind,
        c.agent_key as agent, coalesce(r.assistant, '') as assistant, c.provider, c.model,
        v.owner_id as member_id, v.project_id, r.token_id, v.id as conversation_id, v.is_trial
    ) k
"""  # noqa: S608 - constants
_OF_TIME: Final = "where c.organization_id = %(organization)s and c.created_at >= %(first)s and c.created_at < %(end)s"
# Of these, those that are not added up. The statement that reads the sums asks for itself: a round that commits between two statements
# would have its calls counted twice. The page's own, older reading of the same time is in it as a value: the planner expects a third of
# all rows of a comparison with what a subquery will give.
_NEWER: Final = "and c.created_at >= %(summed_until)s and c.created_at >= coalesce((select p.summed_until from usage_usageprogress p where p.organization_id = %(organization)s), '-infinity')"

_SUMS: Final = f"""\
    count(*) as calls,
    count(*) filter (where k.kind = 'chat' and c.step = 1 and c.error_code in ('', 'stopped')) as answers,
    count(*) filter (where c.error_code not in ('', 'stopped')) as failed_calls,
    count(*) filter (where c.is_estimated) as estimated_calls,
    count(*) filter (where c.cost_usd is null) as unpriced_calls,
    coalesce(sum({_ALL_TOKENS}) filter (where c.cost_usd is null), 0)::bigint as unpriced_tokens,
    {", ".join(f"sum({_usage(name)})::bigint as {name}" for name in _TOKENS)},
    coalesce(sum({_EXACT_COST}), 0) as cost_usd"""

_TIMES: Final = f"""\
select k.day, k.kind, k.agent, k.assistant, k.provider, k.model, t.measure,
    least(floor(ln(greatest(t.ms, 1)::float8) / {log(STEP)!r}), {MAX_CLASS})::smallint as place, count(*) as calls
{_CALLS}    cross join lateral (values ('first', c.first_token_ms), ('whole', c.duration_ms)) t (measure, ms)
{{where}} and t.ms is not null
group by 1, 2, 3, 4, 5, 6, 7, 8"""

_CONVERSATIONS: Final = f"""\
select date_trunc('month', k.day)::date as month, k.conversation_id, k.member_id,
    count(*) as calls, sum({_ALL_TOKENS})::bigint as tokens,
    coalesce(sum({_ALL_TOKENS}) filter (where c.cost_usd is null), 0)::bigint as unpriced_tokens,
    coalesce(sum({_EXACT_COST}), 0) as cost_usd
{_CALLS}{{where}}
group by 1, 2, 3"""


def _sums_statement(keys: Sequence[str], where: str) -> str:
    """Return the statement of the sums by day and these keys."""
    groups = ", ".join(f"k.{key}" for key in ("day", *keys))
    return f"select {groups}, {_SUMS} {_CALLS}{where} group by {groups}"


# The calls of a time, as they are added up.
SUMS: Final = _sums_statement(tuple(dict.fromkeys((*KEYS, *CONVERSATION_KEYS))), _OF_TIME)
TIMES: Final = _TIMES.format(where=_OF_TIME)
CONVERSATIONS: Final = _CONVERSATIONS.format(where=_OF_TIME)
# Those of a time that are not added up yet.
NEW_SUMS: Final = _sums_statement(KEYS, f"{_OF_TIME} {_NEWER}")
NEW_CONVERSATION_SUMS: Final = _sums_statement(CONVERSATION_KEYS, f"{_OF_TIME} {_NEWER}")
NEW_TIMES: Final = _TIMES.format(where=f"{_OF_TIME} {_NEWER}")
# Those of a time and of some conversations.
_IN_CONVERSATIONS: Final = """\
and (c.conversation_id = any(%(conversations)s) or c.run_id = any(array(
    select r.id from chat_run r where r.organization_id = %(organization)s and r.conversation_id = any(%(conversations)s)
)))"""
THESE_CONVERSATIONS: Final = _CONVERSATIONS.format(where=f"{_OF_TIME} {_IN_CONVERSATIONS}")
CONVERSATIONS_OF_TIME: Final = f"select distinct v.id {_CALLS}{_OF_TIME}"
