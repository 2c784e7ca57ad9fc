"""Converts tool calls to chunks of the AI SDK's stream and to parts of its messages (docs/protocol.md; PROTOCOLS a).

Pure functions. A call that the client carries out is shown at once as streaming input. `tool-input-available`, on which an SDK client
acts, is sent only after the server has checked the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agents.messages import ApprovalRequest, ApprovalResponse, ClientOutput, ClientRequest, ProviderToolCall, ToolCall, ToolResult
from chat.entries import as_json

Chunk = dict[str, Any]
ToolEvent = ToolCall | ProviderToolCall | ToolResult | ApprovalRequest | ApprovalResponse | ClientRequest | ClientOutput
ToolChange = ToolResult | ApprovalRequest | ApprovalResponse | ClientRequest | ClientOutput

GOES_TO: Final = "Goes to: "
MAY_LAST: Final = "It can be allowed for this chat."
BY_CLIENT: Final[Chunk] = {"toolMetadata": {"byClient": True}}  # on the chunk and part of a call that a client carries out
CLIENT_OUTPUT_TYPE: Final = "data-client-output"  # tells all viewers that the client's output has arrived


def request_text(request: ApprovalRequest) -> str:
    """Return why approval is needed, where the arguments go and whether the user can allow the host for good, a line for each.

    One text, because the SDK accepts no other fields; the page reads the lines (frontend/src/chat/parts/approvalRequest.ts).
    """
    lines = [request.reason, *([GOES_TO + request.host] if request.host else []), *([MAY_LAST] if request.may_last else [])]
    return "\n".join(line for line in lines if line)


def approval_fields(entry: ApprovalResponse) -> dict[str, Any]:
    """Return `approved` and, if there is one, `reason`: the SDK refuses null."""
    return {"approved": entry.approved, **({"reason": entry.reason} if entry.reason else {})}


def duration_metadata(duration_ms: int | None, field: str = "providerMetadata") -> dict[str, Any]:
    """Return the metadata with a part's duration; empty for None. On a tool's part, the SDK's `field` is `resultProviderMetadata`."""
    return {} if duration_ms is None else {field: {"parley": {"durationMs": duration_ms}}}


def tool_chunks(entry: ToolEvent, duration_ms: int | None) -> Iterator[Chunk]:
    """Yield the chunks of an entry about a tool call. `duration_ms`: how long the call took, for its result."""
    match entry:
        case ToolCall(by_client=True):
            yield {"type": "tool-input-start", "toolCallId": entry.id, "toolName": entry.name, "dynamic": True}
            yield {"type": "tool-input-delta", "toolCallId": entry.id, "inputTextDelta": _raw_input(entry)}
        case ToolCall():
            yield _input_chunk(entry.id, entry.name, entry.arguments)
        case ClientRequest():
            yield {**_input_chunk(entry.call_id, entry.name, entry.input), **BY_CLIENT}
        case ClientOutput():
            yield {"type": CLIENT_OUTPUT_TYPE, "data": {"toolCallId": entry.call_id}, "transient": True}
        case ToolResult():
            yield _result_chunk(entry, duration_ms)
        case ProviderToolCall():
            yield from _provider_call_chunks(entry)
        case ApprovalRequest():
            text = request_text(entry)
            reason = {"reason": text} if text else {}
            yield {"type": "tool-approval-request", "approvalId": entry.approval_id, "toolCallId": entry.call_id, **reason}
        case ApprovalResponse():
            yield {"type": "tool-approval-response", "approvalId": entry.approval_id, **approval_fields(entry)}


def _input_chunk(call_id: str, name: str, arguments: Mapping[str, Any]) -> Chunk:
    return {"type": "tool-input-available", "toolCallId": call_id, "toolName": name, "input": dict(arguments), "dynamic": True}


def _raw_input(call: ToolCall) -> str:
    """Return the call's arguments as JSON text, as the server has not checked them yet: a client must not carry them out."""
    return as_json(dict(call.arguments)).decode()


def _result_chunk(result: ToolResult, duration_ms: int | None) -> Chunk:
    if result.denied:
        return {"type": "tool-output-denied", "toolCallId": result.call_id}
    if result.is_error:
        outcome: Chunk = {"type": "tool-output-error", "toolCallId": result.call_id, "errorText": str(result.output)}
    else:
        outcome = {"type": "tool-output-available", "toolCallId": result.call_id, "output": result.output}
    return {**outcome, "dynamic": True, **duration_metadata(duration_ms)}


def _provider_call_chunks(call: ProviderToolCall) -> Iterator[Chunk]:
    """Yield call and result of a provider's own tool, which become known together."""
    call_fields = {"toolCallId": call.id, "toolName": call.name, "input": dict(call.arguments), "dynamic": True}
    yield {"type": "tool-input-available", **call_fields, "providerExecuted": True}
    yield {**_result_chunk(_result_of(call), None), "providerExecuted": True}


def _result_of(call: ProviderToolCall) -> ToolResult:
    return ToolResult(call.id, call.name, call.output, is_error=call.is_error)


def tool_part(call: ToolCall | ProviderToolCall) -> dict[str, Any]:
    """Return the message part of a call that has no result yet."""
    raw = {"state": "input-streaming", "rawInput": _raw_input(call)} if isinstance(call, ToolCall) and call.by_client else {}
    return {
        "type": "dynamic-tool",
        "toolName": call.name,
        "toolCallId": call.id,
        "state": "input-available",
        "input": dict(call.arguments),
        **raw,
    }


def provider_part(call: ProviderToolCall) -> dict[str, Any]:
    """Return the message part of a provider's own tool call, with its result."""
    return {**tool_part(call), "providerExecuted": True, **tool_change(_result_of(call), None)}


def tool_part_change(part: dict[str, Any], change: dict[str, Any]) -> None:
    """Apply a change to a part as the SDK does: an approval's decision is merged with its request."""
    approval = {**part.get("approval", {}), **change.get("approval", {})}
    part.update(change, **({"approval": approval} if approval else {}))
    if part["state"] in ("input-available", "output-available"):
        part.pop("rawInput", None)


def tool_change(entry: ToolChange, duration_ms: int | None) -> dict[str, Any]:
    """Return what an entry changes in the message part of its tool call."""
    match entry:
        case ClientRequest():
            return {"state": "input-available", "input": dict(entry.input), **BY_CLIENT}
        case ClientOutput():
            return {}
        case ApprovalRequest(approval_id=approval_id):
            reason = request_text(entry)
            return {"state": "approval-requested", "approval": {"id": approval_id, **({"requestReason": reason} if reason else {})}}
        case ApprovalResponse(approval_id=approval_id):
            return {"state": "approval-responded", "approval": {"id": approval_id, **approval_fields(entry)}}
        case ToolResult(denied=True):
            return {"state": "output-denied"}
        case ToolResult(is_error=True):
            return {"state": "output-error", "errorText": str(entry.output), **_result_duration(duration_ms)}
        case ToolResult():
            return {"state": "output-available", "output": entry.output, **_result_duration(duration_ms)}


def _result_duration(duration_ms: int | None) -> dict[str, Any]:
    return duration_metadata(duration_ms, "resultProviderMetadata")
