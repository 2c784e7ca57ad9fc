"""Header fields that tell a client of OpenAI's API what is left of its limits (docs/api.md)."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from limits.allowances import Allowance, Allowances, Measure
from limits.counters import LimitUsage
from limits.errors import rate_limit_fields

# OpenAI counts requests and tokens; costs are in the standard fields alone.
OPENAI_NAMES: dict[Measure, str] = {"messages": "requests", "runs": "requests", "tokens": "tokens"}


def limit_headers(limits: Allowances, usages: Sequence[LimitUsage] | None) -> dict[str, str]:
    """Return OpenAI's fields for requests and tokens, and the standard ones, each of the limit with the smallest part left.

    Empty while nobody counts. Source: OpenAI, "Rate limits in headers"; draft-ietf-httpapi-ratelimit-headers-10.
    """
    if not usages:
        return {}
    tightest = sorted(zip(limits, usages, strict=True), key=lambda pair: -_remaining_count(*pair) / max(1, pair[0].count))
    headers: dict[str, str] = {}
    for limit, usage in tightest:  # the tightest is the last to be set
        left = _remaining_count(limit, usage)
        headers |= rate_limit_fields(limit, left, usage.resets_in_s)
        if name := OPENAI_NAMES.get(limit.measure):
            headers |= {
                f"x-ratelimit-limit-{name}": str(limit.count),
                f"x-ratelimit-remaining-{name}": str(left),
                f"x-ratelimit-reset-{name}": f"{ceil(usage.resets_in_s)}s",
            }
    return headers


def _remaining_count(limit: Allowance, usage: LimitUsage) -> int:
    return max(0, limit.count - usage.amount)
