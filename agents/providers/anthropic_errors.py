"""Each fault of the Claude API as one ProviderError (SECURITY 23). The texts are for the user and hold no key.

Source: https://platform.claude.com/docs/en/api/errors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import httpx2
from anthropic import APIConnectionError, APIStatusError, APITimeoutError

from agents.engine.errors import (
    AddressRefused,
    KeyRejected,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
    RequestRefused,
)
from agents.providers.reasoning import ReasoningRefused
from security.egress.errors import EgressRefused

MESSAGE_LENGTH = 300  # characters of the provider's own words
UNREADABLE = "The provider sent an answer that could not be read."

# The status that each type of error has; one inside a stream comes without it.
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
# The account has no more to spend; most of these come as an invalid request.
_SPENT = re.compile(r"credit balance is too low|reached your specified .*usage limits|spend limit", re.IGNORECASE)
# A signature or encrypted data of a block that came back; what people write into theirs is not said so.
_UNVERIFIED = re.compile(r"Invalid `(?:signature|data|encrypted_\w+)` in `\w+` block")
_SECONDS = re.compile(r"\d+(?:\.\d+)?")


def fault_of(error: BaseException) -> ProviderError:
    """The fault behind an exception of the SDK, the HTTP client or a time limit.

    The exceptions hold the request and its key: callers raise what this returns outside of the `except` block.
    """
    match error:
        case APIStatusError():
            return api_fault(error.status_code, error.body, error.response.headers)
        case EgressRefused():
            return AddressRefused(str(error))
        case TimeoutError() | httpx2.TimeoutException() | APITimeoutError():
            return ProviderUnavailable("The provider did not answer in time.")
        case APIConnectionError(__cause__=BaseException() as cause):
            return fault_of(cause)
        case httpx2.ConnectError():
            return ProviderUnavailable("The provider could not be reached.")
        case httpx2.HTTPError():
            return ProviderUnavailable("The connection to the provider broke.")
        case _:
            return ProviderUnavailable(UNREADABLE)


def api_fault(status: int | None, body: Any, headers: Mapping[str, str]) -> ProviderError:
    """The fault that an error answer tells of. `status` None: by the error's type, as inside a stream."""
    error = _error_object(body)
    code = _STATUSES.get(str(error.get("type")), 500) if status is None else status
    if code == 402 or (code in (400, 403, 429) and _SPENT.search(_words(error))):
        return QuotaSpent("The provider's quota for this key is used up. An admin can raise it at the provider.")
    if code in (429, 529):
        return _busy(code, _retry_after_s(headers))
    if code == 401:
        return KeyRejected("The provider did not accept the API key.")
    if code == 403:
        return KeyRejected("The provider does not allow this with the API key.")
    if code == 413 or (code == 400 and _TOO_LONG.search(_words(error))):
        return PromptTooLong()
    if code == 400 and _UNVERIFIED.search(_words(error)):
        return ReasoningRefused(_sentence("The provider refused the request", error))
    if 400 <= code < 500 and code not in (408, 499):
        return RequestRefused(_sentence("The provider refused the request", error))
    if code >= 500:
        return ProviderUnavailable(_sentence("The provider has a problem", error))
    return ProviderUnavailable("The provider did not give an answer.")


def _busy(code: int, retry_after_s: float | None) -> ProviderBusy:
    what = "The provider is overloaded." if code == 529 else "The provider's rate limit is reached."
    when = "later" if retry_after_s is None else f"in {math.ceil(retry_after_s)} s"
    return ProviderBusy(f"{what} Try again {when}.", retry_after_s)


def _error_object(body: Any) -> Mapping[str, Any]:
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}


def _words(error: Mapping[str, Any]) -> str:
    message = error.get("message")
    return " ".join(message.split()) if isinstance(message, str) else ""


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """In seconds; this API does not use the header's date form."""
    match = _SECONDS.fullmatch(headers.get("retry-after", ""))
    return float(match[0]) if match else None


def _sentence(start: str, error: Mapping[str, Any]) -> str:
    """`start` and the provider's own words, unless they are a gateway's page."""
    words = _words(error)[:MESSAGE_LENGTH]
    if not words or "<" in words:
        return f"{start}."
    return f"{start}: {words}{'' if words.endswith(('.', '!', '?')) else '.'}"
