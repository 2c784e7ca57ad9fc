"""Requests that are not simply the conversation so far are rebuilt too: compacted, pruned, signed and whatever chance makes."""

from __future__ import annotations

import random
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from admin_config.models import AgentPlugin, ModelConfig
from chat.models import Part
from doubles.script import Answer, Call, Fault, Item, Text, Thought
from security.models import RegisteredSecret
from security.secrets.registered_secrets import registered_secret_save
from tenants.context import tenant_tx
from tests.chat.runs.logged_calls import ODD, checked_calls, is_document, tell
from tests.support.chat.chat_socket import Browser
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

SPICE = ["\x00", "\u2028", "\N{GRINNING FACE}", "</tag>", '"\\', "\r\n", " ", "é", "0.1"]


def only_model(acme: Workspace, model_id: str, **values: object) -> None:
    """Let the chat run on this model."""
    with tenant_tx(acme.organization.pk):
        models = ModelConfig.objects.filter(provider="google")
        models.exclude(model_id=model_id).delete()
        models.update(is_default=True, **values)
    acme.publish()


def switch_plugin_on(acme: Workspace, name: str) -> None:
    with tenant_tx(acme.organization.pk):
        AgentPlugin.objects.filter(agent__key="chat_model_agent_google", name=name).update(is_enabled=True)
    acme.publish()


def register_secret(acme: Workspace, value: str) -> None:
    with tenant_tx(acme.organization.pk):
        registered_secret_save(registered=RegisteredSecret(name="api", tool="http"), value=value, url="https://api.example.org")


def answer_documents(acme: Workspace, text: str = "# Tea") -> None:
    """Every request of the document agent that nothing else is queued for gets this text."""
    acme.double.respond(lambda request: Answer((Text(text),)) if is_document(request) else None)


async def kinds_of_parts(acme: Workspace) -> set[str]:
    return {part.kind for part in await acme.rows(Part)}


async def test_what_a_model_signed_goes_back_from_the_rows(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(only_model)(acme, "gemini-3-flash-preview")
    answer_documents(acme)
    acme.double.answer(Thought("Hm."), Call("document_agent", ODD), Call("document_agent", ODD))
    acme.double.answer(Text("Two documents."))
    acme.double.answer(Text("You are welcome."))

    await tell(alice, chat_id, "Write twice", "Thanks", thinking=True)

    await checked_calls(acme)
    assert b"thoughtSignature" in acme.double.requests[-1].raw


async def test_a_pruned_context_can_be_rebuilt(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(acme.change_agent)("chat_model_agent_google", prune_tool_calls="before_last_message", prune_reasoning="all")
    answer_documents(acme)
    acme.double.answer(Thought("Hm."), Call("document_agent", ODD))
    acme.double.answer(Text("I wrote it."))
    acme.double.answer(Text("You are welcome."))

    await tell(alice, chat_id, "Write", "Thanks", thinking=True)

    await checked_calls(acme)
    assert b'"functionCall"' in acme.double.requests[2].raw
    assert b'"functionCall"' not in acme.double.requests[3].raw


async def test_a_compacted_history_can_be_rebuilt(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(only_model)(acme, "gemini-2.5-flash", context_window=20_000)
    acme.double.default(Text("Noted.", pieces=["Noted: " + "long " * 2000]))

    await tell(alice, chat_id, *(f"Message {number}: " + "word " * 2000 for number in range(6)))

    calls = await checked_calls(acme)
    assert "compacted_history" in await kinds_of_parts(acme)
    assert not any(call.own_entries for call in calls), "the compacted history is an entry of the branch"


async def test_a_request_for_suggestions_can_be_rebuilt(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(switch_plugin_on)(acme, "suggestions")
    acme.double.answer(Text("Tea is a drink."))
    acme.double.answer(Text('["And coffee?"]'), when=lambda request: "You suggest" in request.system_text)

    await tell(alice, chat_id, "What is tea?")

    calls = await checked_calls(acme)
    assert [(call.kind, bool(call.own_entries)) for call in calls] == [("step", False), ("suggestions", True)]


async def test_a_registered_secret_is_not_in_the_log_either(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(register_secret)(acme, "hunter2000")
    acme.double.default(Text("Noted."))

    await tell(alice, chat_id, "My key is hunter2000.", "What is it?")

    for call in await checked_calls(acme):
        assert [(place, content["text"]) for place, _, content, _ in call.own_entries] == [(0, "My key is {{secret:api}}.")]
    assert not any(b"hunter2000" in request.raw for request in acme.double.requests)


@pytest.mark.parametrize("seed", range(3))
async def test_random_conversations_can_be_rebuilt(acme: Workspace, alice: Browser, chat_id: str, seed: int) -> None:
    chance = random.Random(seed)
    answer_documents(acme, odd_text(chance))
    for _ in range(3):
        for item in faults(chance):
            acme.double.answer(item)
        for _ in range(chance.randrange(3)):
            calls = [Call(chance.choice(["document_agent", "no_such_tool"]), odd_arguments(chance)) for _ in range(chance.randint(1, 3))]
            acme.double.answer(*thoughts(chance), *calls)
        acme.double.answer(*thoughts(chance), Text(odd_text(chance)))

    await tell(alice, chat_id, *(odd_text(chance) for _ in range(3)), thinking=chance.random() < 0.7)

    assert acme.double.queued_count == 0
    assert len({call.run_id for call in await checked_calls(acme)}) == 3


def faults(chance: random.Random) -> list[Item]:
    return [Fault.status(chance.choice([429, 503]))] if chance.random() < 0.3 else []


def thoughts(chance: random.Random) -> list[Item]:
    return [Thought(odd_text(chance))] if chance.random() < 0.5 else []


def odd_text(chance: random.Random) -> str:
    return "A " + "".join(chance.choice(SPICE) + chance.choice("abcdef") for _ in range(chance.randint(1, 12)))


def odd_arguments(chance: random.Random) -> dict[str, Any]:
    """Arguments of a document order with more in them, in any order; some lack what is required."""
    pairs = [("operation", "create"), ("title", odd_text(chance)), ("instruction", odd_text(chance)), ("more", odd_value(chance, 3))]
    chance.shuffle(pairs)
    return dict(pairs[: chance.randint(3, 4)])


def odd_value(chance: random.Random, depth: int) -> Any:
    kind = chance.choice(["text", "number", "constant", "list", "object"] if depth else ["text", "number", "constant"])
    match kind:
        case "text":
            return odd_text(chance)
        case "number":
            return chance.choice([0, 1.0, -0.0, 1e-9, 1e21, 2**63, -(2**53), chance.random()])
        case "list":
            return [odd_value(chance, depth - 1) for _ in range(chance.randrange(3))]
        case "object":
            return {odd_text(chance): odd_value(chance, depth - 1) for _ in range(chance.randrange(3))}
        case _:
            return chance.choice([None, True, False])
