"""Storing what a program asks the chat agent: a conversation of the token's member, not in the member's list."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.db.models.functions import Now

from agents.engine.messages import AssistantText, UserMessage
from agents.keys import RequestKeys
from agents.wishes import CallerWishes
from chat.entries import StoredEntry
from chat.models import Conversation, Message, Part
from chat.openai_api.errors import refused
from chat.openai_api.requests import AssistantTurn, CompletionRequest, SystemText, UserText
from chat.recording import part_rows
from chat.selectors import conversation_get_for_user
from chat.services import Posted, RunChoices, actor_who_writes, check_idle, check_run_limit, provisional_title, run_begin
from chat.superseding import runs_supersede
from tenants.access import Actor

CONVERSATION_HEADER = "x-parley-conversation"


@dataclass(frozen=True, slots=True)
class Said:
    """A turn of the caller's history."""

    role: Message.Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`said`: the turns, the question last. `conversation`: one of the member's to go on with, which has its own history."""

    said: list[Said]
    model_config_id: UUID
    thinking: bool
    wishes: CallerWishes
    conversation: str = ""


def turns_said(request: CompletionRequest) -> list[Said]:
    """The turns of user and assistant, those of one side in a row as one. Raises ApiError."""
    said: list[Said] = []
    for turn in request.messages:
        if isinstance(turn, SystemText):
            continue
        if not isinstance(turn, UserText | AssistantTurn) or (isinstance(turn, AssistantTurn) and turn.tool_calls):
            raise refused("Tool calls can only be sent together with their tools.", param="messages")
        role = Message.Role.USER if isinstance(turn, UserText) else Message.Role.ASSISTANT
        text = (turn.content or "").replace("\x00", "").strip()
        if said and said[-1].role == role:
            text = "\n\n".join(part for part in (said.pop().text, text) if part)
        said.append(Said(role, text))
    if not said or said[-1].role != Message.Role.USER or not said[-1].text:
        raise refused("The last message must be the user's, with text in it.", param="messages")
    return [turn for turn in said if turn.text]


def question_post(*, actor: Actor, question: Question, keys: RequestKeys) -> Posted:
    """Store history, question, empty answer and its run. Needs the organization's `tenant_tx`.

    Raises NotAllowed, NotFound (conversation), RunActive, TooManyRuns, RunConfigError.
    """
    actor = actor_who_writes(actor, lock=True)
    conversation = _conversation(actor, question)
    check_run_limit(actor)
    said = question.said[-1:] if question.conversation else question.said
    asked = _store(conversation, said)
    chosen = RunChoices(question.model_config_id, question.thinking)
    return run_begin(conversation, asked, chosen=chosen, keys=keys, wishes=question.wishes)


def _conversation(actor: Actor, question: Question) -> Conversation:
    if question.conversation:
        conversation = conversation_get_for_user(actor=actor, key=question.conversation, lock=True)
        runs_supersede(conversation)
        check_idle(conversation)
        return conversation
    return Conversation.objects.create(
        owner_id=actor.membership_id,
        title=provisional_title(question.said[-1].text),
        title_source=Conversation.TitleSource.USER,  # no model is asked to name what nobody lists
        listed=False,
        updated_at=Now(),
    )


def _store(conversation: Conversation, said: list[Said]) -> UUID:
    """Append the turns to the conversation's branch; return the last one's id. Two statements."""
    parent, rows, parts = conversation.head_id, list[Message](), list[Part]()
    for turn in said:
        row = Message(pk=uuid4(), conversation=conversation, parent_id=parent, role=turn.role)
        entry = UserMessage(turn.text) if turn.role == Message.Role.USER else AssistantText(turn.text)
        parts += part_rows(message_id=row.pk, position=0, entries=[StoredEntry(entry)])
        rows.append(row)
        parent = row.pk
    Message.objects.bulk_create(rows)
    Part.objects.bulk_create(parts)
    return rows[-1].pk
