"""What the client says came of the calls that it carries out (SPEC 4.12): taken once, from any device of the conversation's owner.

Sync functions that run in the organization's transaction, as in chat.runs.run_inputs.
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

from agents.engine.context.model_context import pending_calls
from agents.engine.messages import ClientOutput
from agents.engine.tools.waiting_calls import CLIENT_DID_NOT_ANSWER, ClientCalls
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
CLIENT_TIMEOUT: Final = timedelta(hours=1)  # pages answer at once: this is for one that was closed and is opened again
CLIENT_REQUEST_KIND: Final = "client_request"  # the kind of entry (agents.engine.codec)


@dataclass(frozen=True, slots=True)
class ToolOutputsAccepted:
    """`call_ids`: those whose output this is, now or when it came before."""

    receipt: InputReceipt
    call_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class _ClientCallState:
    """What the answer's client was asked for, and what it said. `waiting`: ids of the calls that have neither output nor result."""

    calls: ClientCalls
    outputs_by_id: dict[str, Any]
    waiting: frozenset[str]

    def accepts(self, output: ClientOutput) -> bool:
        """A call takes one output; the same one again changes nothing."""
        earlier = self.outputs_by_id.get(_input_id(output.call_id))
        return output.call_id in self.waiting if earlier is None else earlier == asdict(output)


def client_outputs_accept(*, actor: Actor, key: str, outputs: Sequence[ClientOutput]) -> ToolOutputsAccepted:
    """Hand the outputs to the conversation's newest run; those that it takes no more, and calls that are not the client's, are left out.

    Raises NotAllowed, NotFound (none of the calls is the client's), AlreadyAnswered (none is taken any more), TooLarge.
    """
    conversation = conversation_get_for_user(actor=require_writer(actor), key=key)
    run = open_run(conversation) or _newest_run(conversation)
    if run is None:
        raise NotFound
    asked = _client_call_state(run)
    own_outputs = [_validated(output) for output in outputs if output.call_id in asked.calls.asked]
    if not own_outputs:
        raise AlreadyAnswered if _was_asked(conversation, {output.call_id for output in outputs}) else NotFound
    accepted = [output for output in own_outputs if asked.accepts(output)]
    if not accepted:
        raise AlreadyAnswered
    new = [output for output in accepted if _input_id(output.call_id) not in asked.outputs_by_id]
    return ToolOutputsAccepted(_deliver(run, new), frozenset(output.call_id for output in accepted))


def client_calls_expire(*, run_id: UUID) -> InputReceipt | None:
    """Go on with a run whose client did not answer in time; None when it did."""
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
    entries = [stored.entry for stored in stored_entries(run.answer_id)]
    calls = ClientCalls.of(entries)
    inputs = RunInput.objects.filter(run=run, kind=RunInput.Kind.OUTPUT)
    outputs_by_id = dict(inputs.values_list("client_id", "content"))
    is_open = run.finished_at is None
    waiting = frozenset(call.id for call in pending_calls(entries) if calls.waits(call)) if is_open else frozenset[str]()
    return _ClientCallState(calls, outputs_by_id, waiting)


def _was_asked(conversation: Conversation, call_ids: set[str]) -> bool:
    """Whether one of the calls was the client's in an older answer."""
    requests = Part.objects.filter(message__conversation=conversation, kind=CLIENT_REQUEST_KIND)
    return any(content["call_id"] in call_ids for content in requests.values_list("content", flat=True))


def _newest_run(conversation: Conversation) -> Run | None:
    return Run.objects.filter(conversation=conversation).order_by("-created_at").first()


def _validated(output: ClientOutput) -> ClientOutput:
    """As it can be stored. Raises TooLarge."""
    try:
        text = json.dumps(json_safe(output.output), ensure_ascii=False)
    except RecursionError as error:
        raise TooLarge("What came of the call is too deeply nested.") from error
    if len(text.encode()) > MAX_OUTPUT_BYTES:
        raise TooLarge(f"What came of the call is larger than {MAX_OUTPUT_BYTES // 1024} KB.")
    return ClientOutput(output.call_id, json.loads(text), output.is_error)


def _input_id(call_id: str) -> str:
    """Of the call's output among the run's inputs: no message has such an id, and a call's own can be long."""
    return f"output:{hashlib.sha256(call_id.encode()).hexdigest()[:56]}"
