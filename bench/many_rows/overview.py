"""How long an organization's overview takes with a million model calls: makes the rows, asks for the page (docs/performance.md).

python -m bench.many_rows.overview [--runs 250000]

It starts a PostgreSQL of its own in a temporary directory. Each run has four calls; the runs lie within the last sixty days, and are those
of 200 members.
"""

from __future__ import annotations

import argparse
import time

DAYS = 60
TARGET_MS = 300


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.many_rows.overview", description="What the overview costs, in milliseconds.")
    parser.add_argument("--runs", type=int, default=250_000, help="each with four calls; default: %(default)s")
    options = parser.parse_args()
    from bench.many_rows.generated_calls import own_database

    with own_database():
        return _measure(options.runs)


def _measure(runs: int) -> int:
    from django.test import Client

    from bench.many_rows.generated_calls import fill, page_time_ms
    from chat.overview.rollup import figures_fill

    organization, user = fill(runs, DAYS)
    client = Client()
    client.force_login(user)
    started = time.monotonic()
    hours = figures_fill(organization_id=organization.pk, until=started + 3600)
    print(f"summed up {hours} hours in {time.monotonic() - started:.1f} s")
    started = time.monotonic()
    figures_fill(organization_id=organization.pk, until=started + 3600)
    print(f"a round without anything new: {(time.monotonic() - started) * 1000:.1f} ms")
    slowest = max(page_time_ms(f"the page, {period}", client, "/o/acme/admin/", {"period": period}) for period in ("today", "7", "30"))
    return 0 if slowest <= TARGET_MS else 1


if __name__ == "__main__":
    raise SystemExit(main())
