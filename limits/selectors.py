"""Reads the limits that apply to what a member asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from admin_config.defaults.platform import CHAT_AGENT, agent_name
from limits.allowances import MICRO, SECONDS, VISITOR, Allowances, Rule, Sender, agent_allowances, allowances
from tenants.access import Actor
from tenants.postgres.prepared_statements import read_rows

_NUMBERS: Final = ", ".join(f"(l.per_{window} * CASE l.measure WHEN 'cost' THEN {MICRO} ELSE 1 END)::bigint" for window in SECONDS)
# Whether a row refuses what comes while Redis, which counts, is away.
_REFUSES: Final = "(l.when_away = 'refuse' OR (l.when_away = 'by_kind' AND l.measure IN ('tokens', 'cost')))"
# The scope of a row; "plan_member" for what a plan gives each member, which the organization's own rows override.
PLAN_SCOPE: Final = "CASE WHEN {0}.from_plan AND {0}.scope = 'each_member' THEN 'plan_member' ELSE {0}.scope END"
# Whether a row is for all embedded chats, or for the one whose visitor member m is; of strangers, those without an account.
OF_EMBED: Final = """({0}.embed_site_id IS NULL OR EXISTS (
            SELECT FROM embed_embedvisitor v
            WHERE v.organization_id = {0}.organization_id AND v.membership_id = m.id AND v.site_id = {0}.embed_site_id
                AND ({0}.scope <> 'stranger' OR v.subject = '')
        ))"""
_RULES: Final = f"""\
(
    SELECT json_build_array(m.organization_id, m.id, {{token}}, m.role, (
        SELECT json_agg(g.group_id) FROM tenants_groupmember g WHERE g.organization_id = m.organization_id AND g.membership_id = m.id
    ), json_agg(json_build_array({PLAN_SCOPE.format("l")}, l.role, l.group_id, json_build_array({_NUMBERS}), l.measure, l.assistant_id, {_REFUSES}, l.embed_site_id, l.agent)), ({{assistant}})::text)
    FROM limits_ratelimit l
    JOIN tenants_membership m ON m.organization_id = l.organization_id AND m.id = {{membership}}
    WHERE l.organization_id = {{organization}} AND (l.last_day IS NULL OR l.last_day >= (STATEMENT_TIMESTAMP() AT TIME ZONE 'UTC')::date)
        AND (l.membership_id IS NULL OR l.membership_id = m.id) AND (l.assistant_id IS NULL OR EXISTS (
            SELECT FROM admin_config_assistant t JOIN admin_config_agentconfig c ON c.organization_id = t.organization_id AND c.id = t.agent_id
            WHERE t.organization_id = l.organization_id AND t.id = l.assistant_id AND c.key = {{assistant}}
        )) AND {OF_EMBED.format("l")}
    GROUP BY m.id
)"""  # noqa: S608 - no value is in it


def rules_sql(organization: str, membership: str, token: str, assistant: str) -> str:
    """Return the SQL expression that `allowances_from` reads, for these SQL expressions of ids, and of the assistant's key. NULL: no limits."""
    return _RULES.format(organization=organization, membership=membership, token=token, assistant=assistant)


@dataclass(frozen=True, slots=True)
class ApplicableLimits:
    """Who sends, what applies to the message, and the limits of all agents, which its run may call, by their names."""

    sender: Sender
    limits: Allowances  # with those of the agent that answers
    agents: Mapping[str, Allowances]


def allowances_from(value: Sequence[Any] | None) -> ApplicableLimits | None:
    """Return what applies to who sends, from what `rules_sql` gave; None without limits."""
    if value is None:
        return None
    organization, membership, token, role, groups, rows, assistant_key = value
    rules = [
        Rule(scope, role_of, _id(group), tuple(counts), measure, _id(assistant), refuses, _id(embed), agent)
        for scope, role_of, group, counts, measure, assistant, refuses, embed, agent in rows
    ]
    own = allowances(rules, role=role, groups=frozenset(map(UUID, groups or ())), with_token=token is not None)
    agents = {
        name: tuple(replace(each, for_visitor=role == VISITOR) for each in limits) for name, limits in agent_allowances(rules).items()
    }
    answering = agent_name(assistant_key) if assistant_key else CHAT_AGENT
    return ApplicableLimits(Sender(UUID(organization), UUID(membership), _id(token)), (*own, *agents.get(answering, ())), agents)


def _id(value: str | None) -> UUID | None:
    return UUID(value) if value else None


_OWN: Final = rules_sql("%(organization)s", "%(membership)s", "%(token)s::uuid", "%(assistant)s")


def allowances_load(actor: Actor, *, token_id: UUID | None, assistant: str = "") -> Allowances:
    """Return what applies to what the member asks for now. `assistant`: the key of the one that answers. One statement."""
    place = {
        "organization": actor.organization_id,
        "membership": actor.membership_id,
        "token": token_id,
        "assistant": assistant,
    }
    own_allowances = allowances_from(read_rows(f"SELECT {_OWN}", place)[0][0])
    return own_allowances.limits if own_allowances else ()
