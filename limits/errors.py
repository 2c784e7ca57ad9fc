"""Errors of limits."""

from __future__ import annotations

from math import ceil

from limits.allowances import IN_WORDS, SECONDS, Allowance
from tenants.errors import ParleyError


class MessageLimitReached(ParleyError):
    code = "message_limit_reached"
    status = 429

    def __init__(self, allowance: Allowance, wait_s: float) -> None:
        super().__init__(_text(allowance, wait_s))
        self.headers = {
            "Retry-After": str(ceil(wait_s)),
            "RateLimit-Policy": f'"{allowance.holder}-{allowance.window}";q={allowance.count};w={SECONDS[allowance.window]}',
            "RateLimit": f'"{allowance.holder}-{allowance.window}";r=0;t={ceil(wait_s)}',
        }  # draft-ietf-httpapi-ratelimit-headers-10


class LimitsChanged(ParleyError):
    """The limits changed again and again while a message was stored."""

    code = "limits_changed"
    status = 503
    message = "The limits were changed just now. Nothing was sent; please send it again."
    action = "retry"


def _text(allowance: Allowance, wait_s: float) -> str:
    who = {"organization": "Your organization", "member": "You", "token": "This API token"}[allowance.holder]
    if not allowance.count:
        return f"{who} may not send messages. An admin of your organization can change that."
    number = "1 message" if allowance.count == 1 else f"{allowance.count:,} messages"
    return f"{who} may send {number} {IN_WORDS[allowance.window]}. You can send the next one in {duration(wait_s)}."


def duration(seconds: float) -> str:
    """Return a time to wait in words, rounded up to a whole unit."""
    for name, size in (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)):
        if seconds > 2 * size or size == 1 or (name == "minute" and seconds > 60):
            number = max(1, ceil(seconds / size))
            return f"{number} {name}" if number == 1 else f"{number} {name}s"
    raise AssertionError("seconds are the smallest unit")
