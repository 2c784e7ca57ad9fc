"""A send, from the request to a run that works. Read this module first.

A frame or POST (chat.api.frames) names a conversation and contains a new message. Everything that the send depends on is read in one round
trip (`SendFacts`), all that is new is one statement, and after the commit a task of this process owns the run (chat.runs.supervisor).

The membership's lock comes first, then the conversation's: sends of one member are stored one after another, so that limits hold and a
repeated send finds the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from uuid import UUID, uuid4

from admin_config.services.own_keys import own_keys_check
from admin_config.services.selectors import LoadedRelease, live_release_load
from agents.runtime.connections import preload_first_key
from agents.runtime.key_lookup import NO_KEYS, KeyOwner, KeyRows, RequestKeys
from agents.runtime.masking import placeholders_of
from chat.api.edits import client_id_free, edited_question, is_repeat
from chat.api.frames import ChatRequest
from chat.api.questions import Question, new_conversation
from chat.conversations.selectors import assistant_of, parse_uuid
from chat.conversations.services import NewMessage, answer_regenerate, check_can_write, check_idle, clean_text
from chat.errors import RunActive
from chat.models import Run
from chat.runs.shield import run_shielded
from chat.runs.supervisor import claim_start
from chat.runs.task_queue import take_over_enqueue
from chat.storage.branch_cache import HeadSegment, question_branch_load
from chat.storage.cancel_waiting import cancel_waiting_run
from chat.storage.loaded_run import LoadedRun
from chat.storage.run_creation import RunOptions, StartedRun, check_run_count, run_create
from chat.storage.run_loading import artifact_context, loaded_run_build, run_load
from chat.storage.send_facts import SendFacts, send_facts_read
from files.inline_files import inline_files_finish, inline_files_write
from files.models import File
from limits.allowances import Allowances
from limits.budget_errors import budgets_check
from limits.counting import allowances_check, store_within_limits
from limits.selectors import allowances_load
from tenants.access import Actor
from tenants.db import in_db

StoredRun = tuple[StartedRun, LoadedRun | None]
"""A stored send, with its run as its owner needs it when this process is to work on it."""


async def request_start(actor: Actor, request: ChatRequest, keys: RequestKeys) -> StartedRun:
    """Store the message or regeneration and start its run, even if the viewer leaves in the meantime. Raises ParleyError.

    A message that was sent before returns its existing run.
    """
    return await run_shielded(_start_with_files(actor, request, keys))


async def run_start(store: Callable[[], StartedRun], keys: RequestKeys, *, organization_id: UUID) -> StartedRun:
    """Call `store` in the organization's transaction and start its run, even if the caller is cancelled in the meantime."""
    return await run_shielded(_store_and_start(partial(_store_with, store, keys), keys, organization_id))


async def _start_with_files(actor: Actor, request: ChatRequest, keys: RequestKeys) -> StartedRun:
    """Store the request with the files that it contains, and start its run."""
    inline_files = request.inline_files
    files = await inline_files_write(actor, inline_files) if inline_files else ()
    try:
        _check_message(request, files)  # before it is counted: an invalid one uses up nothing
        return await store_within_limits(
            actor,
            keys.token_id,
            request.options.assistant,
            _identity(request),
            store=lambda by: _store_and_start(partial(_store, actor, request, keys, files, by), keys, actor.organization_id),
            load=partial(_limits_load, actor, request, keys.token_id),
        )
    finally:
        if files:
            await inline_files_finish(files, organization_id=actor.organization_id)


def _check_message(request: ChatRequest, inline_files: Sequence[File]) -> None:
    """Raise BadRequest when the request has no message, or one that is empty or too long."""
    if request.trigger == "submit-message":
        send = request.as_new_message(inline_files)
        clean_text(send.text, may_be_empty=bool(send.file_ids))


def _identity(request: ChatRequest) -> str:
    """Return what is the same when a client sends a message again, and else different."""
    last = request.messages[-1] if request.messages and request.trigger == "submit-message" else None
    if last is None or not last.id:
        return uuid4().hex
    return sha256(f"{request.id}\n{last.id}\n{last.text}".encode()).hexdigest()


async def _store_and_start(store: Callable[[], StoredRun], keys: RequestKeys, organization_id: UUID) -> StartedRun:
    started, loaded_run = await in_db(store, organization_id=organization_id)
    if started.is_new:
        await _start(started, loaded_run, keys)
    return started


async def _start(started: StartedRun, loaded_run: LoadedRun | None, keys: RequestKeys) -> None:
    """Start the run in this process, or leave it to a worker."""
    if started.claim is None:
        await take_over_enqueue(started.run_id)
    else:
        await claim_start(started.claim, loaded_run, keys)


def _store(actor: Actor, request: ChatRequest, keys: RequestKeys, inline_files: Sequence[File], counted_by: Allowances) -> StoredRun:
    if request.trigger == "submit-message":
        return message_post(actor=actor, send=request.as_new_message(inline_files), keys=keys, counted_by=counted_by)
    options = request.options
    run_options = RunOptions(
        options.model_config_id, options.thinking, options.switches, options.assistant, options.page_state or None, options.page_tools
    )
    stored_run = _store_with(
        partial(answer_regenerate, actor=actor, key=request.id, message_id=request.message_id, run_options=run_options, keys=keys), keys
    )
    loaded_run = stored_run[1]
    allowances_check(loaded_run.budgets.limits if loaded_run else _limits_load(actor, request, keys.token_id), counted_by)
    return stored_run


def _limits_load(actor: Actor, request: ChatRequest, token_id: UUID | None) -> Allowances:
    """Return the limits that hold for the request. At most two statements."""
    assistant = request.options.assistant
    if assistant is None:
        assistant = assistant_of(actor=actor, key=request.id)
    return allowances_load(actor, token_id=token_id, assistant=assistant)


def _store_with(store: Callable[[], StartedRun], keys: RequestKeys) -> StoredRun:
    """Call `store`. A run for this process is loaded in the same transaction, which saves a transaction before the first token.

    Raises BudgetUsedUp, and what `store` raises.
    """
    started = store()
    if not started.claim:
        return started, None
    loaded_run = run_load(run_id=started.run_id, epoch=started.claim.epoch, keys=keys)
    budgets_check(loaded_run.budgets.states)
    return started, loaded_run


def message_post(*, actor: Actor, send: NewMessage, keys: RequestKeys = NO_KEYS, counted_by: Allowances = ()) -> StoredRun:
    """Store the message, the empty answer and its run. The caller commits before it acknowledges anything.

    A repeated send returns the run of the first one. The same `client_msg_id` with other content, or `edited_id`, makes a branch there.
    Raises NotAllowed, NotFound (also for files), NothingToEdit, BadRequest, RunActive, TooManyRuns, RunConfigError, OwnKeysNotAllowed, and
    the errors of files.services.files_attach. Raises BudgetUsedUp, and AllowancesDiffer when other limits hold than those that the message
    was counted by.
    """
    facts = _facts_read(actor, send, keys)
    check_can_write(facts.member.actor)
    text = clean_text(send.text, may_be_empty=bool(send.file_ids))
    conversation = facts.conversation or new_conversation(actor, send, text, facts.project)
    if facts.same_run_id is not None and is_repeat(facts, send, text):
        return StartedRun(facts.same_run_id, conversation.pk, None, is_new=False), None
    allowances_check(facts.budgets.limits, counted_by)
    budgets_check(facts.budgets.states)
    edited_message = edited_question(facts, send)
    head_segment = _branch_when_idle(facts)
    check_run_count(facts.active_runs)
    if edited_message is not None:
        client_id_free(conversation, send.client_msg_id)
    question = Question.of(facts, conversation, send, text, parent_id=edited_message.parent_id if edited_message else conversation.head_id)
    if keys.sent_keys:
        own_keys_check(facts.own_keys_allowed)
    release = live_release_load(facts.live_release_id)
    run_options = RunOptions(send.model_config_id, send.thinking, send.switches, send.assistant, send.page_state, send.page_tools)
    started, run = run_create(
        conversation,
        question.row.pk,
        question.rows,
        release=release,
        run_options=run_options,
        keys=keys,
        actor=facts.member.actor,
        groups=facts.groups,
        is_first=facts.conversation is None,
    )
    return started, _load(facts, run, question, None if edited_message else head_segment, release, keys) if started.claim else None


def _facts_read(actor: Actor, send: NewMessage, keys: RequestKeys) -> SendFacts:
    """Lock the member and the conversation, and read what the send depends on. Ids that a client chose may be UUIDs or other texts."""
    return send_facts_read(
        actor,
        conversation_id=parse_uuid(send.key),
        client_id=send.key,
        client_msg_id=send.client_msg_id,
        message_id=parse_uuid(send.client_msg_id),
        model_config_id=send.model_config_id,
        project_id=send.project_id,
        assistant=send.assistant,
        token_id=keys.token_id,
    )


def _branch_when_idle(facts: SendFacts) -> HeadSegment | None:
    """End a waiting run of the conversation. Return what was read of its branch and still holds. Raises RunActive when a run works."""
    if facts.open_status in Run.ACTIVE:
        raise RunActive
    if facts.open_status is None or facts.conversation is None:
        return facts.branch
    cancel_waiting_run(facts.conversation)  # its answer gets entries
    check_idle(facts.conversation)
    return None


def _load(
    facts: SendFacts, run: Run, question: Question, head_segment: HeadSegment | None, release: LoadedRelease, keys: RequestKeys
) -> LoadedRun:
    """Return the run as its owner needs it, mostly from the facts."""
    member = facts.member
    branch = question_branch_load(
        organization_id=run.organization_id,
        conversation_id=run.conversation_id,
        head_id=question.parent_id,
        question_id=question.row.pk,
        entries=question.entries,
        head_segment=head_segment,
    )
    placeholders = placeholders_of(facts.secrets.registered)
    owner = KeyOwner(membership_id=member.actor.membership_id, request=keys)
    key_rows = KeyRows(facts.own_keys_allowed, facts.secrets.endpoint_key)
    return loaded_run_build(
        run,
        epoch=run.epoch,
        membership_id=member.actor.membership_id,
        user_name=member.user_name,
        preferences=member.preferences,
        organization_name=member.organization_name,
        project=facts.project,
        budgets=facts.budgets,
        release=release,
        branch=branch,
        placeholders=placeholders,
        preloaded_keys=preload_first_key(release.snapshot, run.model_config_id, owner, key_rows),
        first_title=run.conversation.title if facts.conversation is None else None,
        artifacts=artifact_context(run, branch.entries, placeholders) if facts.has_artifacts else None,
    )
