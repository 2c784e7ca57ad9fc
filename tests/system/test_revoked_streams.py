"""The connection of a stream ends when its API token is revoked."""

from __future__ import annotations

import time
from uuid import uuid4

import httpx2
import pytest

from doubles.script import Pacing, Pause, Text
from tests.support.suite.time_limits import scaled_to_load
from tests.support.system.product import Product
from tests.system.client import TIMEOUT_S, Member
from tests.system.request_predicates import is_chat_about

CLOSED_WITHIN_S = 1.0  # from the request that revokes it, between two processes


@pytest.mark.parametrize("is_silent", [False, True])
def test_a_revoked_tokens_stream_is_closed(product: Product, member: Member, is_silent: bool) -> None:
    topic = f"lakes{is_silent}"
    items = (Text("Well."), Pause(60)) if is_silent else (Text("word " * 500),)
    product.double.answer(*items, pacing=Pacing(tokens_per_s=5), when=is_chat_about(topic))
    token, token_id = member.api_token("read", "chat")
    body = {"id": str(uuid4()), "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": f"About {topic}"}]}]}
    client = httpx2.Client(base_url=product.url, trust_env=False, timeout=TIMEOUT_S)
    with client.stream("POST", "/api/chat", json=body, headers={"Authorization": f"Bearer {token}"}) as response:
        assert response.status_code == 200
        blocks = response.iter_raw()
        next(blocks)
        assert member.call("DELETE", f"tokens/{token_id}/") is None
        start = time.monotonic()
        with pytest.raises(httpx2.RemoteProtocolError):
            list(blocks)
        assert time.monotonic() - start < scaled_to_load(CLOSED_WITHIN_S)
