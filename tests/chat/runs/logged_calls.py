"""Logged calls, compared with the requests that the double received."""

from __future__ import annotations

from collections import Counter

from chat.models import ModelCall
from chat.storage.call_log import sent_request_of
from evaluations.replays.check import run_check
from tests.support.agents.wire_body import wire_body
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace

# What other stores change: the order of keys, numbers, rare characters.
ODD = {
    "zeta": 1.0,
    "title": "T\u00ebe \N{TEACUP WITHOUT HANDLE}\u2028",
    "operation": "create",
    "alpha": {"y": [1.0, 1, -0.0, 1e-7, 1e22, 12345678901234567890, None, True], "b": {"\x00": "a\x00b"}},
    "instruction": "About\x00 tea",
}


def is_text(chunk: dict[str, object]) -> bool:
    return chunk["type"] == "text-delta"


def is_document(request: object) -> bool:
    return "<instruction>" in getattr(request, "user_text", "")


async def rebuilt(call: ModelCall) -> bytes:
    return await wire_body(await sent_request_of(call), call.provider)


async def checked_calls(acme: Workspace) -> list[ModelCall]:
    """The logged calls, oldest first, after a look that they make exactly the requests that the provider received."""
    calls: list[ModelCall] = await acme.rows(ModelCall)
    rebuilt_bodies = Counter([body for call in calls for body in [await rebuilt(call)] * call.attempts])
    assert rebuilt_bodies == Counter(request.raw for request in acme.double.requests)
    for run_id in {call.run_id for call in calls if call.run_id}:
        check = await run_check(run_id, organization_id=acme.organization.pk)
        assert check.equal > 0
        assert check.is_equal, (
            check.problem,
            [(call_check.call.step, call_check.call.kind, call_check.outcome) for call_check in check.calls],
        )
    return calls


async def tell(alice: Browser, chat_id: str, *texts: str, thinking: bool = False) -> None:
    """Send the messages one after the other; each run loads the history from its rows."""
    async with chat_socket(alice, "acme") as socket:
        for text in texts:
            await socket.answer(chat_id, text, thinking=thinking)
