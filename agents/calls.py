"""The call log's source (SPEC 3.16): a LanguageModel that reports what each call was made of and how it ended."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from typing import Any

from agents.engine.errors import RunError
from agents.engine.messages import ModelEvent, ModelRequest, ModelResponse, Usage
from agents.engine.ports import LanguageModel


@dataclass(slots=True, kw_only=True)
class CallRecord:
    """One model call. `prompt`: {"system": {...}, "tools": [...]}; `entry_count`: how many context entries went along."""

    agent_key: str
    model: str
    prompt: dict[str, Any]
    entry_count: int
    settings: dict[str, Any]
    usage: Usage = field(default_factory=Usage)
    finish_reason: str = ""
    error_code: str = ""
    first_token_ms: int | None = None
    duration_ms: int = 0


class RecordedModel:
    """Wraps a model; `record` gets one CallRecord a call, also for failed and stopped ones."""

    def __init__(self, model: LanguageModel, *, agent_key: str, record: Callable[[CallRecord], None]) -> None:
        self._model, self._agent_key, self._record = model, agent_key, record

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        call = _call_of(request, self._agent_key)
        start = time.monotonic()
        try:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    if call.first_token_ms is None:
                        call.first_token_ms = _ms_since(start)
                    if isinstance(event, ModelResponse):
                        call.usage, call.finish_reason = event.usage, event.finish_reason.value
                    yield event
        except RunError as exc:
            call.error_code = exc.code
            raise
        finally:
            call.duration_ms = _ms_since(start)
            call.error_code = call.error_code or ("" if call.finish_reason else "stopped")
            self._record(call)


def _call_of(request: ModelRequest, agent_key: str) -> CallRecord:
    return CallRecord(
        agent_key=agent_key,
        model=request.model,
        prompt={"system": asdict(request.system), "tools": [asdict(tool) for tool in request.tools]},
        entry_count=len(request.entries),
        settings=asdict(request.settings),
    )


def _ms_since(start: float) -> int:
    return round((time.monotonic() - start) * 1000)
