"""Hints on how to save. Each is drawn from figures of the last 30 days, names them, and says what it would save (SPEC 8.6).

A worker looks for them some times a day: they read samples of calls and runs, which no page has the time for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.db import connections
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from admin_config.defaults.prices import Price
from admin_config.models import AgentConfig, ModelConfig
from tenants.context import current_alias, current_organization_id, tenant_tx
from usage.models import UsageProgress
from usage.pages.words import dollars
from usage.reading.facts import Scope, Sums, sums_by_columns
from usage.reading.query import Period, UsageQuery

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


@dataclass(frozen=True, slots=True)
class Hint:
    """A way to save."""

    title: str
    why: str
    usd: float  # a month, estimated
    link: str  # what the link says
    page: str  # the URL name of the page that does it
    row: str = ""  # the row that the page is of
    query: str = ""  # of its address

    @property
    def saving(self) -> str:
        return dollars(self.usd)

    @property
    def href(self) -> str:
        address = reverse(self.page, args=[self.row] if self.row else [])
        return f"{address}?{self.query}" if self.query else address


@dataclass(frozen=True, slots=True)
class _Month:
    """What an agent used in the last 30 days, with the price of the model that it used most."""

    key: str
    sums: Sums
    price: Price


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
    """Return the hints, those that save most first. At most seven statements. Needs the organization's `tenant_tx`."""
    last = now.astimezone(UTC).date()
    period = Period("days", last - timedelta(days=DAYS - 1), last, last, last)
    rows = sums_by_columns(Scope.of(UsageQuery(period)), ("agent", "provider", "model", "kind"), period.first, last)
    used = [(keys, sums) for keys, sums in rows if keys[3] not in {"trial", "evaluation", "replay", "judge"}]
    if sum(sums.calls for _, sums in used) < MIN_CALLS:
        return []
    months = _months(used)
    agents = {agent.key: agent for agent in AgentConfig.objects.filter(key__in=list(months))}
    found = [*_cache_hints(months, agents), *_run_hints(months)]
    return sorted((hint for hint in found if hint.usd >= MIN_USD), key=lambda hint: -hint.usd)[:MAX_HINTS]


def _months(used: list[tuple[tuple[Any, ...], Sums]]) -> dict[str, _Month]:
    """Return the month of each agent whose most used model has a price."""
    prices = {
        (model.provider, model.model_id): model.prices_today[0]
        for model in ModelConfig.objects.prefetch_related("prices")
        if model.prices_today and model.prices_today[0].is_known
    }
    sums_of: dict[str, Sums] = {}
    most: dict[str, tuple[int, Price]] = {}
    for (agent, provider, model, _), sums in used:
        sums_of.setdefault(agent, Sums()).add(sums)
        price = prices.get((provider, model))
        if price and sums.input_tokens > most.get(agent, (0, price))[0]:
            most[agent] = (sums.input_tokens, price)
    return {agent: _Month(agent, sums_of[agent], price) for agent, (_, price) in most.items()}


def _cache_hints(months: Mapping[str, _Month], agents: Mapping[str, AgentConfig]) -> list[Hint]:
    prompts = {agent: (calls, kinds) for agent, calls, kinds in _rows(_PROMPTS, calls=SAMPLED_CALLS)}
    found = []
    for month in months.values():
        calls, kinds = prompts.get(month.key, (0, 0))
        share = month.sums.cached_tokens / month.sums.input_tokens if month.sums.input_tokens else 1.0
        entered = month.price.input_usd or 0.0
        cheaper = entered - (entered if month.price.cached_usd is None else month.price.cached_usd)
        if month.sums.calls < MIN_CALLS or share >= LOW_CACHE or kinds < MANY_PROMPTS * calls or not calls or month.key not in agents:
            continue
        found.append(
            Hint(
                gettext("Keep the beginning of %(value)s's prompt the same") % {"value": agents[month.key]},
                gettext(
                    "%(value)s %% of its input comes from the cache: %(kinds)s of its last %(calls)s calls had a prompt of their own. Move what changes, such as names and dates, to the end. Counted with %(value_2)s %% from the cache."
                )
                % {"value": f"{100 * share:.0f}", "kinds": f"{kinds:,}", "calls": f"{calls:,}", "value_2": f"{100 * USUAL_CACHE:.0f}"},
                month.sums.input_tokens * (USUAL_CACHE - share) * cheaper / 1_000_000,
                gettext("Open the prompt"),
                "admin:admin_config_agentconfig_change",
                str(agents[month.key].pk),
            )
        )
    return found


def _run_hints(months: Mapping[str, _Month]) -> list[Hint]:
    """Return what the newest runs show: long results of tools, and runs that end at their step limit."""
    main = max(months.values(), key=lambda month: month.sums.answers, default=None)
    if main is None or not main.sums.answers:
        return []
    hints = []
    for kind, name, count, length, runs in _rows(_PARTS, runs=SAMPLED_RUNS):
        if kind == "notice" and count >= OFTEN * runs:
            hints.append(_limit_hint(main, count, runs))
        if kind == "tool_result" and count >= MIN_RESULTS and length / count >= LONG_RESULT:
            hints.append(_result_hint(main, name or "a tool", count, length / count, runs))
    return hints


def _limit_hint(main: _Month, count: int, runs: int) -> Hint:
    again = main.sums.answers * count / runs
    return Hint(
        gettext("Raise the step limit"),
        gettext(
            "%(value)s %% of the last %(runs)s runs ended at it, and members had to start them again: each time the whole context is sent once more."
        )
        % {"value": f"{100 * count / runs:.0f}", "runs": f"{runs:,}"},
        again * main.sums.input_tokens / max(1, main.sums.calls) * (main.price.input_usd or 0) / 1_000_000,
        gettext("Show these runs"),
        "admin:chat_run_changelist",
        query=urlencode({"period": "30", "agent": main.key}),
    )


def _result_hint(main: _Month, tool: str, count: int, average: float, runs: int) -> Hint:
    a_month = main.sums.answers * count / runs
    return Hint(
        gettext("Shorten the results of %(tool)s") % {"tool": tool},
        gettext(
            "%(count)s results in the last %(runs)s runs had %(average)s characters on average, which each later step reads again. Counted with %(enough)s characters, read once."
        )
        % {"count": f"{count:,}", "runs": f"{runs:,}", "average": f"{average:,.0f}", "enough": f"{ENOUGH:,}"},
        a_month * (average - ENOUGH) / CHARS_PER_TOKEN * (main.price.input_usd or 0) / 1_000_000,
        gettext("Open the tools"),
        "admin:admin_config_toolsource_changelist",
    )


def _rows(statement: str, **values: int) -> list[tuple[Any, ...]]:
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(statement, {**values, "organization": current_organization_id()})
        return list(cursor.fetchall())
