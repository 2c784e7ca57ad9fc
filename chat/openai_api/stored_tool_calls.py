"""Stores answers that call the caller's tools, for the next request of the caller.

That request brings the calls back, but not what the provider needs with them (signatures, reasoning).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from uuid import UUID

from django.db.models.functions import Now

from agents.messages import AssistantText, Entry, ToolCall
from chat.entries import StoredEntry, storable_entry
from chat.models import Conversation, Message, Part
from chat.storage.run_loading import stored_entry
from chat.storage.run_writes import part_rows
from tenants.access import Actor

CONVERSATION_KEY = "openai.calls"  # no client can choose an id with a dot
TITLE = "Calls with tools of programs"


def tool_calls_conversation(actor: Actor) -> Conversation:
    """Return the conversation in which a member's pass-through calls are stored and logged. Created on first use; not in any list."""
    conversation, _ = Conversation.objects.get_or_create(
        owner_id=actor.membership_id,
        client_id=CONVERSATION_KEY,
        defaults={"title": TITLE, "title_source": Conversation.TitleSource.USER, "listed": False, "updated_at": Now()},
    )
    return conversation


def answer_store(*, conversation_id: UUID, entries: Iterable[Entry]) -> None:
    """Store an answer with tool calls under its `answer_key`. Needs the organization's `tenant_tx`.

    `conversation_id`: the member's `tool_calls_conversation`.
    """
    entries = [storable_entry(entry) for entry in entries]
    message = Message.objects.create(conversation_id=conversation_id, role=Message.Role.ASSISTANT, client_msg_id=answer_key(entries))
    Part.objects.bulk_create(part_rows(message_id=message.pk, position=0, entries=map(StoredEntry, entries)))


def answers_load(*, actor: Actor, keys: Collection[str]) -> Mapping[str, Sequence[Entry]]:
    """Return the member's stored answers by key; missing ones are left out. Two queries. Needs the organization's `tenant_tx`."""
    rows = Message.objects.filter(
        conversation__owner_id=actor.membership_id, conversation__client_id=CONVERSATION_KEY, client_msg_id__in=set(keys)
    ).values_list("pk", "client_msg_id")
    by_message = dict(rows)
    answers: dict[str, list[Entry]] = {}
    for part in Part.objects.filter(message_id__in=by_message).order_by("message_id", "position") if by_message else ():
        answers.setdefault(by_message[part.message_id], []).append(stored_entry(part).entry)
    return answers


def answer_key(entries: Iterable[Entry]) -> str:
    """Return the key of an answer: a hash of the ids of its tool calls."""
    calls = "\n".join(entry.id for entry in entries if isinstance(entry, ToolCall))
    return hashlib.sha256(calls.encode()).hexdigest()


def answer_keys(entries: Sequence[Entry]) -> set[str]:
    """Return the keys of all answers with tool calls in a caller's history."""
    return {answer_key(answer) for answer in _answers(entries) if _calls(answer)}


def restore_answers(entries: Sequence[Entry], answers_by_key: Mapping[str, Sequence[Entry]]) -> tuple[Entry, ...]:
    """Return the history with each answer replaced by the stored one, unless the caller has changed its calls."""
    return tuple(entry for answer in _answers(entries) for entry in _original(answer, answers_by_key.get(answer_key(answer), ())))


def _answers(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """Yield the history in groups: the entries of one answer, or the entries between two answers."""
    for _, group in groupby(entries, key=lambda entry: isinstance(entry, ToolCall | AssistantText)):
        yield list(group)


def _original(answer: Sequence[Entry], stored_answer: Sequence[Entry]) -> Sequence[Entry]:
    return stored_answer if _calls(answer) and _calls(answer) == _calls(stored_answer) else answer


def _calls(entries: Iterable[Entry]) -> list[tuple[str, str, object]]:
    return [(entry.id, entry.name, dict(entry.arguments)) for entry in entries if isinstance(entry, ToolCall)]
