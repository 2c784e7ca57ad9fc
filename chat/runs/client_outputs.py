"""Outputs of the tool calls that the client carries out (SPEC 4.12).

Each call takes one output, from any device of the conversation's owner. Sync functions that need the organization's transaction, like
those of chat.runs.run_inputs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models.functions import Now
from django.utils.translation import gettext

from agents.engine.open_calls import CLIENT_DID_NOT_ANSWER, CallRecords, pending_calls
from agents.messages import ClientOutput
from chat.conversations.selectors import conversation_get_for_user
from chat.conversations.services import require_writer
from chat.entries import json_safe
from chat.errors import AlreadyAnswered
from chat.models import Conversation, Part, Run, RunInput
from chat.runs.run_inputs import InputReceipt, open_run, run_resume_if_waiting
from chat.storage.run_loading import stored_entries
from tenants.access import Actor
from tenants.errors import NotFound, TooLarge

MAX_OUTPUT_BYTES: Final = 64 * 1024  # bytes of JSON
CLIENT_TIMEOUT: Final = timedelta(hours=1)  # pages answer at once; this allows for one that is closed and opened again
CLIENT_REQUEST_KIND: Final = "client_request"  # the kind of entry (agents.entry_codec)


@dataclass(frozen=True, slots=True)
class ToolOutputsAccepted:
    """The result of `client_outputs_accept`."""

    receipt: InputReceipt
    call_ids: frozenset[str]  # the calls that have the given output, from this request or an earlier identical one


@dataclass(frozen=True, slots=True)
class _ClientCallState:
    """The client calls of an answer, and the outputs that came for them."""

    asked_call_ids: frozenset[str]  # ids of the calls that the client was asked for
    outputs_by_id: dict[str, Any]  # by `_input_id`
    waiting: frozenset[str]  # ids of the calls that have neither output nor result

    def accepts(self, output: ClientOutput) -> bool:
        """Return whether the call waits for an output, or has received the same one before."""
        earlier = self.outputs_by_id.get(_input_id(output.call_id))
        return output.call_id in self.waiting if earlier is None else earlier == asdict(output)


def client_outputs_accept(*, actor: Actor, key: str, outputs: Sequence[ClientOutput]) -> ToolOutputsAccepted:
    """Give the outputs to the conversation's open or else newest run. Outputs of other calls, or of calls that have one, are ignored.

    Raises NotAllowed, NotFound (none of the calls is the client's), AlreadyAnswered (none of the outputs is accepted), TooLarge.
    """
    conversation = conversation_get_for_user(actor=require_writer(actor), key=key)
    run = open_run(conversation) or _newest_run(conversation)
    if run is None:
        raise NotFound
    state = _client_call_state(run)
    own_outputs = [_validate(output) for output in outputs if output.call_id in state.asked_call_ids]
    if not own_outputs:
        raise AlreadyAnswered if _was_asked(conversation, {output.call_id for output in outputs}) else NotFound
    accepted_outputs = [output for output in own_outputs if state.accepts(output)]
    if not accepted_outputs:
        raise AlreadyAnswered
    new = [output for output in accepted_outputs if _input_id(output.call_id) not in state.outputs_by_id]
    return ToolOutputsAccepted(_deliver(run, new), frozenset(output.call_id for output in accepted_outputs))


def client_calls_expire(*, run_id: UUID) -> InputReceipt | None:
    """Give error outputs to a run whose client did not answer in time, so that it continues. Return None when the client did answer."""
    waiting = Run.objects.select_for_update().filter(pk=run_id, status=Run.Status.WAITING_FOR_CLIENT)
    run = waiting.filter(paused_at__lte=Now() - CLIENT_TIMEOUT).first()
    silent = (
        [ClientOutput(call_id, CLIENT_DID_NOT_ANSWER, is_error=True) for call_id in sorted(_client_call_state(run).waiting)] if run else []
    )
    return _deliver(run, silent, in_this_process=False) if run and silent else None


def _deliver(run: Run, outputs: Iterable[ClientOutput], *, in_this_process: bool = True) -> InputReceipt:
    rows = [RunInput(run=run, kind=RunInput.Kind.OUTPUT, client_id=_input_id(output.call_id), content=asdict(output)) for output in outputs]
    if not rows:
        return InputReceipt(run.pk, run.conversation_id, run.answer_id, None, resumed=False)
    RunInput.objects.bulk_create(rows)
    return run_resume_if_waiting(run, in_this_process=in_this_process)


def _client_call_state(run: Run) -> _ClientCallState:
    entries = [entry.entry for entry in stored_entries(run.answer_id)]
    records = CallRecords.of(entries)
    inputs = RunInput.objects.filter(run=run, kind=RunInput.Kind.OUTPUT)
    outputs_by_id = dict(inputs.values_list("client_id", "content"))
    is_open = run.finished_at is None
    waiting = frozenset(call.id for call in pending_calls(entries) if records.waits_for_client(call)) if is_open else frozenset[str]()
    return _ClientCallState(records.asked_client, outputs_by_id, waiting)


def _was_asked(conversation: Conversation, call_ids: set[str]) -> bool:
    """Return whether one of the calls was a client call of an older answer."""
    requests = Part.objects.filter(message__conversation=conversation, kind=CLIENT_REQUEST_KIND)
    return any(content["call_id"] in call_ids for content in requests.values_list("content", flat=True))


def _newest_run(conversation: Conversation) -> Run | None:
    return Run.objects.filter(conversation=conversation).order_by("-created_at").first()


def _validate(output: ClientOutput) -> ClientOutput:
    """Return the output in storable form. Raises TooLarge when it is too large or too deeply nested."""
    try:
        text = json.dumps(json_safe(output.output), ensure_ascii=False)
    except RecursionError as error:
        raise TooLarge(gettext("What came of the call is too deeply nested.")) from error
    if len(text.encode()) > MAX_OUTPUT_BYTES:
        raise TooLarge(
            gettext("What came of the call is larger than %(max_output_bytes)s KB.") % {"max_output_bytes": MAX_OUTPUT_BYTES // 1024}
        )
    return ClientOutput(output.call_id, json.loads(text), output.is_error)


def _input_id(call_id: str) -> str:
    """Return the `client_id` of the call's output among the run's inputs.

    It contains a hash, because call ids can be long. No message has such an id.
    """
    return f"output:{hashlib.sha256(call_id.encode()).hexdigest()[:56]}"
