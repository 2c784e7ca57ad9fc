"""Creates runs, and limits how many active runs a member may have.

The answer's message, the run and, for a new conversation, all its other rows are inserted in one statement.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError
from psycopg.errors import UniqueViolation

from admin_config.defaults.platform import is_demo
from admin_config.services.own_keys import own_keys_check
from admin_config.services.selectors import LoadedRelease, live_release
from agents.assistants import assistant_check
from agents.runtime.key_lookup import RequestKeys
from agents.runtime.replay.recorded_calls import DefinitionChange, GivenResult
from agents.runtime.request_overrides import NO_OVERRIDES, RequestOverrides
from chat.errors import TooManyRuns
from chat.models import Conversation, Message, Run
from chat.storage.leases import Claim, lease_expired, lease_expiry, process_name
from telemetry.spans import current_parent
from tenants.access import Actor
from tenants.errors import NotFound
from tenants.models import TenantModel
from tenants.postgres.bulk_insert import insert_if_new, rows_insert

MAX_ACTIVE_RUNS = 10
# A new message brings an archived conversation back into the list.
_UPDATE_HEAD = """\
UPDATE chat_conversation
SET head_id = %s, updated_at = STATEMENT_TIMESTAMP(), model_config_id = %s, assistant = %s, archived_at = NULL
WHERE organization_id = %s AND id = %s
"""


def check_run_limit(actor: Actor) -> None:
    """Raises TooManyRuns when MAX_ACTIVE_RUNS answers of the member are being written.

    The caller holds the membership's lock, so that parallel sends are counted one by one (SECURITY 26).
    """
    active = Run.objects.filter(conversation__owner_id=actor.membership_id, status__in=Run.ACTIVE)
    check_run_count(active.count())


def check_run_count(active_runs: int) -> None:
    """Raises TooManyRuns when a member has `active_runs` and may start no other one."""
    if active_runs >= MAX_ACTIVE_RUNS:
        raise TooManyRuns


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options that a request chooses for its answer."""

    model_config_id: UUID | None = None  # None: the conversation's model, else the chat agent's
    thinking: bool = False
    switches: Mapping[str, bool] = field(default_factory=dict)  # by the keys of admin_config.services.switches
    assistant: str | None = None  # the key of one; "": the chat agent; None: who was chosen in the conversation
    page_state: dict[str, Any] | None = None  # from the page around the chat (SPEC 4.12)
    page_tools: Sequence[str] = ()  # names of the tools that this page carries out
    replay_of: UUID | None = None  # the recorded run that is replayed
    looks_up: bool = False  # a replay: whether calls that only read inside Parley may run when they were not recorded
    tool_definitions: Mapping[str, DefinitionChange] = field(default_factory=dict)  # a replay: other words for tools, by name
    tool_results: Sequence[GivenResult] | None = None  # a trial: what tools give instead of running; None: they run


@dataclass(frozen=True, slots=True)
class StartedRun:
    """The result of a send: its run."""

    run_id: UUID
    conversation_id: UUID
    claim: Claim | None  # this process's claim; None: the run existed before, or a worker takes it
    is_new: bool  # False: an earlier identical send created the run


def run_create(
    conversation: Conversation,
    question_id: UUID,
    rows: Sequence[TenantModel] = (),
    *,
    release: LoadedRelease,
    run_options: RunOptions,
    keys: RequestKeys,
    request_overrides: RequestOverrides = NO_OVERRIDES,
    actor: Actor,
    groups: Collection[UUID] | None = None,
    is_first: bool = False,
) -> tuple[StartedRun, Run]:
    """Store an empty answer and its run, leased to this process or free for a worker. Return the run's row as well.

    `rows`: other new rows, inserted in the same statement. `is_first`: the conversation is new and must be inserted, too. If the request
    brought keys, this process gets the run in any case, because only its memory has them. `actor`, `groups`: who must be allowed to use
    the assistant; groups that are None are read if they matter.

    Raises NotFound when a new conversation's id is taken, AssistantUnavailable, and other RunConfigErrors.
    """
    assistant = conversation.assistant if run_options.assistant is None else run_options.assistant
    if run_options.replay_of is None:  # an admin replays what a member was allowed to ask
        assistant_check(release.snapshot, assistant, actor, groups)
    model_id = release.snapshot.chat_model(run_options.model_config_id or conversation.model_config_id, assistant)[1].id
    inline = settings.RUN_EXECUTOR == "inline" or bool(keys.sent_keys)
    answer = Message(conversation=conversation, parent_id=question_id, role=Message.Role.ASSISTANT)
    run = Run(
        conversation=conversation,
        question_id=question_id,
        answer=answer,
        release_id=release.id,
        model_config_id=model_id,
        assistant=assistant,
        display=run_display(release, model_id, assistant),
        thinking=run_options.thinking,
        switches=dict(run_options.switches),
        page_state=run_options.page_state,
        page_tools=list(run_options.page_tools),
        replay_of_id=run_options.replay_of,
        looks_up=run_options.looks_up,
        tool_definitions=dict(run_options.tool_definitions),
        tool_results=None if run_options.tool_results is None else list(run_options.tool_results),
        trace_parent=current_parent(),
        request_overrides=request_overrides.as_json(),
        session_hash=keys.session_hash,
        token_id=keys.token_id,
        keys_sent_for=sorted(keys.sent_keys),
        lease_owner=process_name() if inline else "",
        lease_expires_at=lease_expiry() if inline else lease_expired(),
    )
    answer.run = run
    conversation.head_id, conversation.model_config_id, conversation.assistant = answer.pk, model_id, assistant
    if is_first:
        _conversation_insert(conversation, [*rows, answer, run])
    else:
        rows_insert([*rows, answer, run], then=_head_update(conversation))
    claim = Claim(run.pk, conversation.organization_id, 1) if inline else None
    return StartedRun(run.pk, conversation.pk, claim, is_new=True), run


def run_release(keys: RequestKeys, actor: Actor) -> LoadedRelease:
    """Return the member's release for a new run. Raises OwnKeysNotAllowed when keys were sent and are not allowed, and NothingPublished."""
    if keys.sent_keys:
        own_keys_check()
    return live_release(organization_id=actor.organization_id, membership_id=actor.membership_id)


def _conversation_insert(conversation: Conversation, rows: Sequence[TenantModel]) -> None:
    """Insert the new conversation and its rows.

    Raises NotFound when the id belongs to somebody else or to a deleted conversation: missing and foreign look the same. The
    membership's lock excludes parallel sends of the same member.
    """
    try:
        is_new = rows_insert(rows, then=insert_if_new(conversation))
    except IntegrityError as exc:  # a run in that conversation, or a message of the same id
        if isinstance(exc.__cause__, UniqueViolation):
            raise NotFound from exc
        raise
    if not is_new:
        raise NotFound


def _head_update(conversation: Conversation) -> tuple[str, list[Any]]:
    return _UPDATE_HEAD, [
        conversation.head_id,
        conversation.model_config_id,
        conversation.assistant,
        conversation.organization_id,
        conversation.pk,
    ]


def run_display(release: LoadedRelease, model_id: UUID, assistant: str = "") -> dict[str, Any]:
    """Return what the screen shows about a run (docs/protocol.md, messageMetadata)."""
    model = next(model for model in release.snapshot.models if model.id == model_id)
    display = {"modelName": model.display_name, "provider": model.provider, "isDemo": is_demo(model.provider), "release": release.number}
    who = release.snapshot.agents[assistant].assistant if assistant else None
    return {
        **display,
        **({"isTrial": True} if release.is_trial else {}),
        **({"assistant": {"key": assistant, "name": who.title}} if who else {}),
    }
