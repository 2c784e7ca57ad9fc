"""Stop and a message into the answer, at another web process than the one that writes it: effective within a second, and once."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from agents.providers.doubles.script import ReceivedRequest, Text
from agents.providers.doubles.signals import Gate
from tests.support.product import Product
from tests.system.client import Member, answer_texts, is_text
from tests.system.scripts import asked

WITHIN_S = 1.0  # from the call until the provider's connection is closed (SECURITY 24)


@pytest.fixture(scope="module")
def elsewhere(product: Product, member: Member) -> Member:
    """The member's other device, at another web process."""
    return member.at(product.more_web("uvicorn").url)


def call_and_wait(product: Product, topic: str, call: Callable[[], Any]) -> ReceivedRequest:
    """Make a call while the provider is asked about `topic`; the request, which was given up in time."""
    [request] = [request for request in product.double.requests if asked(topic)(request)]
    began = time.monotonic()
    call()
    request.disconnected.wait()
    assert time.monotonic() - began < WITHIN_S
    return request


def test_stop_at_another_process_ends_the_providers_connection_within_a_second(product: Product, member: Member, elsewhere: Member) -> None:
    product.double.answer(Text("Half of it "), Gate("never"), when=asked("volcanoes"))
    chat_id = str(uuid4())
    with member.socket() as socket:
        request = socket.send(chat_id, "About volcanoes")
        socket.chunks(request, until=is_text)
        answers: list[int] = []
        call_and_wait(product, "volcanoes", lambda: answers.append(elsewhere.post(f"conversations/{chat_id}/stop/").status_code))
        assert socket.chunks(request)[-1]["finishReason"] == "interrupted"
    answers += [door.post(f"conversations/{chat_id}/stop/").status_code for door in (elsewhere, member)]
    assert len(set(answers)) == 1, "asking again is no error"
    assert answer_texts(member.conversation(chat_id)) == ["Half of it "]
    assert (product.run(chat_id).status, product.run(chat_id).epoch) == ("stopped", 1)


def test_a_message_at_another_process_is_heard_within_a_second_and_once(product: Product, member: Member, elsewhere: Member) -> None:
    product.double.answer(Text("Half of it "), Gate("never"), when=asked("glaciers"))
    chat_id, message = str(uuid4()), {"id": uuid4().hex, "text": "And shorter."}
    with member.socket() as socket:
        request = socket.send(chat_id, "About glaciers")
        socket.chunks(request, until=is_text)
        product.double.answer(Text("Ice flows."), when=lambda received: "And shorter." in received.user_text)
        call_and_wait(product, "glaciers", lambda: elsewhere.post(f"conversations/{chat_id}/input/", message))
        again = elsewhere.post(f"conversations/{chat_id}/input/", message)
        chunks = socket.chunks(request)
    assert again.status_code in (202, 409), "heard already, or over"
    assert sum(chunk["type"] == "steering-message" for chunk in chunks) == 1
    assert answer_texts(member.conversation(chat_id))[-1] == "Ice flows."
