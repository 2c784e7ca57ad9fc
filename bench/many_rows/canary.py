"""How long one look at a canary takes after two weeks of many runs (docs/performance.md). Beat looks once a minute.

python -m bench.many_rows.canary [--runs 100000]

It starts a PostgreSQL of its own in a temporary directory. Each run has four calls; a tenth of the runs are the canary's.
"""

from __future__ import annotations

import argparse
import statistics
import time
from datetime import timedelta

DAYS = 14
ROUNDS = 5
TARGET_MS = 1000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.many_rows.canary", description="What a look at a canary costs, in milliseconds.")
    parser.add_argument("--runs", type=int, default=100_000, help="in two weeks, of both releases; default: %(default)s")
    options = parser.parse_args()
    from bench.many_rows.generated_calls import own_database

    with own_database():
        return _measure(options.runs)


def _measure(runs: int) -> int:
    from django.db import connections
    from django.utils import timezone

    from admin_config.models import Canary, Release
    from bench.many_rows.generated_calls import fill
    from evaluations.canary.looks import look_at
    from evaluations.canary.rules import Rules
    from tenants.context import tenant_tx

    organization, _ = fill(runs, DAYS)
    with tenant_tx(organization.pk):
        live = Release.objects.get()
        release = Release.objects.create(number=2, content=live.content, content_hash="canary")
        canary = Canary.objects.create(release=release, base=live, percent=10, rules=Rules().model_dump())
        canary.started_at = timezone.now() - timedelta(days=DAYS)
    with connections["owner"].cursor() as cursor:
        cursor.execute("update chat_run set release_id = %s where get_byte(uuid_send(conversation_id), 1) < 26", [release.pk])
        cursor.execute("vacuum analyze chat_run")

    def look() -> tuple[float, str]:
        started = time.monotonic()
        with tenant_tx(organization.pk):
            canary_look = look_at(canary)
        return (time.monotonic() - started) * 1000, f"{canary_look.live_runs:,} and {canary_look.canary_runs:,} runs"

    looks = [look() for _ in range(ROUNDS)]
    took = [milliseconds for milliseconds, _ in looks]
    print(f"{looks[0][1]}: median {statistics.median(took):.0f} ms, slowest {max(took):.0f} ms")
    return 0 if statistics.median(took) <= TARGET_MS else 1


if __name__ == "__main__":
    raise SystemExit(main())
