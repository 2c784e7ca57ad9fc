"""The text of a single call to a model, for work beside a conversation: titles, judgements."""

from __future__ import annotations

from contextlib import aclosing

from agents.engine.ports import LanguageModel
from agents.messages import AssistantText, ModelRequest, ModelResponse


async def answer_text(model: LanguageModel, request: ModelRequest) -> str:
    """Return the text of the model's answer; empty when it wrote none. Raises ProviderError, and what the model's `hold` raises."""
    text = ""
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, ModelResponse):
                text = "".join(entry.text for entry in event.entries if isinstance(entry, AssistantText))
    return text
