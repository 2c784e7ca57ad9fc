"""The call log: writes a row per model call, and rebuilds each request as it was sent (SPEC 3.16).

All calls of an agent share the same prompt of ten kilobytes or more. It is stored once, and a cache of the prompts that this process
has stored keeps it from being sent to the database again.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any, Final
from uuid import UUID

from cachetools import TTLCache
from django.db import transaction

from agents.messages import Entry, ModelRequest, Usage
from agents.runtime.call_recording import CallRecord
from agents.runtime.call_snapshots import own_entries, prompt_snapshot, rebuild_request, settings_snapshot
from agents.runtime.files import native_file_ids
from chat.models import ModelCall, PromptSnapshot, Run
from chat.storage.attached_files import file_texts_load
from chat.storage.branches import branch_entries
from files.selectors import ConversationFiles
from limits.budget_accounts import SettledCall, holds_settle
from limits.counters import charge_on_commit
from tenants.access import Actor
from tenants.context import current_organization_id
from tenants.db import in_db
from tenants.errors import NotFound
from tenants.models import TenantModel
from tenants.postgres.bulk_insert import rows_insert

MAX_PROMPTS: Final = 4096
PROMPT_TTL_S: Final = 600.0  # then a prompt is stored again if it is missing, e.g. because the database was restored from a backup


class StoredPromptCache:
    """A thread-safe cache of the hashes of stored prompts, by organization. `clock` returns seconds."""

    def __init__(self, *, max_prompts: int = MAX_PROMPTS, clock: Callable[[], float] = time.monotonic) -> None:
        self._stored_prompts = TTLCache[tuple[UUID, str], None](max_prompts, PROMPT_TTL_S, timer=clock)
        self._lock = Lock()

    def missing(self, organization_id: UUID, digests: Iterable[str]) -> list[str]:
        """Return the digests that may not be in the database, sorted."""
        with self._lock:
            return sorted(digest for digest in digests if (organization_id, digest) not in self._stored_prompts)

    def add(self, organization_id: UUID, digests: Iterable[str]) -> None:
        """Remember the digests as stored. Call it after the commit."""
        with self._lock:
            for digest in digests:
                self._stored_prompts[organization_id, digest] = None

    def clear(self) -> None:
        with self._lock:
            self._stored_prompts.clear()


STORED_PROMPTS: Final = StoredPromptCache()


def calls_record(
    *,
    calls: Sequence[CallRecord],
    run_id: UUID | None = None,
    conversation_id: UUID | None = None,
    beside: Sequence[TenantModel] = (),
    if_new: Sequence[TenantModel] = (),
    then: tuple[str, Sequence[Any]] | None = None,
) -> int:
    """Log model calls of a run, or of a conversation outside of a run, and settle what budgets held for them.
    Limits on tokens and cost are charged after the commit.

    Return how many rows the statement `then` changed.

    `beside`: other new rows, inserted in the same statement; `if_new`: those that may be stored already. `then`: (SQL, parameters) of an update that follows in that statement.
    Prompts that were logged before are not stored again.
    """
    snapshots = [prompt_snapshot(call.request, call.policy) for call in calls]
    digests = [content_hash(snapshot) for snapshot in snapshots]
    prompts = dict(zip(digests, snapshots, strict=True))
    rows = [_row(call, digest, run_id, conversation_id) for call, digest in zip(calls, digests, strict=True)]
    organization_id = current_organization_id()
    new = STORED_PROMPTS.missing(organization_id, prompts)
    changed = rows_insert(
        [*beside, *rows], if_new=[*if_new, *(PromptSnapshot(content_hash=digest, content=prompts[digest]) for digest in new)], then=then
    )
    if settled_calls := [SettledCall(call.id, call.cost_usd, call.is_estimated) for call in calls if call.is_held]:
        holds_settle(settled_calls)
    for call in calls:
        charge_on_commit(call.charges, call.usage.total_tokens, call.counted_usd)
    if new:
        transaction.on_commit(partial(STORED_PROMPTS.add, organization_id, new))
    return changed


def calls_usage(call_ids: Collection[str], *, run_id: UUID) -> tuple[Usage, float]:
    """Return the usage and the cost in US dollars of the run's model calls that sub-agents made for these tool calls."""
    calls = ModelCall.objects.filter(run_id=run_id, parent_call_id__in=call_ids).values_list("usage", "cost_usd")
    return sum((Usage(**usage) for usage, _ in calls), Usage()), sum(cost or 0.0 for _, cost in calls)


def content_hash(content: dict[str, Any]) -> str:
    """Return the SHA-256 (hex) of the JSON as it is stored. The order of keys matters."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _row(call: CallRecord, prompt_hash: str, run_id: UUID | None, conversation_id: UUID | None) -> ModelCall:
    return ModelCall(
        id=call.id,
        run_id=run_id,
        conversation_id=conversation_id,
        prompt_hash=prompt_hash,
        entry_count=len(call.branch),
        own_entries=own_entries(call.request.entries, call.branch),
        settings=settings_snapshot(call.request),
        **call.columns(),
    )


def calls_of_run(*, actor: Actor, run_id: UUID) -> list[ModelCall]:
    """Return the model calls of a run and its sub-agents, in the order in which they ended.

    Raises NotFound when there is no such run, or when the actor may not read everybody's runs.
    """
    if not actor.can_audit or not Run.objects.filter(pk=run_id).exists():
        raise NotFound
    return list(ModelCall.objects.filter(run_id=run_id).select_related("run").defer("own_entries").order_by("created_at"))


def model_request_of(call: ModelCall) -> ModelRequest:
    """Return the request of a logged call without the contents of attached files, for those who show it.

    At most five queries. Raises NotFound for a lost owner's call, whose request is not kept.
    """
    if not call.prompt_hash:
        raise NotFound
    prompt = PromptSnapshot.objects.get(content_hash=call.prompt_hash).content
    return rebuild_request(model=call.model, prompt=prompt, settings=call.settings, branch=_branch(call), own_entries=call.own_entries)


async def sent_request_of(call: ModelCall) -> ModelRequest:
    """Return the request of a logged call, equal to the one that was sent: an adapter turns it into the same bytes.

    Files are read after the transaction. Raises NotFound as `model_request_of`.
    """
    request, conversation_id = await in_db(_request_and_conversation, call, organization_id=call.organization_id)
    file_ids = native_file_ids(request)
    if not file_ids or conversation_id is None:
        return request
    return replace(request, attachments=await ConversationFiles(call.organization_id, conversation_id).read(file_ids))


def _request_and_conversation(call: ModelCall) -> tuple[ModelRequest, UUID | None]:
    conversation_id = (call.run.replay_of or call.run).conversation_id if call.run else call.conversation_id
    return model_request_of(call), conversation_id


def _branch(call: ModelCall) -> Sequence[Entry]:
    """Return the branch as it was when the call was made; empty for a call without a branch."""
    if call.run is None or not call.entry_count:
        return []
    run = call.run
    branch = branch_entries(organization_id=call.organization_id, leaf_id=run.answer_id)
    if run.replay_of:  # whose conversation holds what came before
        branch = branch_entries(organization_id=call.organization_id, leaf_id=run.replay_of.question_id) + branch
    return file_texts_load(branch[: call.entry_count]).entries
