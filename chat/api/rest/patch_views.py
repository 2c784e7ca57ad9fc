"""The REST view of "edit just this" (docs/protocol.md): lets a model change a selection, and returns what would change.

The model is called outside of transactions.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from pydantic import BaseModel, ConfigDict, Field

from admin_config.services.selectors import live_release
from agents.errors import RunError
from agents.runtime.call_recording import CallRecord
from agents.runtime.key_lookup import KeyOwner, RequestKeys
from agents.runtime.masking import placeholders_open
from agents.selection_edit import SelectionContext, SelectionEditCaller, replacement_write
from artifacts.edits import Selection
from artifacts.errors import NotEditable
from artifacts.kinds import IMAGE, kind_get
from artifacts.schemas import DiffHunkItem, diff_hunks
from artifacts.selectors import artifact_get_for_member, version_get
from artifacts.text.diffs import diff
from chat.errors import PatchFailed
from chat.models import Conversation
from chat.storage.call_log import calls_record
from limits.budget_accounts import budgets_load
from tenants.access import Actor
from tenants.authentication.sessions import session_hash
from tenants.db import in_db
from tenants.rest.schemas import ResponseSchema, WholeNumber, operation
from tenants.rest.views import ActorRequest, RestView

MAX_INSTRUCTION_CHARS = 4000


class PatchRequest(BaseModel):
    """The selection and what to do with it. `start` and `end` are positions in version `base`, in UTF-16 code units."""

    model_config = ConfigDict(strict=True, extra="forbid")

    base: WholeNumber = Field(ge=1)
    start: WholeNumber = Field(ge=0)
    end: WholeNumber = Field(ge=1)
    instruction: str = Field(min_length=1, max_length=MAX_INSTRUCTION_CHARS, pattern=r"\S")


class PatchAnswer(ResponseSchema):
    """The proposed change. To apply it, save a version with the operation `patch` and the same selection."""

    original: str
    replacement: str
    hunks: list[DiffHunkItem]


class PatchView(RestView):
    """Proposes a change of a selection in an artifact."""

    write = True
    rate = "chat"

    @operation(
        "editSelection", "Let an agent change a selected part only", tag="artifacts", answer=PatchAnswer, body=PatchRequest, errors=(409,)
    )
    def post(self, request: ActorRequest, artifact_id: UUID) -> PatchAnswer:
        """Nothing is stored. The agent for the artifact's kind gets the selection, the text around it and the instruction."""
        patch = self.body(PatchRequest)
        session = session_hash(self.http.session.session_key) if request.token is None else ""
        token_id = request.token.token_id if request.token else None
        keys = KeyOwner(membership_id=request.actor.membership_id, request=RequestKeys(session_hash=session, token_id=token_id))
        replacement, original = async_to_sync(_propose_patch)(request.actor, artifact_id, patch, keys)
        return PatchAnswer(original=original, replacement=replacement, hunks=diff_hunks(diff(original, replacement)))


async def _propose_patch(actor: Actor, artifact_id: UUID, patch: PatchRequest, keys: KeyOwner) -> tuple[str, str]:
    """Return the replacement and the original selection. Logs the model call, even if it fails. Raises PatchFailed."""
    calls: list[CallRecord] = []
    load = partial(_load, actor, artifact_id, patch, keys, calls)
    conversation_id, part, caller = await in_db(load, organization_id=actor.organization_id)
    try:
        return await replacement_write(part, caller), part.selection
    except RunError as exc:
        raise PatchFailed(exc) from exc
    finally:
        await in_db(calls_record, conversation_id=conversation_id, calls=calls, organization_id=actor.organization_id)


def _load(
    actor: Actor, artifact_id: UUID, patch: PatchRequest, keys: KeyOwner, calls: list[Any]
) -> tuple[UUID, SelectionContext, SelectionEditCaller]:
    artifact = artifact_get_for_member(artifact_id=artifact_id, actor=actor)
    if artifact.kind == IMAGE.name:
        raise NotEditable
    before, selection, after = Selection(patch.start, patch.end).split(version_get(artifact=artifact, number=patch.base).content)
    model_ids = Conversation.objects.filter(pk=artifact.conversation_id).values_list("model_config_id", flat=True)
    part = SelectionContext(
        title=artifact.title, kind=kind_get(artifact.kind), before=before, selection=selection, after=after, instruction=patch.instruction
    )
    caller = SelectionEditCaller(
        snapshot=live_release(organization_id=actor.organization_id, membership_id=actor.membership_id).snapshot,
        organization_id=actor.organization_id,
        model_config_id=model_ids.first(),
        key_owner=keys,
        placeholders=placeholders_open(membership_id=actor.membership_id),
        budgets=budgets_load(membership_id=actor.membership_id, token_id=keys.request.token_id),
        record_call=calls.append,
    )
    return artifact.conversation_id, part, caller
