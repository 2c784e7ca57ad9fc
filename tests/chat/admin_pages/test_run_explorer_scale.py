"""The list of runs with a million model calls: each view reads an index, and a page comes at once."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.db import connections
from django.utils import timezone

from admin_config.models import Release
from chat.explorer.figures import figures_of
from chat.explorer.filters import RunFilters, runs_matching_with_answers
from chat.explorer.histogram import LONG_AGO, Grain, ended_rows
from chat.explorer.periods import MOMENTS, moment_text
from chat.explorer.view_counts import view_counts
from chat.models import HourFigures, Message, Run
from chat.overview.rollup import HOUR, figures_fill, hour_of
from tenants.context import tenant_tx
from tenants.rest.pagination import newest_first, time_cursor
from tests.support.accounts.cast import Cast
from tests.support.chat.branch_rows import BranchRows

pytestmark = pytest.mark.django_db(databases=["default", "system", "owner"], transaction=True)

RUNS = 250_000
CALLS_OF_A_RUN = 4
_RUNS = """
insert into chat_run (id, organization_id, conversation_id, question_id, answer_id, release_id, model_config_id, display, thinking, status, step,
    epoch, takeovers, lease_owner, lease_expires_at, usage, error_code, session_hash, keys_sent_for, request_overrides, created_at, waited_ms,
    finished_at, cost_usd)
select gen_random_uuid(), %(organization)s, %(conversation)s, %(question)s, %(answer)s, %(release)s, gen_random_uuid(),
    '{"modelName": "Gemini 2.5 Flash", "provider": "google", "isDemo": false, "release": 12, "isTrial": false}', false,
    case when n %% 500 = 0 then 'failed' when n %% 300 = 0 then 'stopped' else 'done' end, 1, 1, 0, '', now(),
    '{"input_tokens": 1200, "cached_tokens": 500, "cache_write_tokens": 0, "output_tokens": 300, "thinking_tokens": 0}', '', '',
    '[]', '{}', now() - n * interval '1 minute', 0,
    now() - n * interval '1 minute' + case when n > 249000 then interval '2 minutes' else interval '9 seconds' end, 0.004
from generate_series(1, %(runs)s) n
"""
_CALLS = """
insert into chat_modelcall (id, organization_id, run_id, kind, step, parent_call_id, agent_key, provider, endpoint, model, model_version,
    prompt_hash, entry_count, own_entries, settings, attempts, usage, is_estimated, cost_usd, finish_reason, error_code, first_token_ms,
    duration_ms, created_at)
select gen_random_uuid(), r.organization_id, r.id, 'step', n, '', 'chat', 'google', 'Google', 'gemini', '', '', 1, '[]', '{}', 1, '{}', false,
    0.001, 'stop', '', 300, 900, r.created_at
from chat_run r, generate_series(1, %s) n where r.organization_id = %s
"""
_TOOLS = """
insert into chat_runtool (id, organization_id, run_id, name)
select gen_random_uuid(), organization_id, id, case when numbered.n %% 4 = 0 then 'search' else 'orders' end
from (select r.*, row_number() over (order by created_at) as n from chat_run r where organization_id = %s) numbered
where numbered.n %% 4 = 0 or numbered.n %% 20001 = 0
"""
NOON = (datetime.now(UTC) - timedelta(days=90)).replace(hour=12, minute=0, second=0, microsecond=0)


def bar_filters(after: timedelta, **others: str) -> RunFilters:
    """What a bar of the histogram asks for."""
    return RunFilters(period=MOMENTS, first=moment_text(NOON), last=moment_text(NOON + after), **others)


VIEWS = {
    "all": RunFilters(period="all"),
    "week": RunFilters(),
    "failed": RunFilters(period="all", state="failed"),
    "running": RunFilters(period="all", state="running"),
    "waiting": RunFilters(period="all", state="waiting"),
    "no such run": RunFilters(period="all", q="00000000-0000-0000-0000-000000000001"),
    "expensive": RunFilters(period="all", cost="0.004"),
    "none so expensive": RunFilters(period="all", cost="5"),
    "few slow": RunFilters(period="all", seconds="60"),
    "none so slow": RunFilters(period="all", seconds="600"),
    "none with so many tokens": RunFilters(period="all", tokens="9000"),
    "often called": RunFilters(period="all", tool="search"),
    "seldom called": RunFilters(period="all", tool="orders"),
    "no such tool": RunFilters(period="all", tool="fetch_url"),
    "no such run with the tool": RunFilters(period="all", seconds="600", tool="fetch_url", cost="5", tokens="9000"),
    "no such error": RunFilters(period="all", q="rate_limited"),
    "ended in an hour": bar_filters(HOUR),
    "ended in a day": bar_filters(timedelta(days=1)),
    "ended in a month": bar_filters(timedelta(days=30)),
    "failed in an hour": bar_filters(HOUR, state="failed"),
}


def fill(cast: Cast, runs: int) -> None:
    """Give Acme so many runs, one a minute, each with its calls."""
    rows = BranchRows(cast)
    with tenant_tx(rows.organization_id):
        question = Message.objects.create(conversation_id=rows.conversation_id, role=Message.Role.USER)
        release = Release.objects.create(number=1, content={}, content_hash="")
        answer = Message.objects.create(conversation_id=rows.conversation_id, parent=question, role=Message.Role.ASSISTANT)
    values: dict[str, UUID | int] = {
        "organization": rows.organization_id,
        "conversation": rows.conversation_id,
        "question": question.pk,
        "answer": answer.pk,
        "release": release.pk,
        "runs": runs,
    }
    with connections["owner"].cursor() as cursor:
        cursor.execute("set statement_timeout = 0")
        cursor.execute(_RUNS, values)
        cursor.execute(_CALLS, [CALLS_OF_A_RUN, rows.organization_id])
        cursor.execute(_TOOLS, [rows.organization_id])
        cursor.execute("vacuum (analyze) chat_run, chat_runtool, chat_modelcall, chat_conversation, chat_message, chat_messagefeedback")
    connections["owner"].close()


@pytest.mark.nightly  # it writes so much that tests which measure the database beside it would count that
def test_every_view_reads_an_index(cast: Cast) -> None:
    fill(cast, RUNS)
    slow: dict[str, tuple[float, str]] = {}
    with tenant_tx(cast.acme.pk):
        for name, filters in VIEWS.items():
            for place, cursor in (("first", ""), ("deep", time_cursor(timezone.now() - timedelta(minutes=RUNS // 2), cast.acme.pk))):
                plan = newest_first(runs_matching_with_answers(filters), field="created_at", cursor=cursor)[:51].explain(
                    analyze=True, buffers=False
                )
                took_ms = float(plan.rsplit("Execution Time: ", 1)[1].split(" ms")[0])
                print(f"{name}, {place}: {took_ms:.1f} ms")
                if took_ms > 150 or "Seq Scan on chat_run" in plan:
                    slow[f"{name}, {place}"] = (took_ms, plan)
        newest = newest_first(Run.objects.all(), field="created_at", cursor="")[:50]
        assert {figures.calls for figures in figures_of([run.pk for run in newest]).values()} == {CALLS_OF_A_RUN}
    assert slow == {}


@pytest.mark.nightly  # for the same reason
def test_the_histogram_reads_the_sums_and_the_newest_runs(cast: Cast) -> None:
    """Also where no hour of the last days is summed up yet."""
    fill(cast, RUNS)
    assert figures_fill(organization_id=cast.acme.pk, until=time.monotonic() + 3600) > RUNS // 60 - 24
    now = timezone.now()
    spans: dict[str, tuple[datetime, Grain]] = {
        "week": (hour_of(now - timedelta(days=7)), "hour"),
        "month": (hour_of(now - timedelta(days=30)), "day"),
        "all": (LONG_AGO, "day"),
    }
    slow: dict[str, tuple[float, str]] = {}
    for missing in (timedelta(0), timedelta(days=2)):
        with tenant_tx(cast.acme.pk):
            HourFigures.objects.filter(hour__gte=now - missing).delete()
            for name, (begins, grain) in spans.items():
                plan = ended_rows(begins, now, grain).explain(analyze=True, buffers=False)
                took_ms = float(plan.rsplit("Execution Time: ", 1)[1].split(" ms")[0])
                print(f"{name}, {missing.days} days not summed up: {took_ms:.1f} ms")
                if took_ms > 150 or "Seq Scan on chat_run" in plan:
                    slow[f"{name}, {missing.days}"] = (took_ms, plan)
    assert slow == {}


@pytest.mark.nightly  # for the same reason
def test_all_views_are_counted_at_once(cast: Cast) -> None:
    fill(cast, RUNS)
    with tenant_tx(cast.acme.pk):
        began = time.monotonic()
        counts = dict(zip(VIEWS, view_counts([*VIEWS.values()]), strict=True))
        took_s = time.monotonic() - began
    print(f"{len(VIEWS)} views counted: {took_s * 1000:.0f} ms")
    assert {counts[name] for name in ("all", "week", "expensive", "often called", "ended in a month")} == {"1,000+"}
    assert {counts[name] for name in ("running", "none so expensive", "none so slow", "no such tool", "no such run")} == {"0"}
    assert counts["ended in an hour"] == "60"
    assert took_s < 15
