"""Each fault of the OpenAI API, and of servers that speak it, as one ProviderError (SECURITY 23). The texts are for the user and hold no key.

Sources: https://developers.openai.com/api/docs/guides/error-codes, the `code` of https://developers.openai.com/api/reference/resources/responses;
the messages of vLLM, llama.cpp and LM Studio for a prompt that is too long.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError

from agents.engine.errors import (
    AddressRefused,
    ContentBlocked,
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

# The status that each code has; one inside a stream comes without it.
_STATUSES: Mapping[str, int] = {
    "rate_limit_exceeded": 429,
    "slow_down": 503,
    "server_is_overloaded": 503,
    "server_error": 500,
    "invalid_api_key": 401,
    "vector_store_timeout": 504,
}
_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_BLOCKED = frozenset({"invalid_prompt", "content_filter", "content_policy_violation", "bio_policy", "image_content_policy_violation"})
_NOT_THE_KEYS_FAULT = frozenset({"model_not_found", "unsupported_country_region_territory"})
_TOO_LONG = re.compile(r"maximum context length|context (?:length|window|size)|exceed_context_size", re.IGNORECASE)
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
    """The fault that an error answer tells of. `status` None: by the error's code, as inside a stream."""
    error = _error_object(body)
    names = {str(error.get("code")), str(error.get("type"))}
    if names & _QUOTA:
        return QuotaSpent("The provider's account has no credit left, or has reached its spending limit.")
    if names & _BLOCKED:
        return ContentBlocked("The provider's safety filter blocked this message.")
    code = _status_of(error) if status is None else status
    if "invalid_encrypted_content" in names:
        return ReasoningRefused(_sentence("The provider refused the request", error))
    if "context_length_exceeded" in names or code == 413 or (code in (400, None) and _is_too_long(error)):
        return PromptTooLong()
    if code == 429:
        return _busy(_retry_after_s(headers))
    if code == 401 or (code == 403 and not names & _NOT_THE_KEYS_FAULT):
        return KeyRejected("The provider did not accept the API key.")
    if code is not None and 400 <= code < 500 and code not in (408, 409, 499):
        return RequestRefused(_sentence("The provider refused the request", error))
    if code is None or code >= 500:
        return ProviderUnavailable(_sentence("The provider has a problem", error))
    return ProviderUnavailable("The provider did not give an answer.")


def _error_object(body: Any) -> Mapping[str, Any]:
    """The error itself: {"error": {...}}, {...}, {"error": "words"} or the words alone."""
    inner = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(inner, dict):
        return inner
    return {"message": inner} if isinstance(inner, str) else {}


def _status_of(error: Mapping[str, Any]) -> int | None:
    """Gateways write the status where OpenAI writes a code."""
    code = error.get("code")
    if isinstance(code, int):
        return code
    return _STATUSES.get(str(code)) or _STATUSES.get(str(error.get("type")))


def _is_too_long(error: Mapping[str, Any]) -> bool:
    return bool(_TOO_LONG.search(f"{error.get('message')} {error.get('type')}"))


def _busy(retry_after_s: float | None) -> ProviderBusy:
    when = "later" if retry_after_s is None else f"in {math.ceil(retry_after_s)} s"
    return ProviderBusy(f"The provider's rate limit is reached. Try again {when}.", retry_after_s)


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """In seconds; the header's date form is not used by these providers."""
    for name, per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        if match := _SECONDS.fullmatch(headers.get(name, "")):
            return float(match[0]) / per_second
    return None


def _sentence(start: str, error: Mapping[str, Any]) -> str:
    """`start` and the provider's own words, unless they are a gateway's page."""
    message = error.get("message")
    if not isinstance(message, str) or not message.strip() or "<" in message:
        return f"{start}."
    words = " ".join(message.split())[:MESSAGE_LENGTH]
    return f"{start}: {words}{'' if words.endswith(('.', '!', '?')) else '.'}"
