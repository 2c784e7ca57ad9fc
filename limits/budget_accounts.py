"""Accounts of budgets: what was spent, and what is held for model calls under way (docs/decisions/0049).

A call takes its hold in all its accounts in one statement, before its request leaves, or in none. Accounts are locked in the order of
their keys, so calls that share several never wait for each other in a circle. A hold is settled with the call's row in the log: it goes, so it is settled once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models.expressions import RawSQL

from limits.allowances import CHARGED, VISITOR
from limits.budgets import BudgetKey, Budgets, BudgetState, states_from
from limits.call_limits import AgentLimits, Charge
from limits.periods import FIRST_DAY
from limits.selectors import OF_EMBED, PLAN_SCOPE, allowances_from, rules_sql
from tenants.context import current_organization_id
from tenants.postgres.prepared_statements import read_rows

HOLD_S: Final = 900  # longer than any model call; then its process is lost
_TODAY = "(STATEMENT_TIMESTAMP() AT TIME ZONE 'UTC')::date"
_STARTS_ON = f"(CASE b.period WHEN 'day' THEN {_TODAY} WHEN 'month' THEN date_trunc('month', {_TODAY})::date ELSE DATE '{FIRST_DAY}' END)"
_APPLIES = f"b.is_active AND (b.last_day IS NULL OR b.last_day >= {_TODAY})"
_STATE = f"json_build_array(b.id, {{subject}}, {PLAN_SCOPE.format('b')}, b.period, {{visitor}}, b.amount_usd::text, COALESCE(a.spent_usd, 0)::text, COALESCE(a.held_usd, 0)::text)"

# An SQL expression: the budgets that apply to a member's calls, with their accounts; NULL: there are none.
_BUDGETS = f"""\
(
    SELECT json_agg({_STATE.format(subject="s.id", visitor=f"m.role = '{VISITOR}'")})
    FROM limits_budget b
    JOIN tenants_membership m ON m.organization_id = b.organization_id AND m.id = {{membership}}
    CROSS JOIN LATERAL (SELECT CASE b.scope
        WHEN 'organization' THEN b.organization_id WHEN 'each_token' THEN {{token}} WHEN 'assistant' THEN b.assistant_id
        WHEN 'embed' THEN b.embed_site_id WHEN 'all_of_group' THEN b.group_id ELSE m.id
    END AS id) s
    LEFT JOIN limits_budgetaccount a ON a.organization_id = b.organization_id AND a.budget_id = b.id AND a.subject_id = s.id
        AND a.starts_on = {_STARTS_ON}
    WHERE b.organization_id = {{organization}} AND {_APPLIES} AND s.id IS NOT NULL
        AND b.role IN ('', m.role) AND (b.membership_id IS NULL OR b.membership_id = m.id) AND (b.group_id IS NULL OR EXISTS (
            SELECT FROM tenants_groupmember g
            WHERE g.organization_id = b.organization_id AND g.group_id = b.group_id AND g.membership_id = m.id
        )) AND (b.assistant_id IS NULL OR EXISTS (
            SELECT FROM admin_config_assistant t JOIN admin_config_agentconfig c ON c.organization_id = t.organization_id AND c.id = t.agent_id
            WHERE t.organization_id = b.organization_id AND t.id = b.assistant_id AND c.key = {{assistant}}
        )) AND {OF_EMBED.format("b")}
)"""  # noqa: S608 - no value is in it
_RESERVE = f"""\
WITH wanted AS (
    SELECT b.id AS budget_id, w.subject_id, {_STARTS_ON} AS starts_on, b.amount_usd AS most
    FROM unnest(%(budgets)s::uuid[], %(subjects)s::uuid[]) AS w (budget_id, subject_id)
    JOIN limits_budget b ON b.organization_id = %(organization)s AND b.id = w.budget_id
    WHERE {_APPLIES}
), taken AS (
    INSERT INTO limits_budgetaccount AS a
        (id, organization_id, budget_id, subject_id, starts_on, spent_usd, estimated_usd, held_usd, unpriced_calls)
    SELECT gen_random_uuid(), %(organization)s, budget_id, subject_id, starts_on, 0, 0, %(amount)s::numeric, %(unpriced)s
    FROM wanted WHERE most > 0 ORDER BY budget_id, subject_id
    ON CONFLICT (organization_id, budget_id, subject_id, starts_on) DO UPDATE
    SET held_usd = a.held_usd + EXCLUDED.held_usd, unpriced_calls = a.unpriced_calls + EXCLUDED.unpriced_calls
    WHERE a.spent_usd + a.held_usd < (SELECT most FROM wanted WHERE wanted.budget_id = EXCLUDED.budget_id)
    RETURNING a.id, a.budget_id
), held AS (
    INSERT INTO limits_hold (id, organization_id, account_id, call_id, amount_usd, until)
    SELECT gen_random_uuid(), %(organization)s, id, %(call)s, %(amount)s::numeric, STATEMENT_TIMESTAMP() + {HOLD_S} * interval '1 second'
    FROM taken
)
SELECT budget_id FROM wanted WHERE budget_id NOT IN (SELECT budget_id FROM taken)
"""  # noqa: S608 - no value is in it
_STATES = f"""\
SELECT {_STATE.format(subject="w.subject_id", visitor="FALSE")}
FROM unnest(%(budgets)s::uuid[], %(subjects)s::uuid[]) AS w (budget_id, subject_id)
JOIN limits_budget b ON b.organization_id = %(organization)s AND b.id = w.budget_id
LEFT JOIN limits_budgetaccount a ON a.organization_id = b.organization_id AND a.budget_id = b.id AND a.subject_id = w.subject_id
    AND a.starts_on = {_STARTS_ON}
"""  # noqa: S608 - no value is in it
_SETTLE = """\
WITH call AS (
    SELECT * FROM unnest(%(calls)s::uuid[], %(costs)s::numeric[], %(estimated)s::boolean[]) AS call (id, cost, is_estimated)
), locked AS MATERIALIZED (
    SELECT id FROM limits_budgetaccount
    WHERE organization_id = %(organization)s AND id IN (
        SELECT account_id FROM limits_hold WHERE organization_id = %(organization)s AND call_id = ANY(%(calls)s)
    )
    ORDER BY budget_id, subject_id, starts_on FOR UPDATE
), ended AS (
    DELETE FROM limits_hold h USING call
    WHERE h.organization_id = %(organization)s AND h.call_id = call.id AND h.account_id IN (SELECT id FROM locked)
    RETURNING h.account_id, h.amount_usd, COALESCE(call.cost, h.amount_usd) AS spent_usd,
        call.is_estimated OR call.cost IS NULL AS is_estimated
), sums AS (
    SELECT account_id, sum(amount_usd) AS held, sum(spent_usd) AS spent,
        COALESCE(sum(spent_usd) FILTER (WHERE is_estimated), 0) AS estimated
    FROM ended GROUP BY account_id
)
UPDATE limits_budgetaccount a
SET held_usd = a.held_usd - sums.held, spent_usd = a.spent_usd + sums.spent, estimated_usd = a.estimated_usd + sums.estimated
FROM sums WHERE a.organization_id = %(organization)s AND a.id = sums.account_id
"""


@dataclass(frozen=True, slots=True)
class SettledCall:
    """What a call has cost. `cost_usd`: None when nobody knows; then what was held counts."""

    call_id: UUID
    cost_usd: Decimal | float | None
    is_estimated: bool = False


def budgets_sql(organization: str, membership: str, token: str, assistant: str) -> str:
    """Return the SQL expression that `budgets_from` reads, for these SQL expressions of ids, and of the assistant's key."""
    budgets = _BUDGETS.format(organization=organization, membership=membership, token=token, assistant=assistant)
    rules = rules_sql(organization, membership, token, assistant)
    return f"""\
(
    SELECT CASE WHEN found.budgets IS NOT NULL OR found.rules IS NOT NULL THEN json_build_array(found.budgets, found.rules) END
    FROM (SELECT {budgets} AS budgets, {rules} AS rules) AS found
)"""  # noqa: S608 - no value is in it


def budgets_from(value: Sequence[Any] | None) -> Budgets:
    """Return the budgets and limits that apply to a member's calls, from what `budgets_sql` gave."""
    if value is None:
        return Budgets()
    budgets, rules = value
    states, allowances = states_from(budgets), allowances_from(rules)
    if allowances is None:
        return Budgets(states)
    charged_limits = tuple(limit for limit in allowances.limits if limit.measure in CHARGED and limit.holder != "agent")
    agents = {name: AgentLimits(allowances.sender, limits) for name, limits in allowances.agents.items()}
    return Budgets(states, allowances.limits, Charge(allowances.sender, charged_limits) if charged_limits else None, agents)


def budgets_column(organization: str, membership: str, token: str, assistant: str) -> RawSQL:
    """Return the same as an expression for a select of the ORM. The ids are names of columns."""
    return RawSQL(budgets_sql(organization, membership, token, assistant), [])  # noqa: S611 - no value is in it


_OWN = budgets_sql("%(organization)s", "%(membership)s", "%(token)s::uuid", "%(assistant)s")


def budgets_load(*, membership_id: UUID, token_id: UUID | None = None, assistant: str = "") -> Budgets:
    """Return the budgets and limits that apply to the member's calls. `assistant`: the key of the one that answers. One statement."""
    place = {"organization": current_organization_id(), "membership": membership_id, "token": token_id, "assistant": assistant}
    return budgets_from(read_rows(f"SELECT {_OWN}", place)[0][0])


def hold_take(keys: Sequence[BudgetKey], *, call_id: UUID, amount_usd: Decimal | None) -> list[BudgetState]:
    """Hold the amount in each account that still applies. Return those that have no room; if there are any, roll the transaction back.

    An account has room while anything is left of it, so calls pass a budget by no more than one of them costs. `amount_usd`: None for a
    call without a known price, which holds nothing and is counted.
    """
    values = {**_place(keys), "call": call_id, "amount": amount_usd or Decimal(), "unpriced": int(amount_usd is None)}
    with connection.cursor() as cursor:
        cursor.execute(_RESERVE, values)
        full = {budget_id for (budget_id,) in cursor.fetchall()}
    return _states([key for key in keys if key.budget_id in full]) if full else []


def holds_settle(calls: Iterable[SettledCall]) -> None:
    """Book what calls have cost, and free what was held for them. A call that is settled already changes nothing."""
    calls_by_id = {call.call_id: call for call in calls}
    values: dict[str, Any] = {
        "organization": current_organization_id(),
        "calls": list(calls_by_id),
        "costs": [None if call.cost_usd is None else Decimal(str(call.cost_usd)) for call in calls_by_id.values()],
        "estimated": [call.is_estimated for call in calls_by_id.values()],
    }
    with connection.cursor() as cursor:
        cursor.execute(_SETTLE, values)


def _states(keys: Sequence[BudgetKey]) -> list[BudgetState]:
    with connection.cursor() as cursor:
        cursor.execute(_STATES, _place(keys))
        return list(states_from([row for (row,) in cursor.fetchall()]))


def _place(keys: Sequence[BudgetKey]) -> dict[str, Any]:
    return {
        "organization": current_organization_id(),
        "budgets": [key.budget_id for key in keys],
        "subjects": [key.subject_id for key in keys],
    }
