"""Tool calls as chunks of the AI SDK's stream and as parts of its messages (docs/protocol.md; PROTOCOLS a).

Pure. A call that the client carries out is shown as it comes, and given to the client only after the server has checked it:
`tool-input-available` is what makes an SDK client act.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agents.engine.messages import ApprovalRequest, ApprovalResponse, ClientOutput, ClientRequest, ProviderToolCall, ToolCall, ToolResult
from chat.entries import as_json

Chunk = dict[str, Any]
ToolEvent = ToolCall | ProviderToolCall | ToolResult | ApprovalRequest | ApprovalResponse | ClientRequest | ClientOutput
ToolChange = ToolResult | ApprovalRequest | ApprovalResponse | ClientRequest | ClientOutput

CLIENT_OUTPUT_TYPE: Final = "data-client-output"  # says to all who watch that the client's answer was heard


def approval_fields(entry: ApprovalResponse) -> dict[str, Any]:
    """`reason` is left out when there is none: the SDK refuses null."""
    return {"approved": entry.approved, **({"reason": entry.reason} if entry.reason else {})}


def duration_metadata(duration_ms: int | None, field: str = "providerMetadata") -> dict[str, Any]:
    """How long a part took. On a tool's part the SDK calls the field `resultProviderMetadata`."""
    return {} if duration_ms is None else {field: {"parley": {"durationMs": duration_ms}}}


def tool_chunks(entry: ToolEvent, duration_ms: int | None) -> Iterator[Chunk]:
    match entry:
        case ToolCall(by_client=True):
            yield {"type": "tool-input-start", "toolCallId": entry.id, "toolName": entry.name, "dynamic": True}
            yield {"type": "tool-input-delta", "toolCallId": entry.id, "inputTextDelta": _raw_input(entry)}
        case ToolCall():
            yield _input_chunk(entry.id, entry.name, entry.arguments)
        case ClientRequest():
            yield _input_chunk(entry.call_id, entry.name, entry.input)
        case ClientOutput():
            yield {"type": CLIENT_OUTPUT_TYPE, "data": {"toolCallId": entry.call_id}, "transient": True}
        case ToolResult():
            yield _result_chunk(entry, duration_ms)
        case ProviderToolCall():
            yield from _provider_call_chunks(entry)
        case ApprovalRequest():
            reason = {"reason": entry.reason} if entry.reason else {}
            yield {"type": "tool-approval-request", "approvalId": entry.approval_id, "toolCallId": entry.call_id, **reason}
        case ApprovalResponse():
            yield {"type": "tool-approval-response", "approvalId": entry.approval_id, **approval_fields(entry)}


def _input_chunk(call_id: str, name: str, arguments: Mapping[str, Any]) -> Chunk:
    return {"type": "tool-input-available", "toolCallId": call_id, "toolName": name, "input": dict(arguments), "dynamic": True}


def _raw_input(call: ToolCall) -> str:
    """What the model asks for, before the server has checked it: a client must not carry that out."""
    return as_json(dict(call.arguments)).decode()


def _result_chunk(result: ToolResult, duration_ms: int | None) -> Chunk:
    if result.denied:
        return {"type": "tool-output-denied", "toolCallId": result.call_id}
    if result.is_error:
        return {"type": "tool-output-error", "toolCallId": result.call_id, "errorText": str(result.output), "dynamic": True}
    return {
        "type": "tool-output-available",
        "toolCallId": result.call_id,
        "output": result.output,
        "dynamic": True,
        **duration_metadata(duration_ms),
    }


def _provider_call_chunks(call: ProviderToolCall) -> Iterator[Chunk]:
    """A call that is known with its end: the provider ran it."""
    asked = {"toolCallId": call.id, "toolName": call.name, "input": dict(call.arguments), "dynamic": True}
    yield {"type": "tool-input-available", **asked, "providerExecuted": True}
    yield {**_result_chunk(_result_of(call), None), "providerExecuted": True}


def _result_of(call: ProviderToolCall) -> ToolResult:
    return ToolResult(call.id, call.name, call.output, is_error=call.is_error)


def tool_part(call: ToolCall | ProviderToolCall) -> dict[str, Any]:
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
    return {**tool_part(call), "providerExecuted": True, **tool_change(_result_of(call), None)}


def tool_part_change(part: dict[str, Any], change: dict[str, Any]) -> None:
    """As the SDK does it: a decision stands beside what it answers."""
    approval = {**part.get("approval", {}), **change.get("approval", {})}
    part.update(change, **({"approval": approval} if approval else {}))
    if part["state"] in ("input-available", "output-available"):
        part.pop("rawInput", None)


def tool_change(entry: ToolChange, duration_ms: int | None) -> dict[str, Any]:
    match entry:
        case ClientRequest():
            return {"state": "input-available", "input": dict(entry.input)}
        case ClientOutput():
            return {}
        case ApprovalRequest(approval_id=approval_id, reason=reason):
            return {"state": "approval-requested", "approval": {"id": approval_id, **({"requestReason": reason} if reason else {})}}
        case ApprovalResponse(approval_id=approval_id):
            return {"state": "approval-responded", "approval": {"id": approval_id, **approval_fields(entry)}}
        case ToolResult(denied=True):
            return {"state": "output-denied"}
        case ToolResult(is_error=True):
            return {"state": "output-error", "errorText": str(entry.output)}
        case ToolResult():
            return {"state": "output-available", "output": entry.output, **duration_metadata(duration_ms, "resultProviderMetadata")}
