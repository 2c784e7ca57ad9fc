"""Writing the call log (SPEC 3.16); chat.storage.call_log reads it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from agents.engine.messages import Usage
from agents.runtime.call_recording import CallRecord
from agents.runtime.call_snapshots import own_entries, prompt_snapshot, settings_snapshot
from chat.models import ModelCall, PromptSnapshot
from chat.storage.stored_prompts import STORED_PROMPTS
from tenants.context import current_organization_id
from tenants.models import TenantModel
from tenants.postgres.bulk_insert import rows_insert


def calls_record(
    *,
    calls: Sequence[CallRecord],
    run_id: UUID | None = None,
    conversation_id: UUID | None = None,
    beside: Sequence[TenantModel] = (),
    then: tuple[str, Sequence[Any]] | None = None,
) -> int:
    """Log the model calls of a run, or those that served a conversation outside of one, and store the new rows `beside` them. One statement,
    in which `then` follows; return how many rows that changed.

    A prompt that was logged before is not stored again.
    """
    snapshots = [prompt_snapshot(call.request, call.policy) for call in calls]
    digests = [content_hash(snapshot) for snapshot in snapshots]
    prompts = dict(zip(digests, snapshots, strict=True))
    rows = [_row(call, digest, run_id, conversation_id) for call, digest in zip(calls, digests, strict=True)]
    organization_id = current_organization_id()
    new = STORED_PROMPTS.missing(organization_id, prompts)
    changed = rows_insert(
        [*beside, *rows], if_new=[PromptSnapshot(content_hash=digest, content=prompts[digest]) for digest in new], then=then
    )
    if new:
        transaction.on_commit(partial(STORED_PROMPTS.add, organization_id, new))
    return changed


def calls_usage(call_ids: Collection[str], *, run_id: UUID) -> tuple[Usage, float]:
    """What the run's model calls for these tool calls took, and cost in US dollars."""
    calls = ModelCall.objects.filter(run_id=run_id, parent_call_id__in=call_ids).values_list("usage", "cost_usd")
    return sum((Usage(**usage) for usage, _ in calls), Usage()), sum(cost or 0.0 for _, cost in calls)


def content_hash(content: dict[str, Any]) -> str:
    """SHA-256 (hex) of the JSON as it is stored; another order of keys is another content."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _row(call: CallRecord, prompt_hash: str, run_id: UUID | None, conversation_id: UUID | None) -> ModelCall:
    origin = call.origin
    return ModelCall(
        run_id=run_id,
        conversation_id=conversation_id,
        kind=origin.kind.value,
        step=call.step,
        parent_call_id=origin.parent_call_id.replace("\x00", ""),
        agent_key=origin.agent_key,
        provider=origin.provider,
        endpoint=origin.endpoint,
        model=call.request.model,
        model_version=call.model_version.replace("\x00", ""),
        prompt_hash=prompt_hash,
        entry_count=len(call.branch),
        own_entries=own_entries(call.request.entries, call.branch),
        settings=settings_snapshot(call.request),
        attempts=call.attempts,
        usage=asdict(call.usage),
        cost_usd=call.cost_usd,
        finish_reason=call.finish_reason,
        error_code=call.error_code,
        first_token_ms=call.first_token_ms,
        duration_ms=call.duration_ms,
    )
