"""Maps errors of the OpenAI API, and of compatible servers, to ProviderErrors (SECURITY 23).

The messages are shown to users and contain no key.
Sources: https://developers.openai.com/api/docs/guides/error-codes; the `code` of
https://developers.openai.com/api/reference/resources/responses;
the messages of vLLM, llama.cpp and LM Studio for a prompt that is too long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agents.errors import ContentBlocked, KeyRejected, PromptTooLong, ProviderError, QuotaSpent
from agents.providers.errors import BLOCKED, KEY_REFUSED, NO_CREDIT, provider_busy, request_refused, retry_after_s, status_error
from agents.providers.reasoning_retry import ReasoningRefused

# The HTTP status of each error code; errors inside a stream come without one.
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


def api_error(status: int | None, body: Any, headers: Mapping[str, str]) -> ProviderError:
    """Return the error for an error response. With `status` None, as inside a stream, the error's code decides."""
    error = _error_object(body)
    names = {str(error.get("code")), str(error.get("type"))}
    code = _status_of(error) if status is None else status
    if code == 402 or names & _QUOTA:
        return QuotaSpent(NO_CREDIT)
    if names & _BLOCKED:
        return ContentBlocked(BLOCKED)
    if "invalid_encrypted_content" in names:
        return request_refused(error.get("message"), ReasoningRefused)
    if "context_length_exceeded" in names or code == 413 or (code in (400, None) and _is_too_long(error)):
        return PromptTooLong()
    if code == 429:
        return provider_busy(retry_after_s(headers))
    if code == 401 or (code == 403 and not names & _NOT_THE_KEYS_FAULT):
        return KeyRejected(KEY_REFUSED)
    return status_error(code, error.get("message"))


def _error_object(body: Any) -> Mapping[str, Any]:
    """Return the error object of {"error": {...}}, {...}, {"error": "text"} or a bare text."""
    inner = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(inner, dict):
        return inner
    return {"message": inner} if isinstance(inner, str) else {}


def _status_of(error: Mapping[str, Any]) -> int | None:
    """Return the status of the error's code. Gateways write the status itself where OpenAI writes a code."""
    code = error.get("code")
    if isinstance(code, int):
        return code
    return _STATUSES.get(str(code)) or _STATUSES.get(str(error.get("type")))


def _is_too_long(error: Mapping[str, Any]) -> bool:
    return bool(_TOO_LONG.search(f"{error.get('message')} {error.get('type')}"))
