"""How long the list of runs takes with a million model calls: makes the rows, asks for each view (docs/performance.md).

python -m bench.many_rows.explorer [--runs 250000] [--keep DIR]

It starts a PostgreSQL of its own in a temporary directory. With --keep the database stays in that directory, for the next call. Each run
has four calls; the runs lie within the last sixty days, and are those of 200 members. Their hours are summed up first, as the workers do.
"""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

DAYS = 60
TARGET_MS = 300
_DAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=20)


def _ended_within(after: timedelta, first: datetime = _DAY) -> dict[str, str]:
    """Return what a bar of the histogram asks for."""
    return {"period": "ended", "first": f"{first:%Y-%m-%dT%H:%M}", "last": f"{first + after:%Y-%m-%dT%H:%M}"}


VIEWS: tuple[dict[str, str], ...] = (
    {},
    {"period": "30"},
    {"period": "all"},
    _ended_within(timedelta(hours=1)),
    _ended_within(timedelta(days=1)),
    _ended_within(timedelta(days=31), _DAY - timedelta(days=20)),
    {**_ended_within(timedelta(hours=1)), "state": "failed"},
    {"period": "all", "state": "failed"},
    {"period": "all", "assistant": "helper"},
    {"period": "all", "member": "Member 7"},
    {"period": "all", "q": "rate_limited"},
    {"period": "all", "cost": "0.004"},
    {"period": "all", "cost": "5"},
    {"period": "all", "seconds": "30"},
    {"period": "all", "seconds": "600"},
    {"period": "all", "tokens": "9000"},
    {"period": "all", "tool": "search"},
    {"period": "all", "tool": "orders"},
    {"period": "all", "tool": "fetch_url"},
    {"period": "all", "cost": "5", "seconds": "600", "tokens": "9000", "tool": "fetch_url", "state": "done"},
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.many_rows.explorer", description="What the list of runs costs, in milliseconds.")
    parser.add_argument("--runs", type=int, default=250_000, help="each with four calls; default: %(default)s")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the database there, or use the one that is there")
    options = parser.parse_args()
    from bench.many_rows.generated_calls import own_database

    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    with own_database(options.keep):
        return _measure(options.runs)


def _measure(runs: int) -> int:
    from urllib.parse import urlencode

    from django.test import Client

    from bench.many_rows.generated_calls import fill, page_time_ms
    from chat.overview.rollup import figures_fill
    from tenants.models import Organization, User

    user = User.objects.using("owner").order_by("pk").first() or fill(runs, DAYS)[1]
    hours = figures_fill(organization_id=Organization.objects.using("owner").get(slug="acme").pk, until=time.monotonic() + 600)
    print(f"summed up {hours:,} hours", flush=True)
    client = Client()
    client.force_login(user)
    slowest = max(page_time_ms(urlencode(view) or "last 7 days", client, "/o/acme/admin/chat/run/", view) for view in VIEWS)
    return 0 if slowest <= TARGET_MS else 1


if __name__ == "__main__":
    raise SystemExit(main())
