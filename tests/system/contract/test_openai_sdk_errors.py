"""What OpenAI's own SDK raises when the product refuses, a provider fails or a stream breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from doubles.script import Fault, ReceivedRequest, Text
from tests.support.agents.sdks import openai
from tests.system.contract.openai_account import AGENT, WEATHER, Account, account, asking, client

__all__ = ["account", "client"]

BAD_REQUESTS: dict[str, tuple[dict[str, Any], str, str | None]] = {
    "model": ({"model": "gpt-none"}, "NotFoundError", "model"),
    "no user": ({"messages": [{"role": "assistant", "content": "I begin."}]}, "BadRequestError", "messages"),
    "image": (
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.test/a.png"}}]}]},
        "BadRequestError",
        "messages.0.user.content",
    ),
    "n": ({"n": 2}, "BadRequestError", "n"),
    "unknown": ({"extra_body": {"beam_width": 4}}, "BadRequestError", "beam_width"),
    "temperature": ({"temperature": 9}, "BadRequestError", "temperature"),
    "tool result without its call": (
        {"messages": [{"role": "tool", "tool_call_id": "x", "content": "?"}], "tools": [WEATHER]},
        "BadRequestError",
        "messages.0.tool_call_id",
    ),
    "choice without tools": ({"tool_choice": "required"}, "BadRequestError", None),
    "conversation": ({"extra_headers": {"x-parley-conversation": "none"}}, "NotFoundError", None),
}


@pytest.mark.parametrize("case", BAD_REQUESTS.values(), ids=BAD_REQUESTS.keys())
def test_what_does_not_fit_is_the_sdks_own_error(client: openai.OpenAI, case: tuple[Any, str, str | None]) -> None:
    change, error, param = case
    with pytest.raises(getattr(openai, error)) as refusal:
        client.chat.completions.create(**{"model": AGENT, "messages": asking("Hi"), **change})
    assert refusal.value.param == param
    assert refusal.value.message


def test_requests_without_a_right_are_refused(account: Account) -> None:
    text, token_id = account.token()
    account.revoke(token_id)
    cases = [
        (account.client("sk-not-ours"), openai.AuthenticationError),
        (account.client(text), openai.AuthenticationError),
        (account.client(account.token("read", "write")[0]), openai.PermissionDeniedError),
        (account.client(base="/o/elsewhere/v1"), openai.NotFoundError),
    ]
    for sdk_client, error in cases:
        with pytest.raises(error):
            sdk_client.models.list()
        with pytest.raises(error):
            sdk_client.chat.completions.create(model=AGENT, messages=asking("Hi"))
    with pytest.raises(openai.NotFoundError, match="v1/embeddings"):
        account.client().embeddings.create(model=AGENT, input="x")


@pytest.mark.parametrize("extra", [{}, {"stream": True}, {"tools": [WEATHER]}, {"tools": [WEATHER], "stream": True}])
def test_a_provider_that_fails_is_an_error_and_not_tried_again(account: Account, extra: dict[str, Any]) -> None:
    account.product.double.answer(Fault.blocked())
    before = len(account.product.double.requests)
    with pytest.raises(openai.BadRequestError) as refusal:
        account.client().with_options(max_retries=2).chat.completions.create(model=AGENT, messages=asking("Hi"), **extra)
    assert refusal.value.code == "content_blocked"
    assert len(account.product.double.requests) == before + 1


def saying(word: str) -> Callable[[ReceivedRequest], bool]:
    return lambda request: word in request.user_text


@pytest.mark.parametrize("extra", [{}, {"tools": [WEATHER]}], ids=["agent", "tools"])
def test_what_no_context_has_room_for_and_a_provider_that_is_busy_are_the_sdks_own_errors(
    account: Account, client: openai.OpenAI, extra: dict[str, Any]
) -> None:
    too_long = Fault.status(400, "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).")
    for fault, error, code in (
        (too_long, openai.BadRequestError, "context_too_long"),
        (Fault.status(429, "Resource has been exhausted."), openai.RateLimitError, "provider_busy"),
    ):
        account.product.double.answer(fault, times=8, when=saying(code))
        with pytest.raises(error) as refusal:
            client.chat.completions.create(model=AGENT, messages=asking(f"Hi, {code}"), **extra)
        assert refusal.value.code == code


def test_a_fault_in_the_middle_of_a_stream_is_raised_too(account: Account, client: openai.OpenAI) -> None:
    account.product.double.answer(
        Text("Half an ", pieces=["Half an "]), Fault.cut(), times=8, when=lambda request: "Break" in request.user_text
    )
    with pytest.raises(openai.APIError) as fault:
        list(client.chat.completions.create(model=AGENT, messages=asking("Break"), tools=[WEATHER], stream=True))
    assert fault.value.code == "answer_cut"
