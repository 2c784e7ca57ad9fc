"""Removes a key from provider errors (SECURITY 12): some repeat the key that they refuse, or all headers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from agents.engine.errors import ProviderError
from agents.engine.messages import ModelEvent, ModelRequest
from agents.engine.ports import LanguageModel
from security.redaction import REDACTED
from security.secret_text import SecretText

MIN_KEY_PREFIX = 6  # shortest prefix of a key that is removed at the end of a truncated message


class KeyRedactingModel:
    """A model whose errors do not contain the key of the call."""

    def __init__(self, model: LanguageModel, key: SecretText) -> None:
        self._model, self._key = model, key

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        try:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    yield event
        except ProviderError as error:
            error.args = (redact_key(str(error), self._key.reveal()),)
            raise


def redact_key(text: str, key: str) -> str:
    """Return `text` without the key, even when the end of the text cuts the key short."""
    text = text.replace(key, REDACTED)
    words = text.rstrip(".")
    for length in range(len(key) - 1, MIN_KEY_PREFIX - 1, -1):
        if words.endswith(key[:length]):
            return f"{words[:-length]}{REDACTED}."
    return text
