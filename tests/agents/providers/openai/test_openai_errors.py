"""Each fault of OpenAI and of servers that speak its wire as one error with a sentence for the user."""

from __future__ import annotations

from typing import Any

import pytest

from agents.errors import (
    ContentBlocked,
    KeyRejected,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
    RequestRefused,
)
from agents.providers.errors import MAX_MESSAGE_CHARS
from agents.providers.openai.errors import api_error


def error(message: str = "", **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


@pytest.mark.parametrize(
    ("status", "body", "kind", "text"),
    [
        (401, error("Incorrect API key provided: sk-a****"), KeyRejected, "The provider did not accept the API key."),
        (403, {}, KeyRejected, "The provider did not accept the API key."),
        (403, error("No access.", code="model_not_found"), RequestRefused, "The provider refused the request: No access."),
        (429, error(code="insufficient_quota"), QuotaSpent, "The provider's account has no credit left"),
        (429, error(type="insufficient_quota"), QuotaSpent, "The provider's account has no credit left"),
        (429, error(code="rate_limit_exceeded"), ProviderBusy, "The provider's rate limit is reached. Try again later."),
        (402, error("Insufficient credits."), QuotaSpent, "The provider's account has no credit left"),  # OpenRouter, DeepSeek
        (400, error("Bad\n request."), RequestRefused, "The provider refused the request: Bad request."),
        (400, error(code="context_length_exceeded"), PromptTooLong, "This is too long for the model."),
        (400, error("This model's maximum context length is 4096 tokens."), PromptTooLong, "This is too long"),  # vLLM
        (400, error("Too much.", type="exceed_context_size_error", code=400), PromptTooLong, "This is too long"),  # llama.cpp
        (413, "nonsense", PromptTooLong, "This is too long"),
        (400, error(code="invalid_prompt"), ContentBlocked, "The provider's safety filter blocked this message."),
        (400, error(code="content_filter"), ContentBlocked, "The provider's safety filter blocked this message."),  # Azure
        (404, error("model 'x' not found"), RequestRefused, "The provider refused the request: model 'x' not found."),
        (404, {"error": "model 'x' not found"}, RequestRefused, "The provider refused the request: model 'x' not found."),
        (404, "<html>no</html>", RequestRefused, "The provider refused the request."),
        (408, error(), ProviderUnavailable, "The provider did not give an answer."),
        (302, {}, ProviderUnavailable, "The provider did not give an answer."),
        (500, error("Oops."), ProviderUnavailable, "The provider reports a problem: Oops."),
        (502, "<html>Bad gateway</html>", ProviderUnavailable, "The provider reports a problem."),
        # inside a stream
        (None, error(code="rate_limit_exceeded"), ProviderBusy, "The provider's rate limit is reached. Try again later."),
        (None, error("Slow.", code=429), ProviderBusy, "The provider's rate limit is reached. Try again later."),  # gateways
        (None, error("No credits.", code=402), QuotaSpent, "The provider's account has no credit left"),  # gateways
        (None, {"type": "error", "code": "server_error", "message": "Oops."}, ProviderUnavailable, "The provider reports a problem: Oops."),
        (None, error("Oops.", type="server_error"), ProviderUnavailable, "The provider reports a problem: Oops."),
        (None, error(code="invalid_prompt"), ContentBlocked, "The provider's safety filter blocked this message."),
        (None, error("maximum context length"), PromptTooLong, "This is too long"),
        (None, {"error": "Oops"}, ProviderUnavailable, "The provider reports a problem: Oops."),
        (None, None, ProviderUnavailable, "The provider reports a problem."),
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
        ({"retry-after": "9" * 400}, None, "later"),
        ({"retry-after": "9", "retry-after-ms": "1500"}, 1.5, "in 2 s"),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None, "later"),
    ],
)
def test_the_rate_limit_says_when(headers: dict[str, str], retry_after_s: float | None, when: str) -> None:
    fault = api_error(429, error("Slow."), headers)
    assert isinstance(fault, ProviderBusy)
    assert fault.retry_after_s == retry_after_s
    assert str(fault) == f"The provider's rate limit is reached. Try again {when}."


def test_the_providers_words_are_cut() -> None:
    assert len(str(api_error(400, error("x" * 10_000), {}))) < MAX_MESSAGE_CHARS + 50
