"""Loads everything that a run's owner needs, once: its rows, its release and the branch that it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from admin_config.services.selectors import LoadedRelease, release_load
from agents.artifact_agents.artifacts_context import MAX_ARTIFACTS, MAX_READ_CHARS, artifacts_context, is_known
from agents.entry_codec import entry_decode
from agents.messages import ContextData, Entry, Usage
from agents.run_context import RunProject
from agents.runtime.connections import PreloadedKeys, preload_first_key
from agents.runtime.key_lookup import KeyOwner, RequestKeys
from agents.runtime.masking import placeholders_open
from agents.runtime.page_state import PageState, page_state_context
from agents.runtime.placeholders import Placeholders
from agents.runtime.replay.recorded_calls import RecordedCalls, RunReplay
from agents.runtime.replay.recorded_model import RecordedModels
from agents.runtime.replay.settled_calls import LIVE
from agents.runtime.request_overrides import RequestOverrides
from artifacts.selectors import artifact_previews
from chat.entries import StoredEntry
from chat.models import Part, Run
from chat.storage.branch_cache import CachedBranch, branch_load, branch_read
from chat.storage.leases import open_text_load
from chat.storage.loaded_run import LoadedRun
from chat.storage.lost_calls import lost_calls_book
from chat.storage.pending_inputs import PendingInput, pending_inputs
from chat.storage.recorded_runs import RecordedRun, recorded_run, run_project, whole_runs
from chat.stream.event_log import LeaseLost
from limits.budget_accounts import budgets_column, budgets_from
from limits.budgets import NO_BUDGETS, Budgets

_BUDGETS = budgets_column(
    '"chat_run"."organization_id"', '"chat_conversation"."owner_id"', '"chat_run"."token_id"', '"chat_run"."assistant"'
)


def run_load(*, run_id: UUID, epoch: int, keys: RequestKeys | None = None) -> LoadedRun:
    """Load a run in its organization's transaction. Raises LeaseLost when the epoch is not current any more.

    `keys`: the keys of its request; if given, the key that is needed first is opened as well.

    At most six queries, however long the history is; one more for new files, five more for a run that was started before, and at most
    three for the key. A replay needs two more.
    """
    run = _active_run(run_id, epoch)
    recording = recorded_run(run.replay_of_id) if run.replay_of_id else None
    original = recording.run if recording else run  # a replay has the history and the member of the run that it replays
    owner, member = run.conversation.owner, original.conversation.owner
    branch = (
        branch_read(organization_id=run.organization_id, leaf_id=original.question_id)
        if recording
        else branch_load(organization_id=run.organization_id, conversation_id=run.conversation_id, leaf_id=run.question_id)
    )
    release = release_load(run.release_id)
    answer_entries = tuple(stored_entries(run.answer_id)) if epoch > 1 else ()
    usage = Usage(**run.usage)
    budgets = _budgets(run)
    usage, logged_step = lost_calls_book(run_id=run_id, epoch=epoch, usage=usage, budgets=budgets) if epoch > 1 else (usage, 0)
    placeholders = placeholders_open(membership_id=member.pk)
    key_owner = KeyOwner(membership_id=owner.pk, request=keys) if keys is not None else None
    return loaded_run_build(
        run,
        epoch=epoch,
        membership_id=owner.pk,
        user_name=member.user.name,
        preferences=member.preferences,
        organization_name=owner.organization.name,
        project=recording.project if recording else run_project(run),
        budgets=budgets,
        release=release,
        branch=branch,
        answer_entries=answer_entries,
        usage=usage,
        logged_step=logged_step,
        waiting=pending_inputs(run.pk) if epoch > 1 else (),
        placeholders=placeholders,
        preloaded_keys=preload_first_key(release.snapshot, run.model_config_id, key_owner) if key_owner else {},
        artifacts=None if answer_entries else recording.artifacts if recording else artifact_context(run, branch.entries, placeholders),
        replay=_replay(run, recording, answer_entries) if recording else _trial_results(run, answer_entries),
    )


def recorded_run_load(recording: RecordedRun, *, models: RecordedModels) -> LoadedRun:
    """Return a recorded run as it was before its first step, to work through it again with recorded answers. Four queries."""
    run, owner = recording.run, recording.run.conversation.owner
    return loaded_run_build(
        run,
        epoch=1,
        membership_id=owner.pk,
        user_name=owner.user.name,
        preferences=owner.preferences,
        organization_name=owner.organization.name,
        release=release_load(run.release_id),
        branch=branch_read(organization_id=run.organization_id, leaf_id=run.question_id),
        placeholders=placeholders_open(membership_id=owner.pk),
        preloaded_keys={},
        artifacts=recording.artifacts,
        replay=recording.replay(models=models),
        project=recording.project,
    )


def loaded_run_build(
    run: Run,
    *,
    epoch: int,
    membership_id: UUID,
    user_name: str,
    preferences: str,
    organization_name: str,
    release: LoadedRelease,
    branch: CachedBranch,
    placeholders: Placeholders,
    preloaded_keys: PreloadedKeys,
    artifacts: ContextData | None,
    replay: RunReplay | None = None,
    project: RunProject | None = None,
    budgets: Budgets = NO_BUDGETS,
    answer_entries: tuple[StoredEntry, ...] = (),
    usage: Usage | None = None,
    logged_step: int = 0,
    waiting: tuple[PendingInput, ...] = (),
    first_title: str | None = None,
) -> LoadedRun:
    """Return the run with what was read for it. No query."""
    return LoadedRun(
        run_id=run.pk,
        organization_id=run.organization_id,
        organization_name=organization_name,
        membership_id=membership_id,
        user_name=user_name,
        preferences=preferences,
        project=project,
        is_temporary=run.conversation.expires_at is not None,
        conversation_id=run.conversation_id,
        answer_id=run.answer_id,
        epoch=epoch,
        step=run.step,
        model_config_id=run.model_config_id,
        thinking=run.thinking,
        switches=run.switches,
        assistant=run.assistant,
        display=run.display,
        usage=usage or Usage(**run.usage),
        logged_step=logged_step,
        created_at=run.created_at,
        trace_parent=run.trace_parent,
        release=release,
        history=branch.entries,
        answer_entries=answer_entries,
        stop_requested=run.stop_requested_at is not None,
        open_text=tuple(open_text_load(run.pk, len(answer_entries))) if epoch > 1 else (),
        takeovers=run.takeovers,
        placeholders=placeholders,
        pending_inputs=waiting,
        session_hash=run.session_hash,
        keys_sent_for=frozenset(run.keys_sent_for),
        request_overrides=RequestOverrides.model_validate(run.request_overrides),
        pending_file_ids=branch.pending_file_ids,
        prefix_cache=branch.prefix_cache,
        preloaded_keys=preloaded_keys,
        first_title=first_title,
        budgets=budgets,
        page_state=run.page_state,
        page_tools=frozenset(run.page_tools),
        page=_page_context(run.page_state, [*branch.entries, *(each.entry for each in answer_entries)]) if run.page_state else None,
        artifacts=artifacts,
        replay=replay,
    )


def artifact_context(run: Run, history: Sequence[Entry], placeholders: Placeholders) -> ContextData | None:
    """Return what the model must know about the artifacts, or None when there are none or it has the same data already. One query."""
    owner_id = run.conversation.owner_id
    previews = artifact_previews(conversation_id=run.conversation_id, owner_id=owner_id, limit=MAX_ARTIFACTS, characters=MAX_READ_CHARS)
    context = artifacts_context(previews, placeholders.mask)
    return None if context is None or is_known(context, history) else context


def _page_context(state: PageState, entries: Sequence[Entry]) -> ContextData | None:
    """Return what the model must know about the page, or None when the model has read the same last."""
    context = page_state_context(state)
    return None if is_known(context, entries) else context


def _active_run(run_id: UUID, epoch: int) -> Run:
    run = whole_runs().annotate(budgets=_BUDGETS).filter(pk=run_id, epoch=epoch, status__in=Run.ACTIVE).first()
    if run is None:
        raise LeaseLost
    return run


def _replay(run: Run, recording: RecordedRun, answer_entries: Sequence[StoredEntry]) -> RunReplay:
    """Return what the run takes of the recorded one, less what its former owners took. `answer_entries`: its entries so far."""
    live = frozenset(call_id for call_id, how in run.settled_calls.items() if how == LIVE)
    replay = recording.replay(looks_up=run.looks_up, live=live, definitions=run.tool_definitions)
    replay.calls.skip(each.entry for each in answer_entries)
    return replay


def _trial_results(run: Run, answer_entries: Sequence[StoredEntry]) -> RunReplay | None:
    """Return the results that a trial's tools give, less what its former owners took; None when its tools run."""
    if run.tool_results is None:
        return None
    calls = RecordedCalls((), run.tool_results)
    calls.skip(each.entry for each in answer_entries)
    return RunReplay(calls=calls, began_at=run.created_at, conversation_id=run.conversation_id, looks_up=True, is_trial=True)


def _budgets(run: Any) -> Budgets:
    """`run` comes from `_active_run`."""
    return budgets_from(run.budgets)


def stored_entries(message_id: UUID) -> list[StoredEntry]:
    """Return a message's entries in order. One query."""
    return [stored_entry(part) for part in Part.objects.filter(message_id=message_id).order_by("position")]


def stored_entry(part: Part) -> StoredEntry:
    """Return the entry of a part's row."""
    return StoredEntry(entry_decode(part.kind, part.content, part.extras), part.step, part.duration_ms)
