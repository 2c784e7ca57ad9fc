"""Handles the requests of AI SDK clients: messages, regenerations, decisions about tool calls, and outputs of client calls.

For decisions and outputs, the client sends the answer back as the last message, with the state of its calls. The reply continues that
answer, so it starts after what the client already has (PROTOCOLS a).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from agents.runtime.key_lookup import RequestKeys
from chat.api.client_messages import ApprovalDecision
from chat.api.frames import ChatRequest
from chat.api.run_streams import RunStream, request_post, resumable_stream
from chat.errors import AlreadyAnswered, AlreadyDecided
from chat.runs import commands
from chat.stream.tool_chunks import CLIENT_OUTPUT_TYPE
from tenants.access import Actor
from tenants.errors import NotFound, ParleyError

ALWAYS_SENT_TYPES = frozenset({"start", "finish", "error"})


@dataclass(frozen=True, slots=True)
class ContinuedRunStream:
    """A run that a viewer follows from the point after these decisions and outputs. Used like `RunStream`."""

    run_stream: RunStream
    decided: frozenset[str] = field(default=frozenset())  # approval ids of decisions, call ids of outputs

    async def batches(self) -> AsyncGenerator[list[bytes], None]:
        """Yield the chunks (JSON texts) that the client lacks, up to the answer's end. Raises LogRebuilt (see Hub.follow)."""
        missing = set(self.decided)
        async with aclosing(self.run_stream.batches()) as batches:
            async for batch in batches:
                if not missing:
                    yield batch
                elif news := [chunk for chunk in batch if _is_new(chunk, missing)]:
                    yield news


def _is_new(text: bytes, missing: set[str]) -> bool:
    """Return whether the client lacks this chunk. Removes the decision or output that the chunk shows from `missing`."""
    if not missing:
        return True
    chunk: dict[str, Any] = orjson.loads(text)
    if chunk["type"] == "tool-approval-response":
        missing.discard(chunk["approvalId"])
    elif chunk["type"] == CLIENT_OUTPUT_TYPE:
        missing.discard(chunk["data"]["toolCallId"])
    return chunk["type"] in ALWAYS_SENT_TYPES


async def request_handle(actor: Actor, request: ChatRequest, keys: RequestKeys) -> RunStream | ContinuedRunStream:
    """Carry out a request (a message, a regeneration, decisions or outputs). Return the run to follow. Raises ParleyError."""
    if decisions := request.decisions:
        return await decisions_post(actor, request, decisions)
    if request.outputs:
        return await _follow(actor, request, await _outputs_post(actor, request), AlreadyAnswered())
    return await request_post(actor, request, keys)


async def decisions_post(actor: Actor, request: ChatRequest, decisions: Sequence[ApprovalDecision]) -> ContinuedRunStream:
    """Deliver the decisions, and the outputs next to them. Return the rest of the answer. Earlier decisions stay as they are.

    Raises AlreadyDecided when none of the decisions concerns the conversation's newest run, or that run ended long ago. Raises other
    ParleyErrors of `commands.decide_approval` and `commands.accept_client_outputs`.
    """
    runs: dict[str, UUID | None] = {}  # by approval id or call id
    with suppress(NotFound, AlreadyAnswered):  # clients also send back results that the server made
        runs |= await _outputs_post(actor, request)
    for decision in decisions:
        try:
            receipt = await commands.decide_approval(
                actor, key=request.id, approval_id=decision.id, approved=decision.approved, reason=decision.reason
            )
            runs[str(decision.id)] = receipt.run_id
        except AlreadyDecided as exc:
            runs[str(decision.id)] = exc.run_id
    return await _follow(actor, request, runs, AlreadyDecided())


async def _outputs_post(actor: Actor, request: ChatRequest) -> dict[str, UUID]:
    """Deliver the outputs. Return the run's id for each call whose output was accepted. Raises the errors of `commands.accept_client_outputs`."""
    if not request.outputs:
        return {}
    result = await commands.accept_client_outputs(actor, key=request.id, outputs=request.outputs)
    return dict.fromkeys(result.call_ids, result.receipt.run_id)


async def _follow(actor: Actor, request: ChatRequest, runs: Mapping[str, UUID | None], nothing_error: ParleyError) -> ContinuedRunStream:
    """Return the stream of the conversation's newest run. Raises `nothing_error` when it is none of `runs`, or has no stream any more."""
    run_stream = await resumable_stream(actor, request.id)
    if run_stream is None or run_stream.run_id not in runs.values():
        raise nothing_error
    return ContinuedRunStream(run_stream, frozenset(input_id for input_id, run_id in runs.items() if run_id == run_stream.run_id))
