"""Reading the call log: each model call as it was sent (SPEC 3.16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from agents.engine.messages import Entry, ModelRequest
from agents.runtime.attachments import native_file_ids
from agents.runtime.call_snapshots import rebuild_request
from chat.models import ModelCall, PromptSnapshot, Run
from chat.storage.attached_files import file_texts_load
from chat.storage.branches import branch_entries
from files.selectors import conversation_contents
from tenants.access import Actor
from tenants.errors import NotFound


def calls_of_run(*, actor: Actor, run_id: UUID) -> list[ModelCall]:
    """The model calls of a run in the order in which they ended, sub-agents' among them.

    Raises NotFound when there is no such run, and to who does not administer the organization.
    """
    if not actor.can_administer or not Run.objects.filter(pk=run_id).exists():
        raise NotFound
    return list(ModelCall.objects.filter(run_id=run_id).select_related("run").defer("own_entries").order_by("created_at"))


def model_request_of(call: ModelCall) -> ModelRequest:
    """The request of a logged call, equal to the one that was sent: an adapter makes the same bytes of it. At most five queries, and the files are read."""
    prompt = PromptSnapshot.objects.get(content_hash=call.prompt_hash).content
    request = rebuild_request(model=call.model, prompt=prompt, settings=call.settings, branch=_branch(call), own_entries=call.own_entries)
    wanted = native_file_ids(request)
    conversation_id = call.run.conversation_id if call.run else call.conversation_id
    if not wanted or conversation_id is None:
        return request
    return replace(request, attachments=conversation_contents(wanted, conversation_id=conversation_id))


def _branch(call: ModelCall) -> Sequence[Entry]:
    """The branch as it was at the call; empty for a call that is on none."""
    if call.run is None or not call.entry_count:
        return []
    branch = branch_entries(organization_id=call.organization_id, leaf_id=call.run.answer_id)[: call.entry_count]
    return file_texts_load(branch).entries
