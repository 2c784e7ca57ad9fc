"""Control at another web process than the one that writes the answer: effective within a second, and once.

A second is what an unloaded machine is held to (docs/reliability.md has the figures); a loaded one gets WITHIN_S.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from doubles.script import ReceivedRequest, Text
from doubles.signals import Gate
from tests.support.suite.time_limits import scaled_to_load
from tests.support.system.product import Product, wait_for
from tests.system.client import Chunk, Member, answer_texts, is_text
from tests.system.request_predicates import create_document, is_chat_about, is_document_about
from tools.embedded.programs import Program

WITHIN_S = 5.0
ASK_FIRST = """
import django
django.setup()
from admin_config.models import AgentConfig
from admin_config.services.configuration import release_publish
from tenants.context import tenant_tx
from tenants.models import Organization
organization = Organization.objects.using("system").get(slug="demo")
with tenant_tx(organization.pk):
    AgentConfig.objects.filter(key="document_agent_demo").update(ask_first={})
    release_publish(organization_id=organization.pk)
"""


@pytest.fixture(scope="module")
def other_device(product: Product, member: Member) -> Member:
    """The member's other device, at another web process."""
    return member.at(product.start_web().url)


@pytest.fixture
def asks_first(product: Product) -> Iterator[None]:
    """The document agent asks before each call, as long as the test runs."""
    for is_asking in (True, False):
        Program("configure", ["-c", ASK_FIRST.format(is_asking)], product.env, product.stack.layout.logs).run()
        if is_asking:
            yield


def effect_in_time(what: str, effect: Callable[[], Any], call: Callable[..., httpx2.Response], *arguments: Any) -> int:
    """Make the call, and see that its effect comes in time, which is printed; the answer's status."""
    began = time.monotonic()
    status = call(*arguments).status_code
    effect()
    took_s = time.monotonic() - began
    print(f"{what}: effective after {took_s:.2f} s")
    assert took_s < scaled_to_load(WITHIN_S)
    return status


def request_about(product: Product, topic: str) -> ReceivedRequest:
    """The chat agent's only request about `topic`."""
    [request] = [request for request in product.double.requests if is_chat_about(topic)(request)]
    return request


def is_asked(product: Product, matches: Callable[[ReceivedRequest], bool], count: int = 1) -> Callable[[], bool]:
    """Wait until the provider was asked so often."""
    return lambda: wait_for(lambda: sum(map(matches, product.double.requests)) >= count, "the provider is asked")


def paused_call(member: Member, chat_id: str, text: str) -> str:
    """Send a message whose answer pauses at a call that asks first; the approval's id."""
    with member.socket() as socket:
        chunks: list[Chunk] = socket.chunks(socket.send(chat_id, text))
    assert chunks[-1]["messageMetadata"]["waiting"] == "approval"
    return next(str(chunk["approvalId"]) for chunk in chunks if chunk["type"] == "tool-approval-request")


def test_stop_at_another_process_ends_the_providers_connection(product: Product, member: Member, other_device: Member) -> None:
    product.double.answer(Text("Half of it "), Gate("never"), when=is_chat_about("volcanoes"))
    chat_id = str(uuid4())
    with member.socket() as socket:
        request = socket.send(chat_id, "About volcanoes")
        socket.chunks(request, until=is_text)
        condition = request_about(product, "volcanoes").disconnected.wait
        answers = [effect_in_time("stop", condition, other_device.post, f"conversations/{chat_id}/stop/")]
        assert socket.chunks(request)[-1]["finishReason"] == "interrupted"
    answers += [device.post(f"conversations/{chat_id}/stop/").status_code for device in (other_device, member)]
    assert len(set(answers)) == 1, "asking again is no error"
    assert answer_texts(member.conversation(chat_id)) == ["Half of it "]
    assert (product.run(chat_id).status, product.run(chat_id).epoch) == ("stopped", 1)


def test_a_message_at_another_process_is_delivered_once(product: Product, member: Member, other_device: Member) -> None:
    product.double.answer(Text("Half of it "), Gate("never"), when=is_chat_about("glaciers"))
    chat_id, message = str(uuid4()), {"id": uuid4().hex, "text": "And shorter."}
    with member.socket() as socket:
        request = socket.send(chat_id, "About glaciers")
        socket.chunks(request, until=is_text)
        product.double.answer(Text("Ice flows."), when=lambda model_request: "And shorter." in model_request.user_text)
        condition = request_about(product, "glaciers").disconnected.wait
        statuses = [effect_in_time("a message into the answer", condition, other_device.post, f"conversations/{chat_id}/input/", message)]
        statuses.append(other_device.post(f"conversations/{chat_id}/input/", message).status_code)
        chunks = socket.chunks(request)
    assert statuses[0] == 202
    assert statuses[1] in (202, 409), "heard already, or over"
    assert sum(chunk["type"] == "steering-message" for chunk in chunks) == 1
    assert answer_texts(member.conversation(chat_id))[-1] == "Ice flows."


@pytest.mark.usefixtures("asks_first")
def test_what_an_answer_waits_for_at_another_process_lets_it_go_on_once(product: Product, member: Member, other_device: Member) -> None:
    double = product.double
    for what, topic in (("approve", "geysers"), ("deny", "meteors"), ("a message instead of a decision", "comets")):
        chat_id, message = str(uuid4()), {"id": uuid4().hex, "text": f"Rather tell me of {topic}."}
        double.answer(create_document(topic), when=is_chat_about(topic))
        approval = paused_call(member, chat_id, f"About {topic}")
        double.answer(Text(f"# {topic}"), when=is_document_about(topic))
        double.answer(Text("So be it."), when=is_chat_about(topic))

        call: tuple[str, Any] = f"conversations/{chat_id}/approvals/{approval}/", {"approved": what == "approve"}
        if what.startswith("a message"):
            call = f"conversations/{chat_id}/input/", message
        condition = is_asked(product, is_document_about(topic)) if what == "approve" else is_asked(product, is_chat_about(topic), count=2)
        assert effect_in_time(what, condition, other_device.post, *call) == 202
        product.finished(chat_id)

        again = {device.post(*call).status_code for device in (other_device, member)}
        assert again == ({202} if call[1] is message else {409}), "said again, and decided too late"
        assert answer_texts(member.conversation(chat_id)) == ["So be it."]
        assert sum(map(is_document_about(topic), double.requests)) == (what == "approve"), "the tool ran once, or never"
        assert product.run(chat_id).status == "done"
