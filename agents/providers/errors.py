"""Error handling shared by all providers: connection errors, and the messages that users read (SECURITY 23).

The messages contain no key. Errors specific to one API are in the vendors' own `errors` modules.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import httpx2
from django.utils.translation import gettext_noop

from agents.errors import AddressRefused, FirstByteTimeout, ProviderBusy, ProviderError, ProviderUnavailable, RequestRefused
from security.egress.errors import EgressRefused

MAX_MESSAGE_CHARS = 300  # of the provider's own message
UNREADABLE = gettext_noop("The provider sent an answer that could not be read.")
RATE_LIMIT = gettext_noop("The provider's rate limit is reached.")
KEY_REFUSED = gettext_noop("The provider did not accept the API key.")
QUOTA_USED_UP = gettext_noop("The provider's quota for this key is used up. An admin can raise it at the provider.")
NO_CREDIT = gettext_noop("The provider's account has no credit left, or has reached its spending limit.")
BLOCKED = "The provider's safety filter blocked this message."

_RETRYABLE_STATUSES = (408, 409, 499)  # the 4xx that are not the request's fault
_SECONDS = re.compile(r"\d{1,9}(?:\.\d+)?")  # nine digits at most: 400 would not be a finite float


def connection_error(error: BaseException) -> ProviderError:
    """Return the error for an exception of the HTTP client or of a time limit. TimeoutError: no first byte in time."""
    match error:
        case EgressRefused():
            return AddressRefused(str(error))
        case TimeoutError():
            return FirstByteTimeout(gettext_noop("The provider did not begin to answer in time."))
        case httpx2.TimeoutException():
            return ProviderUnavailable(gettext_noop("The provider did not answer in time."))
        case httpx2.ConnectError():
            return ProviderUnavailable(gettext_noop("The provider could not be reached."))
        case httpx2.HTTPError():
            return ProviderUnavailable(gettext_noop("The connection to the provider broke."))
        case _:
            return ProviderUnavailable(UNREADABLE)


def status_error(status: int | None, message: Any) -> ProviderError:
    """Return the error for a status without a special meaning, with the provider's message. None: no status was given."""
    if status is not None and 400 <= status < 500 and status not in _RETRYABLE_STATUSES:
        return request_refused(message)
    if status is None or status >= 500:
        return ProviderUnavailable(with_provider_message(gettext_noop("The provider reports a problem"), message))
    return ProviderUnavailable(gettext_noop("The provider did not give an answer."))


def request_refused(message: Any, kind: type[RequestRefused] = RequestRefused) -> RequestRefused:
    return kind(with_provider_message(gettext_noop("The provider refused the request"), message))


def provider_busy(retry_after_s: float | None, what: str = RATE_LIMIT) -> ProviderBusy:
    again = gettext_noop("Try again later.") if retry_after_s is None else f"Try again in {math.ceil(retry_after_s)} s."
    return ProviderBusy(f"{what} {again}", retry_after_s)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the wait in seconds, or None. These providers do not use the header's date form."""
    for name, per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        if match := _SECONDS.fullmatch(headers.get(name, "")):
            return float(match[0]) / per_second
    return None


def one_line(message: Any) -> str:
    """Return the message as one line; "" for anything but text."""
    return " ".join(message.split()) if isinstance(message, str) else ""


def with_provider_message(start: str, message: Any) -> str:
    """Return `start` followed by the provider's message, unless that is empty or a gateway's HTML page."""
    sentence = one_line(message)[:MAX_MESSAGE_CHARS]
    if not sentence or "<" in sentence:
        return f"{start}."
    return f"{start}: {sentence}{'' if sentence.endswith(('.', '!', '?')) else '.'}"
