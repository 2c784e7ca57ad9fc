"""Decisions about tool calls, and what came of those that the client carries out, as an AI SDK client sends them: the answer comes back as
the last message, with what was said of its calls.

The reply goes on with that answer, so it begins after what the client has (PROTOCOLS a).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from agents.runtime.key_lookup import RequestKeys
from chat.api.frames import ApprovalDecision, ChatRequest
from chat.api.run_streams import RunStream, request_post, resumable_stream
from chat.errors import AlreadyAnswered, AlreadyDecided
from chat.runs import commands
from chat.stream.tool_chunks import CLIENT_OUTPUT_TYPE
from tenants.access import Actor
from tenants.errors import NotFound, ParleyError

ALWAYS_SENT_TYPES = frozenset({"start", "finish", "error"})


@dataclass(frozen=True, slots=True)
class ContinuedRunStream:
    """A run that a viewer follows from behind these decisions and outputs on, by approval and call. Like `RunStream`."""

    run_stream: RunStream
    decided: frozenset[str] = field(default=frozenset())

    async def batches(self) -> AsyncGenerator[list[bytes], None]:
        missing = set(self.decided)
        async with aclosing(self.run_stream.batches()) as batches:
            async for batch in batches:
                if not missing:
                    yield batch
                elif news := [chunk for chunk in batch if _is_new(chunk, missing)]:
                    yield news


def _is_new(text: bytes, missing: set[str]) -> bool:
    """Whether the client lacks this chunk. Takes the decisions that pass by out of `missing`."""
    if not missing:
        return True
    chunk: dict[str, Any] = orjson.loads(text)
    if chunk["type"] == "tool-approval-response":
        missing.discard(chunk["approvalId"])
    elif chunk["type"] == CLIENT_OUTPUT_TYPE:
        missing.discard(chunk["data"]["toolCallId"])
    return chunk["type"] in ALWAYS_SENT_TYPES


async def request_handle(actor: Actor, request: ChatRequest, keys: RequestKeys) -> RunStream | ContinuedRunStream:
    """Do what the client asks for: a message, the same answer again, decisions or outputs; return what to follow. Raises ParleyError."""
    if decided := request.decided:
        return await decisions_post(actor, request, decided)
    if request.outputs:
        return await _follow(actor, request, await _outputs_post(actor, request), AlreadyAnswered())
    return await request_post(actor, request, keys)


async def decisions_post(actor: Actor, request: ChatRequest, decided: Sequence[ApprovalDecision]) -> ContinuedRunStream:
    """Let the run know, and follow it on. What was decided before stays as it is. Raises ParleyError.

    AlreadyDecided: none of the decisions is about the conversation's newest run, or that is long over.
    """
    runs: dict[str, UUID | None] = {}  # by approval or call
    with suppress(NotFound, AlreadyAnswered):  # results that the server made come back, too
        runs |= await _outputs_post(actor, request)
    for decision in decided:
        try:
            receipt = await commands.decision(
                actor, key=request.id, approval_id=decision.id, approved=decision.approved, reason=decision.reason
            )
            runs[str(decision.id)] = receipt.run_id
        except AlreadyDecided as exc:
            runs[str(decision.id)] = exc.run_id
    return await _follow(actor, request, runs, AlreadyDecided())


async def _outputs_post(actor: Actor, request: ChatRequest) -> dict[str, UUID]:
    """The run by call, of those whose output it took. Raises ParleyError; see `commands.client_outputs`."""
    if not request.outputs:
        return {}
    accepted = await commands.client_outputs(actor, key=request.id, outputs=request.outputs)
    return dict.fromkeys(accepted.call_ids, accepted.receipt.run_id)


async def _follow(actor: Actor, request: ChatRequest, runs: Mapping[str, UUID | None], nothing_error: ParleyError) -> ContinuedRunStream:
    """Raises `nothing_error` when there is nothing of these runs to follow."""
    run_stream = await resumable_stream(actor, request.id)
    if run_stream is None or run_stream.run_id not in runs.values():
        raise nothing_error
    return ContinuedRunStream(run_stream, frozenset(asked for asked, run_id in runs.items() if run_id == run_stream.run_id))
