"""Maps each error of the Gemini API to a ProviderError (SECURITY 23). The messages are shown to users and contain no key.

Sources: https://ai.google.dev/gemini-api/docs/troubleshooting, google.rpc.RetryInfo, ErrorInfo and QuotaFailure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.errors import KeyRejected, PromptTooLong, ProviderError, QuotaSpent
from agents.providers.errors import KEY_REFUSED, NO_CREDIT, QUOTA_USED_UP, provider_busy, request_refused, status_error
from agents.providers.reasoning_retry import ReasoningRefused

# "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."; older models omit the first number.
_TOO_LONG = re.compile(r"input token count\b.{0,40}\bexceeds the maximum number of tokens", re.IGNORECASE)
_SIGNATURE = re.compile(r"thought[ _]signature", re.IGNORECASE)  # "Corrupted thought signature.", "... is missing a thought_signature ..."
_DELAY = re.compile(r"(\d{1,9}(?:\.\d+)?)s?")


def api_error(status: int | None, body: Any, headers: Mapping[str, str]) -> ProviderError:
    """Return the error for an error response. With `status` None, as inside a stream, the error's code decides."""
    error = _error_object(body)
    code = error.get("code") if status is None else status
    if code == 402:
        return QuotaSpent(NO_CREDIT)
    if code == 429 and _is_daily_quota(error):
        return QuotaSpent(QUOTA_USED_UP)
    if code == 429:
        return provider_busy(_retry_after_s(error, headers))
    if code in (401, 403) or "API_KEY_INVALID" in _reasons(error):
        return KeyRejected(KEY_REFUSED)
    if code == 400 and _TOO_LONG.search(str(error.get("message"))):
        return PromptTooLong()
    if code == 400 and _SIGNATURE.search(str(error.get("message"))):
        return request_refused(error.get("message"), ReasoningRefused)
    return status_error(code if isinstance(code, int) else 0, error.get("message"))


def _error_object(body: Any) -> Mapping[str, Any]:
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, dict):
        inner = body.get("error", body)
        return inner if isinstance(inner, dict) else body
    return {"message": body} if isinstance(body, str) else {}


def _details(error: Mapping[str, Any]) -> list[dict[str, Any]]:
    details = error.get("details")
    return [detail for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []


def _reasons(error: Mapping[str, Any]) -> Sequence[object]:
    return [detail.get("reason") for detail in _details(error)]


def _is_daily_quota(error: Mapping[str, Any]) -> bool:
    """Return whether a quota per day or longer is used up. Such responses nevertheless contain a RetryInfo of seconds."""
    groups = [detail.get("violations") for detail in _details(error)]
    violations = [violation for some in groups if isinstance(some, list) for violation in some if isinstance(violation, dict)]
    return any("PerDay" in str(violation.get("quotaId")) for violation in violations)


def _retry_after_s(error: Mapping[str, Any], headers: Mapping[str, str]) -> float | None:
    """Return the wait in seconds from RetryInfo or Retry-After, or None. These providers do not use the header's date form."""
    delays = [detail.get("retryDelay") for detail in _details(error)] + [headers.get("retry-after")]
    matches = [_DELAY.fullmatch(delay) for delay in delays if isinstance(delay, str)]
    return next((float(match[1]) for match in matches if match), None)
