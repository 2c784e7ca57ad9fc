"""Stores a program's question to the chat agent, in a conversation of the token's member that is not in the member's list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from django.db.models.functions import Now
from django.utils.translation import gettext

from agents.messages import AssistantText, UserMessage
from agents.runtime.key_lookup import RequestKeys
from agents.runtime.request_overrides import RequestOverrides
from chat.conversations.selectors import conversation_get_for_user
from chat.conversations.services import check_idle, provisional_title, require_writer
from chat.entries import StoredEntry
from chat.models import Conversation, Message, Part
from chat.openai_api.errors import bad_request
from chat.openai_api.requests import AssistantTurn, CompletionRequest, SystemTurn, UserTurn
from chat.storage.attached_files import file_entry
from chat.storage.cancel_waiting import cancel_waiting_run
from chat.storage.run_creation import RunOptions, StartedRun, check_run_limit, run_create, run_release
from chat.storage.run_writes import part_rows
from files.inline_files import InlineFile
from files.models import File
from files.services import file_rows_insert, files_attach
from tenants.access import Actor

CONVERSATION_HEADER = "x-parley-conversation"


@dataclass(frozen=True, slots=True)
class ParsedTurn:
    """A turn of the caller's history."""

    role: Message.Role
    text: str
    images: tuple[InlineFile, ...] = ()  # not decoded yet


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to the chat agent or an assistant, with the caller's history."""

    turns: list[ParsedTurn]  # the question is the last one
    model_config_id: UUID
    assistant: str  # the key of the assistant that answers; "": the chat agent
    thinking: bool
    request_overrides: RequestOverrides
    conversation: str = ""  # key of a conversation to continue, whose stored history replaces the caller's; empty: a new one

    @property
    def new(self) -> list[ParsedTurn]:
        """The turns that must be stored."""
        return self.turns[-1:] if self.conversation else self.turns

    @property
    def images(self) -> list[InlineFile]:
        return [image for turn in self.new for image in turn.images]


def parse_turns(request: CompletionRequest) -> list[ParsedTurn]:
    """Return the turns of user and assistant; consecutive turns of the same role are merged. Raises ApiError."""
    turns: list[ParsedTurn] = []
    for turn in request.messages:
        if isinstance(turn, SystemTurn):
            continue
        if not isinstance(turn, UserTurn | AssistantTurn) or (isinstance(turn, AssistantTurn) and turn.tool_calls):
            raise bad_request(gettext("Tool calls can only be sent together with their tools."), param="messages")
        new = _parse_turn(turn)
        turns.append(_merge_turns(turns.pop(), new) if turns and turns[-1].role == new.role else new)
    if not turns or turns[-1].role != Message.Role.USER or not (turns[-1].text or turns[-1].images):
        raise bad_request(gettext("The last message must be the user's, with text or an image in it."), param="messages")
    return [turn for turn in turns if turn.text or turn.images]


def _parse_turn(turn: UserTurn | AssistantTurn) -> ParsedTurn:
    if isinstance(turn, UserTurn):
        return ParsedTurn(Message.Role.USER, _plain(turn.content.text), turn.content.images)
    return ParsedTurn(Message.Role.ASSISTANT, _plain(turn.content or ""))


def _plain(text: str) -> str:
    return text.replace("\x00", "").strip()


def _merge_turns(first: ParsedTurn, second: ParsedTurn) -> ParsedTurn:
    text = "\n\n".join(text for text in (first.text, second.text) if text)
    return ParsedTurn(first.role, text, (*first.images, *second.images))


def question_post(*, actor: Actor, question: Question, keys: RequestKeys, files: Sequence[File] = ()) -> StartedRun:
    """Store history, question, empty answer and its run. Needs the organization's `tenant_tx`.

    `files`: the files created from the question's images. Locks the membership, and the conversation if it continues one. Raises NotAllowed, NotFound (conversation), RunActive, TooManyRuns, RunConfigError.
    """
    actor = require_writer(actor, lock=True)
    conversation = _conversation(actor, question)
    check_run_limit(actor)
    question_id = _store(conversation, question.new, iter(_attach_files(actor, conversation, files)))
    run_options = RunOptions(question.model_config_id, question.thinking, assistant=question.assistant)
    release = run_release(keys, actor)
    overrides = question.request_overrides
    return run_create(
        conversation, question_id, release=release, run_options=run_options, keys=keys, request_overrides=overrides, actor=actor
    )[0]


def _attach_files(actor: Actor, conversation: Conversation, files: Sequence[File]) -> Sequence[File]:
    if not files:
        return ()
    file_rows_insert(files)
    return files_attach(actor=actor, file_ids=[file.pk for file in files], conversation_id=conversation.pk)


def _conversation(actor: Actor, question: Question) -> Conversation:
    if question.conversation:
        conversation = conversation_get_for_user(actor=actor, key=question.conversation, lock=True)
        cancel_waiting_run(conversation)
        check_idle(conversation)
        return conversation
    return Conversation.objects.create(
        owner_id=actor.membership_id,
        title=provisional_title(question.turns[-1].text or "Image"),
        title_source=Conversation.TitleSource.USER,  # so that no model is asked for a title that nobody sees
        listed=False,
        updated_at=Now(),
    )


def _store(conversation: Conversation, turns: list[ParsedTurn], files: Iterator[File]) -> UUID:
    """Append the turns to the conversation's branch. Return the id of the last message. Two statements.

    `files`: the files of the turns' images, in order.
    """
    parent, rows, parts = conversation.head_id, list[Message](), list[Part]()
    for turn in turns:
        row = Message(pk=uuid4(), conversation=conversation, parent_id=parent, role=turn.role)
        entry = UserMessage(turn.text) if turn.role == Message.Role.USER else AssistantText(turn.text, from_caller=True)
        entries = [entry, *(file_entry(next(files)) for _ in turn.images)]
        parts += part_rows(message_id=row.pk, position=0, entries=map(StoredEntry, entries))
        rows.append(row)
        parent = row.pk
    Message.objects.bulk_create(rows)
    Part.objects.bulk_create(parts)
    return rows[-1].pk
