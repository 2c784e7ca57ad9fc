"""What the faults of all providers have in common: the connection's, and how the user reads them (SECURITY 23).

The texts are for the user and hold no key. What an API says of itself is in the modules of the three vendors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import httpx2

from agents.engine.errors import AddressRefused, FirstByteTimeout, ProviderBusy, ProviderError, ProviderUnavailable, RequestRefused
from security.egress.errors import EgressRefused

MAX_MESSAGE_CHARS = 300  # characters of the provider's own words
UNREADABLE = "The provider sent an answer that could not be read."
RATE_LIMIT = "The provider's rate limit is reached."
BLOCKED = "The provider's safety filter blocked this message."

_RETRYABLE_STATUSES = (408, 409, 499)  # of the 4xx: nothing was wrong with the request
_SECONDS = re.compile(r"\d{1,9}(?:\.\d+)?")  # 400 digits would be no finite float


def connection_error(error: BaseException) -> ProviderError:
    """The fault behind an exception of the HTTP client or a time limit. The adapters' own limit is that of the first byte."""
    match error:
        case EgressRefused():
            return AddressRefused(str(error))
        case TimeoutError():
            return FirstByteTimeout("The provider did not begin to answer in time.")
        case httpx2.TimeoutException():
            return ProviderUnavailable("The provider did not answer in time.")
        case httpx2.ConnectError():
            return ProviderUnavailable("The provider could not be reached.")
        case httpx2.HTTPError():
            return ProviderUnavailable("The connection to the provider broke.")
        case _:
            return ProviderUnavailable(UNREADABLE)


def status_error(status: int | None, message: Any) -> ProviderError:
    """The fault of a status that has no special meaning, with the provider's own words; None: it named none."""
    if status is not None and 400 <= status < 500 and status not in _RETRYABLE_STATUSES:
        return request_refused(message)
    if status is None or status >= 500:
        return ProviderUnavailable(with_provider_words("The provider has a problem", message))
    return ProviderUnavailable("The provider did not give an answer.")


def request_refused(message: Any, kind: type[RequestRefused] = RequestRefused) -> RequestRefused:
    return kind(with_provider_words("The provider refused the request", message))


def provider_busy(retry_after_s: float | None, what: str = RATE_LIMIT) -> ProviderBusy:
    when = "later" if retry_after_s is None else f"in {math.ceil(retry_after_s)} s"
    return ProviderBusy(f"{what} Try again {when}.", retry_after_s)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """In seconds; the header's date form is not used by these providers."""
    for name, per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        if match := _SECONDS.fullmatch(headers.get(name, "")):
            return float(match[0]) / per_second
    return None


def one_line(message: Any) -> str:
    """A message as one line; "" for what is no text."""
    return " ".join(message.split()) if isinstance(message, str) else ""


def with_provider_words(start: str, message: Any) -> str:
    """`start` and the provider's own words, unless they are a gateway's page."""
    said = one_line(message)[:MAX_MESSAGE_CHARS]
    if not said or "<" in said:
        return f"{start}."
    return f"{start}: {said}{'' if said.endswith(('.', '!', '?')) else '.'}"
