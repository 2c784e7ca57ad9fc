"""Conversation titles, written by the model in the background after the first answer (SPEC 6.1).

`RunActions` lets the plugins of a run request one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import structlog

from agents.errors import RunError
from agents.messages import UserMessage
from agents.runtime.call_recording import CallRecord
from agents.runtime.key_lookup import KeyOwner, RequestKeys
from agents.runtime.message_tool import visible_text
from agents.title_operation import TranscriptLine, title_write
from chat.conversations.selectors import committed_state
from chat.conversations.services import title_set_generated
from chat.models import Conversation, ModelCall
from chat.runs.announcements import announce_conversation
from chat.runs.task_queue import enqueue
from chat.storage.branches import branch_entries
from chat.storage.call_log import calls_record
from chat.storage.uncertain_commits import write_once_then
from limits.budget_accounts import budgets_from, budgets_sql
from limits.budgets import Budgets
from tenants.db import enable_patient_db_access, in_db
from tenants.postgres.prepared_statements import read_rows

_UNTITLED = f"""\
SELECT c.head_id, c.model_config_id, c.owner_id, COALESCE(r.session_hash, ''),
    {budgets_sql("c.organization_id", "c.owner_id", "NULL::uuid", "''")}
FROM chat_conversation c
JOIN chat_message m ON m.organization_id = c.organization_id AND m.id = c.head_id
LEFT JOIN chat_run r ON r.organization_id = m.organization_id AND r.id = m.run_id
WHERE c.organization_id = %(organization)s AND c.id = %(conversation)s AND c.title_source = %(source)s
    AND c.deleted_at IS NULL AND c.expires_at IS NULL
"""  # noqa: S608 - no value is in it

log = structlog.get_logger(__name__)


async def title_queue(*, organization_id: UUID, conversation_id: UUID) -> None:
    """Queue the task that writes a title. A broker that is down is only logged."""
    # By name, because the task's module imports this one.
    await enqueue("chat.tasks.conversation_title_generate", str(organization_id), str(conversation_id), expires_s=600)


async def title_generate(*, organization_id: UUID, conversation_id: UUID) -> str | None:
    """Let the model name the conversation, and announce it to the owner's tabs.

    Return the title, or None when the conversation needs none or the model gave none. Waits for a database that is away.
    """
    enable_patient_db_access()
    exchange = await in_db(_first_exchange, organization_id, conversation_id, organization_id=organization_id)
    if exchange is None:
        return None
    model_config_id, owner, texts, budgets = exchange
    calls: list[CallRecord] = []
    title = ""
    try:
        title = await title_write(
            organization_id=organization_id,
            model_config_id=model_config_id,
            key_owner=owner,
            texts=texts,
            budgets=budgets,
            record_call=calls.append,
        )
    except RunError as exc:
        log.warning("title_not_written", conversation_id=str(conversation_id), code=exc.code)
    finally:
        is_named, state = await write_once_then(
            partial(_store, calls, conversation_id, title),
            partial(_find_stored, calls, conversation_id),
            partial(committed_state, organization_id, conversation_id),
            organization_id=organization_id,
        )
    if is_named:
        await announce_conversation(organization_id=organization_id, conversation_id=conversation_id, state=state)
    return title or None


def _store(calls: Sequence[CallRecord], conversation_id: UUID, title: str) -> bool:
    """Name the conversation if there is a title, and log the model calls. Return whether it has a new title."""
    # The conversation first, then the budgets: the end of a run locks them in this order.
    is_named = bool(title) and title_set_generated(conversation_id=conversation_id, title=title)
    calls_record(conversation_id=conversation_id, calls=calls)
    return is_named


def _find_stored(calls: Sequence[CallRecord], conversation_id: UUID) -> bool | None:
    """Return what `_store` did, or None when it did nothing."""
    conversations = Conversation.objects.filter(pk=conversation_id, title_source=Conversation.TitleSource.GENERATED)
    return conversations.exists() if ModelCall.objects.filter(pk__in=[call.id for call in calls]).exists() else None


def _first_exchange(organization_id: UUID, conversation_id: UUID) -> tuple[UUID | None, KeyOwner, list[TranscriptLine], Budgets] | None:
    """Return the chosen model, the key owner with the session of the last answer, the first texts (at most four), and the budgets.

    Return None when the conversation has a title already, is deleted, is temporary or has no text.
    """
    place = {"organization": organization_id, "conversation": conversation_id, "source": Conversation.TitleSource.DEFAULT.value}
    rows = read_rows(_UNTITLED, place)
    if not rows:
        return None
    head_id, model_config_id, owner_id, session_hash, budgets = rows[0]
    entries = branch_entries(organization_id=organization_id, leaf_id=head_id)
    texts = [
        TranscriptLine("User", entry.text) if isinstance(entry, UserMessage) else TranscriptLine("Assistant", visible_text(entry))
        for entry in entries
    ]
    first_texts = [line for line in texts if line.text][:4]
    owner = KeyOwner(membership_id=owner_id, request=RequestKeys(session_hash=session_hash))
    return (model_config_id, owner, first_texts, budgets_from(budgets)) if first_texts else None


@dataclass(slots=True)
class RunActions:
    """Implements the agents' `PluginActions` for one conversation. Requests of plugins are carried out after the run's end is announced."""

    organization_id: UUID
    conversation_id: UUID
    wants_title: bool = False

    async def title_due(self) -> None:
        self.wants_title = True

    async def run_pending(self, *, is_untitled: bool) -> None:
        """Queue the title if a plugin asked for one and the conversation needs it.

        Call it after the run's end is announced. Otherwise that announcement, with the old title, could overtake the new title's.
        """
        if self.wants_title and is_untitled:
            self.wants_title = False
            await title_queue(organization_id=self.organization_id, conversation_id=self.conversation_id)
