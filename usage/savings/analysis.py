"""Looks for ways to save. A worker does it some times a day: it reads samples of calls and runs, which no page has the time for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.db import connections
from django.utils import timezone

from admin_config.models import AgentConfig
from tenants.context import current_alias, current_organization_id, tenant_tx
from usage.models import UsageProgress
from usage.reading.query import Period, UsageQuery
from usage.reading.sums import Scope, sums_by_columns
from usage.savings.agent_months import Month, months_of, prices_today
from usage.savings.cheaper_models import model_hints
from usage.savings.hints import Hint

DAYS: Final = 30
FRESH: Final = timedelta(hours=6)
MAX_HINTS: Final = 4
MIN_CALLS: Final = 200  # of an agent; fewer say nothing about the next month
MIN_USD: Final = 1.0  # a month; less is not worth a line
LOW_CACHE: Final = 0.2  # of the input
USUAL_CACHE: Final = 0.6  # what agents with an unchanged beginning reach
MANY_PROMPTS: Final = 0.3  # of the calls had a prompt of their own
SAMPLED_CALLS: Final = 2000
SAMPLED_RUNS: Final = 300
LONG_RESULT: Final = 8000  # characters, on average
ENOUGH: Final = 4000  # characters that a shortened result would have
CHARS_PER_TOKEN: Final = 4
MIN_RESULTS: Final = 20
OFTEN: Final = 0.05  # of the runs

_PROMPTS: Final = """\
select s.agent_key, count(*), count(distinct s.prompt_hash) from (
    select agent_key, prompt_hash from chat_modelcall
    where organization_id = %(organization)s and kind in ('step', 'sub_agent') order by created_at desc limit %(calls)s
) s where s.prompt_hash <> '' group by 1"""
# The texts are read as they lie, because JSON of tools can hold characters that PostgreSQL's operators refuse.
_PARTS: Final = """\
with sample as (select answer_id from chat_run where organization_id = %(organization)s order by created_at desc limit %(runs)s)
select p.kind, case when p.kind = 'tool_result' then substring(left(p.content::text, 400) from '"name": ?"([^"]{1,80})"') end as name,
    count(*), sum(length(p.content::text)), (select count(*) from sample)
from sample s join chat_part p on p.organization_id = %(organization)s and p.message_id = s.answer_id
where p.kind = 'tool_result' or (p.kind = 'notice' and p.content::text ~ '^.{0,40}"step_limit"') group by 1, 2"""


def hints_refresh(*, organization_id: UUID) -> int:
    """Look for hints when the last look is some hours old; return how many there are. Opens its own transaction."""
    with tenant_tx(organization_id):
        progress = UsageProgress.objects.first()
        if progress is None or (progress.hints_at and progress.hints_at > timezone.now() - FRESH):
            return 0
        progress.hints = [asdict(hint) for hint in hints_of(timezone.now())]
        progress.hints_at = timezone.now()
        progress.save(update_fields=["hints", "hints_at"])
        return len(progress.hints)


def hints_of(now: datetime) -> list[Hint]:
    """Return the hints, those that save most first. At most eight statements. Needs the organization's `tenant_tx`."""
    last = now.astimezone(UTC).date()
    period = Period("days", last - timedelta(days=DAYS - 1), last, last, last)
    rows = sums_by_columns(Scope.of(UsageQuery(period)), ("agent", "provider", "model", "kind"), period.first, last)
    regular_rows = [(keys, sums) for keys, sums in rows if keys[3] not in {"trial", "evaluation", "replay", "judge"}]
    if sum(sums.calls for _, sums in regular_rows) < MIN_CALLS:
        return []
    prices = prices_today()
    months, agents = months_of(regular_rows, prices), {agent.key: agent for agent in AgentConfig.objects.all()}
    hints = [*model_hints(months, agents, prices, now=now), *_cache_hints(months, agents), *_run_hints(months)]
    return sorted((hint for hint in hints if hint.usd >= MIN_USD), key=lambda hint: -hint.usd)[:MAX_HINTS]


def _cache_hints(months: Mapping[str, Month], agents: Mapping[str, AgentConfig]) -> list[Hint]:
    prompts = {agent: (calls, kinds) for agent, calls, kinds in _rows(_PROMPTS, calls=SAMPLED_CALLS)}
    hints = []
    for month in months.values():
        calls, kinds = prompts.get(month.agent, (0, 0))
        share = month.sums.cached_tokens / month.sums.input_tokens if month.sums.input_tokens else 1.0
        input_usd = month.price.input_usd or 0.0
        cheaper = input_usd - (input_usd if month.price.cached_usd is None else month.price.cached_usd)
        if month.sums.calls < MIN_CALLS or share >= LOW_CACHE or kinds < MANY_PROMPTS * calls or not calls or month.agent not in agents:
            continue
        figures = {"cached": round(100 * share), "prompts": kinds, "calls": calls, "usual": round(100 * USUAL_CACHE)}
        usd = month.sums.input_tokens * (USUAL_CACHE - share) * cheaper / 1_000_000
        hints.append(Hint("cache", usd, {"agent": str(agents[month.agent]), **figures}, row=str(agents[month.agent].pk)))
    return hints


def _run_hints(months: Mapping[str, Month]) -> list[Hint]:
    """Return what the newest runs show: long results of tools, and runs that end at their step limit."""
    main = max(months.values(), key=lambda month: month.sums.answers, default=None)
    if main is None or not main.sums.answers:
        return []
    hints = []
    for kind, name, count, length, runs in _rows(_PARTS, runs=SAMPLED_RUNS):
        if kind == "notice" and count >= OFTEN * runs:
            hints.append(_limit_hint(main, count, runs))
        if kind == "tool_result" and count >= MIN_RESULTS and length / count >= LONG_RESULT:
            hints.append(_result_hint(main, name or "", count, length / count, runs))
    return hints


def _limit_hint(main: Month, count: int, runs: int) -> Hint:
    again = main.sums.answers * count / runs
    usd = again * main.sums.input_tokens / max(1, main.sums.calls) * (main.price.input_usd or 0) / 1_000_000
    query = urlencode({"period": "30", "agent": main.agent})
    return Hint("step_limit", usd, {"share": round(100 * count / runs), "runs": runs}, query=query)


def _result_hint(main: Month, tool: str, count: int, average: float, runs: int) -> Hint:
    a_month = main.sums.answers * count / runs
    usd = a_month * (average - ENOUGH) / CHARS_PER_TOKEN * (main.price.input_usd or 0) / 1_000_000
    return Hint("tool_results", usd, {"tool": tool, "results": count, "runs": runs, "average": round(average), "enough": ENOUGH})


def _rows(statement: str, **values: int) -> list[tuple[Any, ...]]:
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(statement, {**values, "organization": current_organization_id()})
        return list(cursor.fetchall())
