"""Everything that a send depends on, read in one round trip: locks first, so that what is read after them holds until the commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from admin_config.services.canary.choice import release_of_sql
from admin_config.services.selectors import cached_live_release
from agents.run_context import RunProject
from agents.runtime.connections import first_secret_id
from chat.models import Conversation, Message, Run
from chat.storage.branch_cache import BRANCH_CACHE, HeadSegment
from chat.storage.branches import head_segment_select, segment_from_rows
from limits.budget_accounts import budgets_from, budgets_sql
from limits.budgets import Budgets
from security.secrets.registered_secrets import RunSecrets, run_secrets_from_rows, run_secrets_select
from tenants.access import Actor, Member, member_from_rows, member_lock_select
from tenants.postgres.prepared_statements import Rows, read_together

ACTIVE_STATUSES = ", ".join(f"'{status.value}'" for status in Run.ACTIVE)
_CONVERSATION_COLUMNS = (
    "id",
    "organization_id",
    "owner_id",
    "title",
    "model_config_id",
    "assistant",
    "head_id",
    "expires_at",
)  # in the order of the model's fields
_LOCK_CONVERSATION = """\
SELECT id, organization_id, owner_id, title, model_config_id, assistant, head_id, expires_at
FROM chat_conversation
WHERE organization_id = %(organization)s AND owner_id = %(membership)s AND deleted_at IS NULL AND {key}
FOR UPDATE
"""
_BUDGETS = budgets_sql(
    "%(organization)s", "%(membership)s", "%(token)s::uuid", "COALESCE(%(assistant)s, (SELECT assistant FROM conversation), '')"
)
_RELEASE = release_of_sql("%(organization)s", "%(membership)s::uuid")
_FACTS = f"""\
WITH conversation AS (
    SELECT id, project_id, assistant FROM chat_conversation
    WHERE organization_id = %(organization)s AND owner_id = %(membership)s AND deleted_at IS NULL AND {{key}}
), same AS (
    SELECT COALESCE(
        (
            SELECT id FROM chat_message
            WHERE organization_id = %(organization)s AND conversation_id = (SELECT id FROM conversation)
                AND client_msg_id = %(client_msg_id)s AND client_msg_id <> '' AND deleted_at IS NULL
        ),
        (
            SELECT id FROM chat_message
            WHERE organization_id = %(organization)s AND id = %(message_id)s AND conversation_id = (SELECT id FROM conversation)
                AND role = '{Message.Role.USER}' AND deleted_at IS NULL
        )
    ) AS id
)
SELECT
    (
        SELECT count(*) FROM chat_run r
        WHERE r.organization_id = %(organization)s AND r.finished_at IS NULL AND r.status IN ({ACTIVE_STATUSES}) AND %(membership)s = (
            SELECT owner_id FROM chat_conversation WHERE organization_id = r.organization_id AND id = r.conversation_id
        )
    ),
    (
        SELECT status FROM chat_run
        WHERE organization_id = %(organization)s AND conversation_id = (SELECT id FROM conversation) AND finished_at IS NULL
    ),
    (SELECT id FROM same),
    (
        SELECT r.id FROM chat_run r JOIN chat_message a ON a.organization_id = r.organization_id AND a.id = r.answer_id
        WHERE r.organization_id = %(organization)s AND r.question_id = (SELECT id FROM same) AND a.deleted_at IS NULL
        ORDER BY r.created_at DESC LIMIT 1
    ),
    EXISTS (
        SELECT FROM artifacts_artifact
        WHERE organization_id = %(organization)s AND conversation_id = (SELECT id FROM conversation) AND deleted_at IS NULL
    ),
    {_RELEASE},
    (SELECT own_keys_allowed FROM admin_config_appsettings WHERE organization_id = %(organization)s),
    (
        SELECT json_build_array(p.id, p.name, p.instructions, EXISTS (
            SELECT FROM files_knowledgefile WHERE organization_id = p.organization_id AND project_id = p.id
        ))
        FROM chat_project p WHERE p.organization_id = %(organization)s AND p.owner_id = %(membership)s AND p.id = CASE
            WHEN EXISTS (SELECT FROM conversation) THEN (SELECT project_id FROM conversation) ELSE %(project)s::uuid
        END
    ),
    ARRAY(SELECT group_id FROM tenants_groupmember WHERE organization_id = %(organization)s AND membership_id = %(membership)s),
    {_BUDGETS}
"""  # noqa: S608 - no value is in it
_BY_ID, _BY_CLIENT_ID = "id = %(key)s", "client_id = %(key)s AND client_id <> ''"
# Two conditions, because one prepared plan can't use the index of either.
_SELECTS = {
    by_id: tuple(sql.format(key=key) for sql in (_LOCK_CONVERSATION, _FACTS)) for by_id, key in ((True, _BY_ID), (False, _BY_CLIENT_ID))
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SendFacts:
    """What a send depends on. The member and the conversation are locked until the transaction ends."""

    member: Member
    conversation: Conversation | None  # None: the member has none with this key
    active_runs: int  # of the member, in all conversations
    open_status: str | None  # of the conversation's run that has not ended
    same_message_id: UUID | None  # the conversation's question with the id that is sent
    same_run_id: UUID | None  # the newest run that answers it
    has_artifacts: bool
    live_release_id: UUID | None  # the canary's, for members who get it
    own_keys_allowed: bool
    project: RunProject | None  # the conversation's, or the one that a new conversation is to be in
    groups: frozenset[UUID]  # the member's
    budgets: Budgets  # that pay for the model calls of the answer, and the limits on what the member sends
    secrets: RunSecrets
    branch: HeadSegment | None  # what this process lacks of the branch; None: it has nothing of it


def send_facts_read(
    actor: Actor,
    *,
    conversation_id: UUID | None,
    client_id: str,
    client_msg_id: str,
    message_id: UUID | None = None,
    model_config_id: UUID | None,
    project_id: UUID | None = None,
    assistant: str | None = None,
    token_id: UUID | None = None,
) -> SendFacts:
    """Lock the membership and the conversation, then read the rest. Raises NotFound when the actor's access has ended.

    The conversation is named by its id, or else by the id that the client chose; so is a message that
    was sent before (`message_id`, `client_msg_id`). The endpoint whose key is read is a guess, from the release that
    this process last found live, the requested model and the requested assistant.
    """
    release = cached_live_release(actor.organization_id)
    cached_branch = BRANCH_CACHE.get((actor.organization_id, conversation_id)) if conversation_id else None
    place = {
        "organization": actor.organization_id,
        "membership": actor.membership_id,
        "key": conversation_id or client_id,
        "client_msg_id": client_msg_id,
        "message_id": message_id,
        "project": project_id,
        "token": token_id,
        "assistant": assistant,
    }
    secrets = run_secrets_select(
        organization_id=actor.organization_id,
        membership_id=actor.membership_id,
        endpoint_secret_id=first_secret_id(release.snapshot, model_config_id, assistant or "") if release else None,
    )
    lock, facts_select = _SELECTS[conversation_id is not None]
    selects = [member_lock_select(actor), (lock, place), (facts_select, place), secrets]
    if cached_branch and conversation_id:
        known_ids = [message_id for message_id, _ in cached_branch.cut_points]
        selects.append(head_segment_select(organization_id=actor.organization_id, conversation_id=conversation_id, known_ids=known_ids))
    members, conversations, facts, secret_rows, *segments = read_together(*selects)
    active_runs, open_status, same_message_id, same_run_id, has_artifacts, live_release_id, own_keys_allowed, *rest = facts[0]
    project, groups, budgets = rest
    member = member_from_rows(actor, members)
    return SendFacts(
        member=member,
        conversation=_conversation(conversations),
        active_runs=active_runs,
        open_status=open_status,
        same_message_id=same_message_id,
        same_run_id=same_run_id,
        has_artifacts=has_artifacts,
        live_release_id=live_release_id,
        own_keys_allowed=bool(own_keys_allowed),
        project=_project(project),
        groups=frozenset(groups),
        budgets=budgets_from(budgets),
        secrets=run_secrets_from_rows(secret_rows),
        branch=HeadSegment(cached_branch, segment_from_rows(segments[0])) if cached_branch and segments else None,
    )


def _project(values: list[Any] | None) -> RunProject | None:
    if values is None:
        return None
    project_id, name, instructions, has_files = values
    return RunProject(UUID(project_id), name, instructions, has_files)


def _conversation(rows: Sequence[tuple[Any, ...]] | Rows) -> Conversation | None:
    return Conversation.from_db("default", _CONVERSATION_COLUMNS, rows[0]) if rows else None
