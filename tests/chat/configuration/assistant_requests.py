"""Members who choose an assistant, and what they are told of it."""

from __future__ import annotations

from typing import Any

from tenants.context import tenant_tx
from tenants.models import GroupMember, MemberGroup, Membership
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, ChatSocket

UNAVAILABLE_TEXT = "This assistant is not available to you any more. Choose who should answer, then send your message again."


def put_into_group(cast: Cast, *people: Any, name: str = "Sales") -> MemberGroup:
    with tenant_tx(cast.acme.pk):
        group = MemberGroup.objects.create(name=name)
        for person in people:
            GroupMember.objects.create(group=group, membership=Membership.objects.get(user=person, organization=cast.acme))
    return group


async def refusal(socket: ChatSocket, chat_id: str, text: str = "Hi", **options: Any) -> str:
    """What is said about a message that was refused."""
    await socket.send(chat_id, text, **options)
    frame = await socket.receive()
    assert frame["type"] == "error", frame
    return str(frame["errorText"])


async def names_for(browser: Browser) -> list[str]:
    return [item["name"] for item in (await browser.get("/o/acme/api/assistants/"))["items"]]
