"""Reads the limits that apply to a member."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import UUID

from limits.allowances import Allowances, Rule, allowances
from tenants.access import Actor
from tenants.postgres.round_trip import read_rows

# An SQL expression: what `rules_from` reads. Its parameters: `organization`, `membership`.
RULES: Final = """\
COALESCE((
    SELECT json_agg(json_build_array(l.scope, l.role, l.group_id, json_build_array(l.per_minute, l.per_hour, l.per_day, l.per_month)))
    FROM limits_messagelimit l
    WHERE l.organization_id = %(organization)s AND (l.last_day IS NULL OR l.last_day >= (STATEMENT_TIMESTAMP() AT TIME ZONE 'UTC')::date)
        AND (l.membership_id IS NULL OR l.membership_id = %(membership)s)
), '[]')"""
_GROUPS: Final = (
    "ARRAY(SELECT group_id FROM tenants_groupmember WHERE organization_id = %(organization)s AND membership_id = %(membership)s)"
)


def rules_from(value: Sequence[Any]) -> list[Rule]:
    """Return the rules from what RULES gave."""
    return [Rule(scope, role, UUID(group) if group else None, tuple(counts)) for scope, role, group, counts in value]


def allowances_load(actor: Actor, *, with_token: bool) -> Allowances:
    """Return what applies to the member's messages now. One statement."""
    place = {"organization": actor.organization_id, "membership": actor.membership_id}
    [(rules, groups)] = read_rows(f"SELECT {RULES}, {_GROUPS}", place)
    return allowances_of(actor, rules, groups, with_token=with_token)


def allowances_of(actor: Actor, rules: Sequence[Any], groups: Collection[UUID], *, with_token: bool) -> Allowances:
    """Return what applies to the member, from what RULES gave."""
    return allowances(rules_from(rules), role=actor.role, groups=frozenset(groups), with_token=with_token) if rules else ()
