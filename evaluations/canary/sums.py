"""Sums over the runs of a canary and of the live release beside it, by member, in one statement."""

from __future__ import annotations

from typing import Final

from django.utils import timezone

from admin_config.models import Canary
from evaluations.canary.sequences import ArmSums, Sums
from tenants.postgres.prepared_statements import read_rows

# Measure: how many runs of a member count, and how much they had.
_OF_MEMBER: Final = {
    "failed": ("runs", "failed"),
    "stopped": ("runs", "stopped"),
    "regenerated": ("runs", "regenerated"),
    "thumbs_down": ("rated", "down"),
    "cost": ("priced", "cost"),
    "first_token": ("begun", "first_token"),
    "duration": ("answered", "duration"),
}
_SUMS: Final = ",\n    ".join(
    f"count(*) FILTER (WHERE {n} > 0), sum({n})::float8, sum({x})::float8, sum({x} ^ 2)::float8, sum({x} * {n})::float8, sum({n} ^ 2)::float8"
    for n, x in _OF_MEMBER.values()
)
# Runs since the canary began are found by the index run_newest_first: nearly all of them are of one of the two releases. The calls of each
# run are looked up by the index model_call_run, so that statistics which are not there yet can lead to no worse plan.
_SELECT: Final = f"""\
WITH run AS MATERIALIZED (
    SELECT r.id, r.release_id = %(canary)s AS is_canary, c.owner_id, r.status, r.question_id, r.answer_id,
        extract(epoch FROM r.finished_at - r.created_at) - r.waited_ms / 1000.0 AS seconds
    FROM chat_run r JOIN chat_conversation c ON c.organization_id = r.organization_id AND c.id = r.conversation_id
    WHERE r.organization_id = %(organization)s AND r.created_at >= %(since)s AND r.created_at < %(until)s
        AND r.release_id IN (%(canary)s, %(live)s) AND r.finished_at IS NOT NULL AND NOT c.is_trial
), member AS (
    SELECT run.is_canary, run.owner_id, count(*)::float8 AS runs,
        count(*) FILTER (WHERE status = 'failed')::float8 AS failed, count(*) FILTER (WHERE status = 'stopped')::float8 AS stopped,
        (count(*) - count(DISTINCT question_id))::float8 AS regenerated,
        count(f.rating)::float8 AS rated, count(*) FILTER (WHERE f.rating = 'down')::float8 AS down,
        count(cost)::float8 AS priced, coalesce(sum(cost), 0)::float8 AS cost,
        count(first_token)::float8 AS begun, coalesce(sum(first_token), 0)::float8 AS first_token,
        count(*) FILTER (WHERE status = 'done')::float8 AS answered,
        coalesce(sum(seconds) FILTER (WHERE status = 'done'), 0)::float8 AS duration
    FROM run
    LEFT JOIN LATERAL (
        SELECT CASE WHEN bool_and(m.cost_usd IS NOT NULL) THEN sum(m.cost_usd) END AS cost,
            min(m.first_token_ms) FILTER (WHERE m.step = 1 AND m.kind = 'step') AS first_token
        FROM chat_modelcall m WHERE m.organization_id = %(organization)s AND m.run_id = run.id
    ) called ON true
    LEFT JOIN chat_messagefeedback f ON f.organization_id = %(organization)s AND f.message_id = run.answer_id
    GROUP BY run.is_canary, run.owner_id
)
SELECT is_canary,
    {_SUMS}
FROM member GROUP BY is_canary"""  # noqa: S608  expressions of our own


def sums_of(canary: Canary) -> ArmSums:
    """Return the sums since the canary began, up to its end. One query."""
    values = {
        "organization": canary.organization_id,
        "canary": canary.release_id,
        "live": canary.base_id,
        "since": canary.started_at,
        "until": canary.ended_at or timezone.now(),
    }
    arms: dict[bool, dict[str, Sums]] = {}
    for is_canary, *sums in read_rows(_SELECT, values):
        arms[is_canary] = {name: Sums(*(value or 0 for value in sums[6 * at : 6 * at + 6])) for at, name in enumerate(_OF_MEMBER)}
    return ArmSums(arms.get(False, {}), arms.get(True, {}))
