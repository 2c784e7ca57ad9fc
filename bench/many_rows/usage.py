"""How long the usage pages take with a million model calls, and how long adding them up takes (docs/performance.md).

python -m bench.many_rows.usage [--runs 250000] [--days 60]

It starts a PostgreSQL of its own in a temporary directory. Each run has four calls of three kinds; the runs are those of 200 members.
Ten million calls, and all other pages over them: `python -m bench.many_rows.month`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

TARGET_MS = 300
PAGE = "/o/acme/admin/usage/usagesum/"

_MONTH = {"period": "month"}
PAGES: tuple[tuple[str, str, dict[str, str]], ...] = (
    *(
        (f"the page, {words}", PAGE, query)
        for words, query in {"today": {"period": "today"}, "7 days": {"period": "7"}, "month": _MONTH}.items()
    ),
    *((f"the month by {by}", PAGE, {**_MONTH, "by": by}) for by in ("model", "member", "day")),
    ("the month of one model by member", PAGE, {**_MONTH, "by": "member", "model": "google-model"}),
    ("the month with a line open", PAGE, {**_MONTH, "open": "chat_model_agent_google"}),
    ("the statement", f"{PAGE}statement/", {}),
    *(
        (f"REST, the organization by {group}", "/o/acme/api/usage/", {"whose": "organization", "group": group})
        for group in ("day", "model", "conversation")
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.many_rows.usage", description="What the usage pages cost, in milliseconds.")
    parser.add_argument("--runs", type=int, default=250_000, help="each with four calls; default: %(default)s")
    parser.add_argument("--days", type=int, default=60, help="in which the runs lie; default: %(default)s")
    options = parser.parse_args()
    from bench.many_rows.generated_calls import own_database

    with own_database():
        return _measure(options.runs, options.days)


def _measure(runs: int, days: int) -> int:
    from django.db import connections
    from django.test import Client

    from bench.many_rows.generated_calls import fill, page_time_ms
    from usage.rollup import usage_fill
    from usage.savings.analysis import hints_refresh

    organization, user = fill(runs, days)
    client = Client()
    client.force_login(user)

    def add_up() -> int:
        return usage_fill(organization_id=organization.pk, until=time.monotonic() + 3600)

    _print_time("added up", add_up)
    with connections["owner"].cursor() as cursor:
        for table in ("usage_usagesum", "usage_usagetime", "usage_conversationsum", "usage_usageconversation"):
            cursor.execute(f'vacuum analyze "{table}"')
            cursor.execute(f"select count(*) from {table}")
            print(f"{table}: {cursor.fetchone()[0]:,} rows", flush=True)
    _print_time("a round without anything new", add_up)
    _print_time("hints", lambda: hints_refresh(organization_id=organization.pk))
    slowest = max(page_time_ms(name, client, path, query) for name, path, query in PAGES)
    return 0 if slowest <= TARGET_MS else 1


def _print_time(name: str, work: Callable[[], Any]) -> None:
    started = time.monotonic()
    print(f"{name}: {work()} in {time.monotonic() - started:.2f} s", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
