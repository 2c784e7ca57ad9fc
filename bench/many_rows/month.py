"""How long each page over model calls takes with a month of ten million of them (docs/performance.md).

python -m bench.many_rows.month [--runs 2500000] [--days 30] [--keep DIR]

Each run has four calls of models and two results of tools; the runs are those of 200 members. It starts a PostgreSQL of its own in a
temporary directory, which takes about 16 GB. With --keep the database stays in that directory, and the next call with the same one measures without loading anything.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

TARGET_MS = 200
ADMIN = "/o/acme/admin/"
RUNS = f"{ADMIN}chat/run/"
TOOLS = f"{ADMIN}usage/usagesum/tools/"
RESULTS = 2  # of tools, of each run
_MONTH = {"period": "month"}
PAGES: tuple[tuple[str, str, dict[str, str]], ...] = (
    *((f"overview, {period}", ADMIN, {"period": period}) for period in ("today", "7", "30")),
    *((f"runs, last days: {days}", RUNS, {"period": days}) for days in ("1", "7", "30", "all")),
    ("runs that failed, any time", RUNS, {"state": "failed", "period": "all"}),
    ("runs with an error code, any time", RUNS, {"q": "rate_limited", "period": "all"}),
    ("runs with an error that nothing has, any time", RUNS, {"q": "no_such_error", "period": "all"}),
    ("runs of a member, any time", RUNS, {"member": "Member 7", "period": "all"}),
    ("runs of an assistant, any time", RUNS, {"assistant": "helper", "period": "all"}),
    ("runs of an agent, any time", RUNS, {"agent": "document_agent_google", "period": "all"}),
    ("runs that called a model, any time", RUNS, {"called": "google-model", "period": "all"}),
    ("runs with thumbs down, any time", RUNS, {"rating": "down", "period": "all"}),
    *((f"tools, {words}", TOOLS, query) for words, query in {"7 days": {"period": "7"}, "month": _MONTH}.items()),
    ("tools, the month with a line open", TOOLS, {**_MONTH, "open": "tool_1"}),
    ("tools, the month of an agent", TOOLS, {**_MONTH, "agent": "chat_model_agent_google"}),
    ("board of operations", f"{RUNS}operations/", {}),
    ("violations", f"{ADMIN}limits/ratelimit/violations/", {}),
    ("my usage", "/o/acme/api/usage/summary/", {}),
    ("what is left", "/o/acme/api/limits/", {}),
    ("limits", f"{ADMIN}limits/ratelimit/", {}),
    ("budgets", f"{ADMIN}limits/budget/", {}),
)

OPERATOR_PAGES = (("organizations", "/operator/"), ("operations", "/operator/chat/run/"), ("plans", "/operator/limits/plan/"))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.many_rows.month", description="What pages cost with a month of calls, in milliseconds."
    )
    parser.add_argument("--runs", type=int, default=2_500_000, help="each with four calls; default: %(default)s")
    parser.add_argument("--days", type=int, default=30, help="in which the runs lie; default: %(default)s")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the database there, or use the one that is there")
    options = parser.parse_args()
    from bench.many_rows.generated_calls import own_database

    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    with own_database(options.keep):
        return _measure(options.runs, options.days)


def _measure(runs: int, days: int) -> int:
    from django.test import Client

    from bench.many_rows import usage
    from bench.many_rows.generated_calls import page_time_ms
    from tenants.models import User
    from usage.models import UsageProgress

    if not UsageProgress.unscoped.using("owner").exists():
        _load(runs, days)
    user = User.objects.using("owner").order_by("pk")[0]
    client, operator = Client(), Client()
    client.force_login(user)
    operator.force_login(_operator())
    run = _a_run()
    pages = (*usage.PAGES, *PAGES, ("a run", f"{RUNS}{run}/", {}))
    slowest = max(page_time_ms(name, client, path, query) for name, path, query in pages)
    of_operator = max(page_time_ms(f"operator: {name}", operator, path, {}) for name, path in OPERATOR_PAGES)
    return 0 if max(slowest, of_operator) <= TARGET_MS else 1


def _operator() -> Any:
    from tenants.models import User

    users = User.objects.using("owner")
    return users.filter(is_superuser=True).first() or users.create(email="operator@example.org", is_superuser=True, is_staff=True)


def _load(runs: int, days: int) -> None:
    """Make the rows and all sums over them, and say how large they are."""
    from django.db import connections

    from bench.many_rows.generated_calls import TABLES, fill
    from chat.overview.rollup import figures_fill
    from tenants.models import Organization
    from usage.rollup import usage_fill
    from usage.savings.analysis import hints_refresh

    organization = Organization.objects.using("owner").first() or fill(runs, days, results=RESULTS)[0]
    _let_statements_be_long()
    until = time.monotonic() + 3 * 3600
    _print_time("usage added up", lambda: usage_fill(organization_id=organization.pk, until=until))
    _print_time("hours summed up", lambda: figures_fill(organization_id=organization.pk, until=until))
    with connections["owner"].cursor() as cursor:
        for table in (
            *TABLES,
            "usage_usagesum",
            "usage_modelsum",
            "usage_membersum",
            "usage_toolsum",
            "usage_toolagentsum",
            "usage_usagetime",
            "usage_conversationsum",
            "usage_usageconversation",
        ):
            cursor.execute(f'vacuum analyze "{table}"')
            cursor.execute(f"select count(*), pg_size_pretty(pg_total_relation_size('{table}')) from {table}")
            count, size = cursor.fetchone()
            print(f"{table}: {count:,} rows, {size}", flush=True)
    connections["owner"].close()
    _print_time("a round without anything new", lambda: usage_fill(organization_id=organization.pk, until=until))
    _print_time("hints", lambda: hints_refresh(organization_id=organization.pk))


def _let_statements_be_long() -> None:
    """Add up a day at once, as no worker would: a month in small steps takes the bench half an hour longer, for the same rows."""
    from datetime import timedelta

    from django.db import connection

    from chat.overview import rollup as hours
    from usage import rollup as days

    vars(days)["AT_ONCE"] = vars(hours)["AT_ONCE"] = timedelta(days=1)
    with connection.cursor() as cursor:
        cursor.execute("set statement_timeout = 0; set work_mem = '256MB'")


def _a_run() -> Any:
    from django.db import connections

    with connections["owner"].cursor() as cursor:
        cursor.execute("select id from chat_run order by created_at desc limit 1")
        return cursor.fetchone()[0]


def _print_time(name: str, work: Any) -> None:
    started = time.monotonic()
    print(f"{name}: {work()} in {time.monotonic() - started:.1f} s", flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    raise SystemExit(main())
