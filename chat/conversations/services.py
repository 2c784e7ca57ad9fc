"""Writes of conversations. All functions are sync and need the organization's transaction (`in_db`, `tenant_tx`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models.functions import Now
from django.utils.translation import gettext

from admin_config.services.selectors import live_release
from agents.assistants import assistant_check, assistants_for
from agents.runtime.key_lookup import NO_KEYS, RequestKeys
from chat.conversations.filing import NO_FILING, Filing, conversations_file, project_check
from chat.conversations.selectors import (
    active_run,
    annotate_activity,
    conversation_get_for_user,
    conversations_of,
    key_condition,
    message_by_name,
)
from chat.errors import NothingToRegenerate, RunActive
from chat.models import MAX_TITLE_CHARS, Conversation, Message
from chat.storage.cancel_waiting import cancel_waiting_run
from chat.storage.run_creation import RunOptions, StartedRun, check_run_limit, run_create, run_release
from files.models import File
from tenants.access import Actor, actor_refresh
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.input.visible_text import visible_line
from tenants.localization.figures import figure
from tenants.models import Membership

DEFAULT_TITLE = "New conversation"
TEMPORARY: Final = timedelta(days=1)  # so long a temporary conversation is there
MAX_MESSAGE_CHARS = 60_000  # a socket frame may have 64 KB


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message that a user sends."""

    key: str  # the conversation's id; for a new conversation, an id that the client chose
    text: str  # may be empty when there are files
    file_ids: tuple[UUID, ...] = ()
    inline_files: tuple[File, ...] = ()  # those of the files that came inside the request; their rows are stored with the message
    client_msg_id: str  # makes the send idempotent; empty: it is not
    edited_id: str = ""  # the question that it replaces in a new branch, as the client names it; empty: none
    model_config_id: UUID | None = None
    thinking: bool = False
    switches: Mapping[str, bool] = field(default_factory=dict)
    assistant: str | None = None  # see RunOptions
    page_state: dict[str, Any] | None = None
    page_tools: Sequence[str] = ()
    project_id: UUID | None = None  # the project of a new conversation
    temporary: bool = False  # a new conversation is in no list and goes after a day


def answer_regenerate(
    *, actor: Actor, key: str, message_id: str | None, run_options: RunOptions, keys: RequestKeys = NO_KEYS
) -> StartedRun:
    """Answer a question again, in a new branch next to the former answer. `message_id`: the answer, or its question; None: the last one.

    Locks the membership and the conversation. Raises NotAllowed, NotFound, RunActive, TooManyRuns, NothingToRegenerate, RunConfigError.
    """
    actor = require_writer(actor, lock=True)
    conversation = conversation_get_for_user(actor=actor, key=key, lock=True)
    check_run_limit(actor)
    cancel_waiting_run(conversation)
    check_idle(conversation)
    answer = message_by_name(conversation, message_id) if message_id else conversation.head
    question_id = None if answer is None else answer.pk if answer.role == Message.Role.USER else answer.parent_id
    if question_id is None:
        raise NothingToRegenerate
    release = run_release(keys, actor)
    return run_create(conversation, question_id, release=release, run_options=run_options, keys=keys, actor=actor)[0]


def conversation_create(
    *,
    actor: Actor,
    title: str | None = None,
    model_config_id: UUID | None = None,
    assistant: str | None = "",
    project_id: UUID | None = None,
) -> Conversation:
    """Create an empty conversation. Without a title, it gets one after its first answer. `assistant`: None for the member's default one.

    Raises NotAllowed, NotFound, BadRequest, RunConfigError.
    """
    actor = require_writer(actor)
    if project_id is not None:
        project_check(actor, project_id)
    model_id = None
    if assistant is None:
        assistant = _default_assistant(actor)
    if model_config_id is not None or assistant:
        snapshot = live_release(organization_id=actor.organization_id, membership_id=actor.membership_id).snapshot
        assistant_check(snapshot, assistant, actor)
        model_id = snapshot.chat_model(model_config_id, assistant)[1].id if model_config_id else None
    return Conversation.objects.create(
        owner_id=actor.membership_id,
        title=_clean_title(title) if title is not None else DEFAULT_TITLE,
        title_source=Conversation.TitleSource.USER if title is not None else Conversation.TitleSource.DEFAULT,
        model_config_id=model_id,
        project_id=project_id,
        assistant=assistant,
        updated_at=Now(),
    )


def _default_assistant(actor: Actor) -> str:
    """Return the assistant that the member chose for new chats; "" where none is chosen, or it is not for them any more."""
    key = Membership.objects.values_list("default_assistant", flat=True).get(id=actor.membership_id)
    if not key:
        return ""
    snapshot = live_release(organization_id=actor.organization_id, membership_id=actor.membership_id).snapshot
    return key if any(agent.key == key for agent in assistants_for(snapshot, actor)) else ""


def conversation_change(
    *,
    actor: Actor,
    key: str,
    title: str | None = None,
    model_config_id: UUID | None = None,
    assistant: str | None = None,
    filing: Filing = NO_FILING,
) -> Conversation:
    """Set title, model, assistant or place of a conversation.

    Raises NotAllowed, NotFound (also for a project), BadRequest, RunConfigError.
    """
    actor = require_writer(actor, lock=bool(filing.pinned))
    conversation = conversation_get_for_user(actor=actor, key=key)
    changed: dict[str, Any] = {}
    if title is not None:
        changed |= {"title": _clean_title(title), "title_source": Conversation.TitleSource.USER}
    if model_config_id is not None:
        changed["model_config_id"] = (
            live_release(organization_id=actor.organization_id, membership_id=actor.membership_id)
            .snapshot.chat_model(model_config_id)[1]
            .id
        )
    if assistant is not None:
        assistant_check(live_release(organization_id=actor.organization_id, membership_id=actor.membership_id).snapshot, assistant, actor)
        changed["assistant"] = assistant
    if changed:
        Conversation.objects.filter(pk=conversation.pk).update(**changed)
    if not filing.is_empty and not conversations_file(actor=actor, ids=[conversation.pk], filing=filing):
        raise BadRequest(gettext("This chat is in no list, so it can't be pinned, archived or moved."))
    return conversation


def conversation_mark_read(*, actor: Actor, key: str) -> UUID | None:
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
    conversations = Conversation.objects.filter(pk=conversation_id, title_source=Conversation.TitleSource.DEFAULT)
    return bool(conversations.update(title=visible_line(title)[:MAX_TITLE_CHARS], title_source=Conversation.TitleSource.GENERATED))


def require_writer(actor: Actor, *, lock: bool = False) -> Actor:
    """Return the actor with their current role (SECURITY 20). `lock`: lock the membership. Raises NotFound, NotAllowed."""
    return check_can_write(actor_refresh(actor, lock=lock))


def check_can_write(actor: Actor) -> Actor:
    """Return the actor. Raises NotAllowed when they may only read."""
    if not actor.can_write:
        raise NotAllowed(gettext("Your role here is read only. Ask an admin of this organization for the role of a member."))
    return actor


def clean_text(text: str, *, may_be_empty: bool = False) -> str:
    """Return the text without NUL and surrounding white space. Raises BadRequest when it is empty or too long."""
    text = text.replace("\x00", "").strip()
    if not text and not may_be_empty:
        raise BadRequest(gettext("The message is empty. Write something first."))
    if len(text) > MAX_MESSAGE_CHARS:
        raise BadRequest(
            gettext("The message is too long: %(number)s characters, %(max_message_chars)s are possible. Shorten it or send it in parts.")
            % {"number": figure(len(text)), "max_message_chars": figure(MAX_MESSAGE_CHARS)}
        )
    return text


def _clean_title(title: str) -> str:
    if not title.replace("\x00", "").split():
        raise BadRequest(gettext("A title needs at least one character."))
    return visible_line(title)[:MAX_TITLE_CHARS] or DEFAULT_TITLE


def provisional_title(text: str) -> str:
    """Return the first line of the text, cut at a word boundary. A conversation is called so until the model has written a title."""
    line = visible_line(text.split("\n", 1)[0]) or DEFAULT_TITLE
    return line if len(line) <= 60 else line[:60].rsplit(" ", 1)[0] + "…"


def check_idle(conversation: Conversation) -> None:
    """Raises RunActive when the conversation has an active run."""
    if active_run(conversation) is not None:
        raise RunActive
