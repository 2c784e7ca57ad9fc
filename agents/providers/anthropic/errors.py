"""Maps each error of the Claude API to a ProviderError (SECURITY 23). The messages are shown to users and contain no key.

Source: https://platform.claude.com/docs/en/api/errors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_noop

from agents.errors import KeyRejected, PromptTooLong, ProviderError, QuotaSpent
from agents.providers.errors import (
    KEY_REFUSED,
    QUOTA_USED_UP,
    RATE_LIMIT,
    one_line,
    provider_busy,
    request_refused,
    retry_after_s,
    status_error,
)
from agents.providers.reasoning_retry import ReasoningRefused

OVERLOADED = gettext_noop("The provider is overloaded.")

# The HTTP status of each error type; errors inside a stream come without one.
_STATUSES: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_TOO_LONG = re.compile(r"prompt is too long|exceed context limit", re.IGNORECASE)
# The account has nothing left to spend; most of these errors come as invalid requests.
_QUOTA = re.compile(r"credit balance is too low|reached your specified .*usage limits|spend limit", re.IGNORECASE)
# The signature or encrypted data of a returned block is invalid. The API words errors about people's own input differently.
_BAD_SIGNATURE = re.compile(r"Invalid `(?:signature|data|encrypted_\w+)` in `\w+` block")


def api_error(status: int | None, body: Any, headers: Mapping[str, str]) -> ProviderError:
    """Return the error for an error response. With `status` None, as inside a stream, the error's type decides."""
    error = _error_object(body)
    code, message = _STATUSES.get(str(error.get("type")), 500) if status is None else status, one_line(error.get("message"))
    if code == 402 or (code in (400, 403, 429) and _QUOTA.search(message)):
        return QuotaSpent(QUOTA_USED_UP)
    if code in (429, 529):
        return provider_busy(retry_after_s(headers), OVERLOADED if code == 529 else RATE_LIMIT)
    if code == 401:
        return KeyRejected(KEY_REFUSED)
    if code == 403:
        return KeyRejected(gettext_noop("The provider does not allow this with the API key."))
    if code == 413 or (code == 400 and _TOO_LONG.search(message)):
        return PromptTooLong()
    if code == 400 and _BAD_SIGNATURE.search(message):
        return request_refused(message, ReasoningRefused)
    return status_error(code, message)


def _error_object(body: Any) -> Mapping[str, Any]:
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}
