"""Each fault of the API as one error with a sentence for the user."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from agents.errors import (
    CONTEXT_TOO_LONG_TEXT,
    AddressRefused,
    FirstByteTimeout,
    KeyRejected,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
    RequestRefused,
)
from agents.providers.errors import MAX_MESSAGE_CHARS, NO_CREDIT, RATE_LIMIT, connection_error
from agents.providers.google.errors import api_error
from agents.providers.reasoning_retry import ReasoningRefused
from security.egress.errors import EgressRefused


def error(message: str = "", *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": 0, "message": message, "details": list(details)}}


@pytest.mark.parametrize(
    ("code", "body", "kind", "text"),
    [
        (400, error("API key not valid.", {"reason": "API_KEY_INVALID"}), KeyRejected, "The provider did not accept the API key."),
        (401, error("secret words"), KeyRejected, "The provider did not accept the API key."),
        (403, {}, KeyRejected, "The provider did not accept the API key."),
        (400, error("Bad\n request."), RequestRefused, "The provider refused the request: Bad request."),
        (400, error("The input token count (9) exceeds the maximum number of tokens allowed (8)."), PromptTooLong, CONTEXT_TOO_LONG_TEXT),
        (400, error("The input token count exceeds the maximum number of tokens allowed 8."), PromptTooLong, CONTEXT_TOO_LONG_TEXT),
        (400, error("Corrupted thought signature."), ReasoningRefused, "The provider refused the request: Corrupted thought signature."),
        (
            400,
            error("It is missing a thought_signature."),
            ReasoningRefused,
            "The provider refused the request: It is missing a thought_signature.",
        ),
        (402, error("Out of credit."), QuotaSpent, NO_CREDIT),  # gateways with this wire
        (404, error("models/x is not found."), RequestRefused, "The provider refused the request: models/x is not found."),
        (404, error("<html>no</html>"), RequestRefused, "The provider refused the request."),
        (413, "nonsense", RequestRefused, "The provider refused the request: nonsense."),
        (408, error(), ProviderUnavailable, "The provider did not give an answer."),
        (500, error("Oops."), ProviderUnavailable, "The provider reports a problem: Oops."),
        (503, error("overloaded"), ProviderUnavailable, "The provider reports a problem: overloaded."),
        (503, [error("Overloaded.")], ProviderUnavailable, "The provider reports a problem: Overloaded."),
        (502, {"message": "<html>Bad gateway</html>", "status": "Bad Gateway"}, ProviderUnavailable, "The provider reports a problem."),
        (302, {}, ProviderUnavailable, "The provider did not give an answer."),
        (
            429,
            error("", {"reason": [], "violations": 5}, {"reason": {}, "violations": [5]}),
            ProviderBusy,
            f"{RATE_LIMIT} Try again later.",
        ),
        (None, {"error": {"message": "?"}}, ProviderUnavailable, "The provider did not give an answer."),
    ],
)
def test_each_error_answer_becomes_one_error_with_a_sentence(code: int | None, body: Any, kind: type[ProviderError], text: str) -> None:
    fault = api_error(code, body, {})
    assert type(fault) is kind
    assert str(fault) == text


@pytest.mark.parametrize(
    ("details", "headers", "retry_after_s", "when"),
    [
        ([], {}, None, "later"),
        ([{"retryDelay": "34.5s"}], {}, 34.5, "in 35 s"),
        ([{"retryDelay": "2s"}], {"retry-after": "9"}, 2.0, "in 2 s"),
        ([], {"retry-after": "9"}, 9.0, "in 9 s"),
        ([], {"retry-after": "9" * 400}, None, "later"),
        ([{"retryDelay": "soon"}, "nonsense"], {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None, "later"),
    ],
)
def test_the_rate_limit_says_when(details: list[Any], headers: dict[str, str], retry_after_s: float | None, when: str) -> None:
    fault = api_error(429, error("Quota.", *details), headers)
    assert isinstance(fault, ProviderBusy)
    assert fault.retry_after_s == retry_after_s
    assert str(fault) == f"The provider's rate limit is reached. Try again {when}."


@pytest.mark.parametrize(
    ("quota_id", "kind"),
    [
        ("GenerateRequestsPerDayPerProjectPerModel-FreeTier", QuotaSpent),
        ("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", ProviderBusy),
    ],
)
def test_a_quota_of_a_day_is_not_waited_for(quota_id: str, kind: type[ProviderError]) -> None:
    violation = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota_id}]}
    assert type(api_error(429, error("Quota.", violation, {"retryDelay": "36s"}), {})) is kind


def test_the_providers_words_are_cut() -> None:
    assert len(str(api_error(400, error("x" * 10_000), {}))) < MAX_MESSAGE_CHARS + 50


@pytest.mark.parametrize(
    ("raised", "kind", "text"),
    [
        (TimeoutError(), FirstByteTimeout, "The provider did not begin to answer in time."),
        (httpx2.ConnectTimeout("host 1.2.3.4"), ProviderUnavailable, "The provider did not answer in time."),
        (httpx2.ConnectError("host 1.2.3.4"), ProviderUnavailable, "The provider could not be reached."),
        (httpx2.ReadError(""), ProviderUnavailable, "The connection to the provider broke."),
        (httpx2.RemoteProtocolError("peer closed"), ProviderUnavailable, "The connection to the provider broke."),
        (EgressRefused("Port 22 is not allowed."), AddressRefused, "Port 22 is not allowed."),
        (UnicodeDecodeError("utf-8", b"", 0, 1, ""), ProviderUnavailable, "The provider sent an answer that could not be read."),
    ],
)
def test_each_network_fault_becomes_one_error(raised: Exception, kind: type[ProviderError], text: str) -> None:
    fault = connection_error(raised)
    assert type(fault) is kind
    assert str(fault) == text
