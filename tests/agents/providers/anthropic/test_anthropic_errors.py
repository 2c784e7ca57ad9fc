"""Each fault of the Claude API as one error with a sentence for the user."""

from __future__ import annotations

from typing import Any

import pytest

from agents.errors import (
    KeyRejected,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
    RequestRefused,
)
from agents.providers.anthropic.errors import api_error
from agents.providers.errors import MAX_MESSAGE_CHARS


def error(message: Any = "", kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


@pytest.mark.parametrize(
    ("status", "body", "kind", "text"),
    [
        (401, error("secret words", "authentication_error"), KeyRejected, "The provider did not accept the API key."),
        (403, error("no", "permission_error"), KeyRejected, "The provider does not allow this with the API key."),
        (400, error("Bad\n request."), RequestRefused, "The provider refused the request: Bad request."),
        (404, error("model: x", "not_found_error"), RequestRefused, "The provider refused the request: model: x."),
        (404, "<html>no</html>", RequestRefused, "The provider refused the request."),
        (422, error(5), RequestRefused, "The provider refused the request."),
        (400, error("prompt is too long: 5 tokens > 4 maximum"), PromptTooLong, "This is too long for the model."),
        (400, error("input length and `max_tokens` exceed context limit: 9 + 5 > 10"), PromptTooLong, "This is too long for the model."),
        (413, "nonsense", PromptTooLong, "This is too long for the model."),
        (402, error("?", "billing_error"), QuotaSpent, "The provider's quota for this key is used up."),
        (400, error("Your credit balance is too low to access the Anthropic API."), QuotaSpent, "The provider's quota for this key"),
        (400, error("You have reached your specified API usage limits."), QuotaSpent, "The provider's quota for this key is used up."),
        (408, error(), ProviderUnavailable, "The provider did not give an answer."),
        (500, error("Oops.", "api_error"), ProviderUnavailable, "The provider reports a problem: Oops."),
        (502, "<html>Bad gateway</html>", ProviderUnavailable, "The provider reports a problem."),
        (529, error("Overloaded", "overloaded_error"), ProviderBusy, "The provider is overloaded. Try again later."),
        (302, {}, ProviderUnavailable, "The provider did not give an answer."),
        # inside a stream there is no status, only the type
        (None, error("Overloaded", "overloaded_error"), ProviderBusy, "The provider is overloaded."),
        (None, error("Slow down.", "rate_limit_error"), ProviderBusy, "The provider's rate limit is reached."),
        (None, error("No.", "invalid_request_error"), RequestRefused, "The provider refused the request: No."),
        (None, error("Hm.", "an_error_of_tomorrow"), ProviderUnavailable, "The provider reports a problem: Hm."),
        (None, {"error": "?"}, ProviderUnavailable, "The provider reports a problem."),
    ],
)
def test_each_error_answer_becomes_one_error_with_a_sentence(status: int | None, body: Any, kind: type[ProviderError], text: str) -> None:
    fault = api_error(status, body, {})
    assert type(fault) is kind
    assert str(fault).startswith(text)


@pytest.mark.parametrize(
    ("headers", "retry_after_s", "when"),
    [
        ({}, None, "later"),
        ({"retry-after": "9"}, 9.0, "in 9 s"),
        ({"retry-after": "34.5"}, 34.5, "in 35 s"),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None, "later"),
    ],
)
def test_the_rate_limit_says_when(headers: dict[str, str], retry_after_s: float | None, when: str) -> None:
    fault = api_error(429, error("Quota.", "rate_limit_error"), headers)
    assert isinstance(fault, ProviderBusy)
    assert fault.retry_after_s == retry_after_s
    assert str(fault) == f"The provider's rate limit is reached. Try again {when}."


def test_the_providers_words_are_cut() -> None:
    assert len(str(api_error(400, error("x" * 10_000), {}))) < MAX_MESSAGE_CHARS + 50
