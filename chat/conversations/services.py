"""Writes of conversations. All functions are sync and need the organization's transaction (`in_db`, `tenant_tx`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

from django.db.models import Q
from django.db.models.functions import Now

from admin_config.services.selectors import live_release
from agents.engine.messages import UserMessage
from agents.runtime.key_lookup import NO_KEYS, RequestKeys
from artifacts.services import artifacts_delete_of_conversation
from chat.conversations.selectors import (
    active_run,
    annotate_activity,
    conversation_get_for_user,
    conversations_of,
    key_condition,
    parse_uuid,
)
from chat.entries import StoredEntry
from chat.errors import NothingToRegenerate, RunActive
from chat.models import TITLE_MAX, Conversation, Message, Run
from chat.storage.attached_files import file_entry
from chat.storage.cancel_waiting import cancel_waiting_run
from chat.storage.run_creation import RunOptions, StartedRun, check_run_limit, resolve_model_id, run_create
from chat.storage.run_writes import part_rows
from files.models import File
from files.services import files_attach, files_delete_of_conversation
from tenants.access import Actor, actor_refresh, membership_lock
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.models import Membership
from tenants.postgres.bulk_insert import rows_insert

DEFAULT_TITLE = "New conversation"
MAX_MESSAGE_CHARS = 60_000  # a socket frame may have 64 KB


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message that a user sends."""

    key: str  # the conversation's id; for a new conversation, an id that the client chose
    text: str  # may be empty when there are files
    file_ids: tuple[UUID, ...] = ()
    inline_files: tuple[File, ...] = ()  # those of the files that came inside the request; their rows are stored with the message
    client_msg_id: str  # makes the send idempotent; empty: it is not
    model_config_id: UUID | None = None
    thinking: bool = False
    page_state: dict[str, Any] | None = None


def message_post(*, actor: Actor, send: NewMessage, keys: RequestKeys = NO_KEYS) -> StartedRun:
    """Store the message, the empty answer and its run. The caller commits before it acknowledges anything.

    A repeated `client_msg_id` returns the run of the first send. Locks the membership and the conversation. Raises NotAllowed, NotFound
    (also for files), BadRequest, RunActive, TooManyRuns, RunConfigError, and the errors of files.services.files_attach.
    """
    actor, owner = writer_lock(actor)
    text = clean_text(send.text, may_be_empty=bool(send.file_ids))
    conversation, is_first = _conversation_for(actor, send, text)
    conversation.owner = owner
    if (earlier := _run_of_same_send(conversation, send.client_msg_id)) is not None:
        return StartedRun(earlier, conversation.pk, None, is_new=False)
    check_run_limit(actor)
    question = Message(conversation=conversation, parent_id=conversation.head_id, role=Message.Role.USER, client_msg_id=send.client_msg_id)
    if send.inline_files:
        rows_insert(send.inline_files)
    files = files_attach(actor=actor, file_ids=send.file_ids, conversation_id=conversation.pk) if send.file_ids else []
    entries = [StoredEntry(UserMessage(text)), *(StoredEntry(file_entry(file)) for file in files)]
    rows = [question, *part_rows(message_id=question.pk, position=0, entries=entries)]
    if not text and conversation.title == DEFAULT_TITLE:
        conversation.title = provisional_title(files[0].name)
        Conversation.objects.filter(pk=conversation.pk).update(title=conversation.title)
    run_options = RunOptions(send.model_config_id, send.thinking, send.page_state)
    started = run_create(conversation, question.pk, rows, run_options=run_options, keys=keys, is_first=is_first)
    return replace(started, branch=tuple(stored.entry for stored in entries)) if is_first else started


def answer_regenerate(
    *, actor: Actor, key: str, message_id: UUID | None, run_options: RunOptions, keys: RequestKeys = NO_KEYS
) -> StartedRun:
    """Answer a question again, in a new branch next to the former answer. `message_id`: the answer; None: the last one.

    Locks the membership and the conversation. Raises NotAllowed, NotFound, RunActive, TooManyRuns, NothingToRegenerate, RunConfigError.
    """
    actor = require_writer(actor, lock=True)
    conversation = conversation_get_for_user(actor=actor, key=key, lock=True)
    check_run_limit(actor)
    cancel_waiting_run(conversation)
    check_idle(conversation)
    answer = conversation.messages.filter(pk=message_id).first() if message_id else conversation.head
    question_id = None if answer is None else answer.pk if answer.role == Message.Role.USER else answer.parent_id
    if question_id is None:
        raise NothingToRegenerate
    return run_create(conversation, question_id, run_options=run_options, keys=keys)


def conversation_create(*, actor: Actor, title: str | None = None, model_config_id: UUID | None = None) -> Conversation:
    """Create an empty conversation. Without a title, it gets one after its first answer.

    Raises NotAllowed, NotFound, BadRequest, RunConfigError.
    """
    actor = require_writer(actor)
    model_id = None
    if model_config_id is not None:
        model_id = resolve_model_id(live_release(organization_id=actor.organization_id).snapshot, model_config_id)
    return Conversation.objects.create(
        owner_id=actor.membership_id,
        title=_clean_title(title) if title is not None else DEFAULT_TITLE,
        title_source=Conversation.TitleSource.USER if title is not None else Conversation.TitleSource.DEFAULT,
        model_config_id=model_id,
        updated_at=Now(),
    )


def conversation_change(*, actor: Actor, key: str, title: str | None = None, model_config_id: UUID | None = None) -> Conversation:
    """Set the title or the model of a conversation. Raises NotAllowed, NotFound, BadRequest, RunConfigError."""
    conversation = conversation_get_for_user(actor=require_writer(actor), key=key)
    changed: dict[str, Any] = {}
    if title is not None:
        changed |= {"title": _clean_title(title), "title_source": Conversation.TitleSource.USER}
    if model_config_id is not None:
        changed["model_config_id"] = resolve_model_id(live_release(organization_id=actor.organization_id).snapshot, model_config_id)
    if changed:
        Conversation.objects.filter(pk=conversation.pk).update(**changed)
    return conversation


def conversation_delete(*, actor: Actor, key: str) -> tuple[UUID, UUID | None]:
    """Mark a conversation, its artifacts and its files as deleted. Return its id and the active run, which the caller must signal to stop.

    Locks the conversation and ends a waiting run. Raises NotAllowed, NotFound.
    """
    conversation = conversation_get_for_user(actor=require_writer(actor), key=key, lock=True)
    cancel_waiting_run(conversation)
    run = active_run(conversation)
    if run is not None:
        Run.objects.filter(pk=run.pk).update(stop_requested_at=Now())
    Conversation.objects.filter(pk=conversation.pk).update(deleted_at=Now())
    artifacts_delete_of_conversation(conversation_id=conversation.pk)
    files_delete_of_conversation(conversation_id=conversation.pk)
    return conversation.pk, run.pk if run else None


def conversation_seen(*, actor: Actor, key: str) -> UUID | None:
    """Mark everything in the conversation as read. Return its id if something was unread, else None. Raises NotFound."""
    row: Any = annotate_activity(conversations_of(actor)).filter(key_condition(key)).first()
    if row is None:
        raise NotFound
    if not row.is_unread:
        return None
    conversation_id: UUID = row.pk
    Conversation.objects.filter(pk=conversation_id).update(seen_at=Now())
    return conversation_id


def title_set_generated(*, conversation_id: UUID, title: str) -> bool:
    """Set a generated title, unless the conversation has been named in the meantime. Return whether it was set."""
    untitled = Conversation.objects.filter(pk=conversation_id, title_source=Conversation.TitleSource.DEFAULT)
    return bool(untitled.update(title=title[:TITLE_MAX], title_source=Conversation.TitleSource.GENERATED))


def require_writer(actor: Actor, *, lock: bool = False) -> Actor:
    """Return the actor with their current role (SECURITY 20). `lock`: lock the membership. Raises NotFound, NotAllowed."""
    return _check_can_write(actor_refresh(actor, lock=lock))


def _check_can_write(actor: Actor) -> Actor:
    if not actor.can_write:
        raise NotAllowed("Your role here is read only. Ask an admin of this organization for the role of a member.")
    return actor


def writer_lock(actor: Actor) -> tuple[Actor, Membership]:
    """Do what `require_writer(actor, lock=True)` does. Return the membership's row as well."""
    actor, membership = membership_lock(actor)
    return _check_can_write(actor), membership


def clean_text(text: str, *, may_be_empty: bool = False) -> str:
    """Return the text without NUL and surrounding white space. Raises BadRequest when it is empty or too long."""
    text = text.replace("\x00", "").strip()
    if not text and not may_be_empty:
        raise BadRequest("The message is empty. Write something first.")
    if len(text) > MAX_MESSAGE_CHARS:
        raise BadRequest(
            f"The message is too long: {len(text):,} characters, {MAX_MESSAGE_CHARS:,} are possible. Shorten it or send it in parts."
        )
    return text


def _clean_title(title: str) -> str:
    title = " ".join(title.replace("\x00", "").split())
    if not title:
        raise BadRequest("A title needs at least one character.")
    return title[:TITLE_MAX]


def _conversation_for(actor: Actor, send: NewMessage, text: str) -> tuple[Conversation, bool]:
    """Return the locked conversation and False; or, when the actor has none with this id, a new unsaved one and True."""
    try:
        return conversation_get_for_user(actor=actor, key=send.key, lock=True), False
    except NotFound:
        return _new_conversation(actor, send, text), True


def _new_conversation(actor: Actor, send: NewMessage, text: str) -> Conversation:
    conversation_id = parse_uuid(send.key)
    return Conversation(
        id=conversation_id or uuid4(),
        client_id="" if conversation_id else send.key,
        owner_id=actor.membership_id,
        title=provisional_title(text),
        updated_at=Now(),
    )


def provisional_title(text: str) -> str:
    """Return the first line of the text, cut at a word boundary. It is shown until the model has written a title."""
    line = " ".join(text.split("\n", 1)[0].split()) or DEFAULT_TITLE
    return line if len(line) <= 60 else line[:60].rsplit(" ", 1)[0] + "…"


def _run_of_same_send(conversation: Conversation, client_msg_id: str) -> UUID | None:
    """Return the run of an earlier identical send, or None. Ends a waiting run of another send.

    One query, more if a run waits. Raises RunActive when the run of another send is active.
    """
    if conversation.head_id is None:
        return None
    open_or_same = Q(finished_at=None)
    if client_msg_id:
        open_or_same |= Q(question__client_msg_id=client_msg_id)
    runs = list(
        Run.objects.filter(open_or_same, conversation=conversation)
        .order_by("-created_at")
        .values_list("pk", "question__client_msg_id", "status")
    )
    same = [run_id for run_id, message_id, _ in runs if client_msg_id and message_id == client_msg_id]
    if same:
        return same[0]
    if any(status in Run.ACTIVE for _, _, status in runs):
        raise RunActive
    if runs:
        cancel_waiting_run(conversation)
        check_idle(conversation)
    return None


def check_idle(conversation: Conversation) -> None:
    """Raises RunActive when the conversation has an active run."""
    if active_run(conversation) is not None:
        raise RunActive
