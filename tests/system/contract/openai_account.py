"""OpenAI's SDK with a token of the product's member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from doubles.script import ReceivedRequest
from tests.support.agents.sdks import openai
from tests.support.system.product import Product
from tests.system.client import Member
from tests.system.request_predicates import is_title

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk

AGENT = "chat_model_agent"


class Account:
    """The signed-in member, who makes tokens, and the product."""

    def __init__(self, running: Product) -> None:
        self.product, self.member = running, Member(running.url)

    def token(self, *scopes: str) -> tuple[str, str]:
        """A new token's text and its id."""
        return self.member.api_token(*(scopes or ("chat",)))

    def revoke(self, token_id: str) -> None:
        self.member.call("DELETE", f"tokens/{token_id}/")

    def client(self, token: str | None = None, *, base: str = "/v1", **options: Any) -> openai.OpenAI:
        key = self.token()[0] if token is None else token
        return openai.OpenAI(base_url=self.product.url + base, api_key=key, max_retries=0, timeout=90, **options)


@pytest.fixture(scope="module")
def account(product: Product) -> Account:
    return Account(product)


@pytest.fixture(scope="module")
def client(account: Account) -> openai.OpenAI:
    return account.client()


def asking(text: str) -> Any:
    return [{"role": "user", "content": text}]


def last_request(account: Account) -> ReceivedRequest:
    return [request for request in account.product.double.requests if not is_title(request)][-1]


def text_of(chunks: list[ChatCompletionChunk]) -> str:
    return "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)


WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a town.",
        "parameters": {"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]},
    },
}
