"""Counts the tokens of an answer, and determines where its limit cuts it."""

from __future__ import annotations

from typing import Any

import orjson

from doubles.script import Answer, Usage


def count_tokens(text: str) -> int:
    """Estimate the number of tokens: one per four characters, at least one for any text."""
    return max(1, round(len(text) / 4)) if text else 0


class TokenCounter:
    """The tokens of one answer. `prompt`: the parts of the request that count as input. `limit`: None for no limit."""

    def __init__(self, answer: Answer, prompt: Any, limit: int | None) -> None:
        self._scripted_usage = next((item for item in answer.items if isinstance(item, Usage)), Usage())
        self._prompt_tokens = count_tokens(orjson.dumps(prompt).decode())
        self._limit = limit
        self._output = 0
        self._thinking = 0

    def add(self, text: str, *, thinking: bool = False) -> int:
        """Count `text`, and return its number of tokens."""
        tokens = count_tokens(text)
        if thinking:
            self._thinking += tokens
        else:
            self._output += tokens
        return tokens

    @property
    def is_over_limit(self) -> bool:
        return self._limit is not None and self._output + self._thinking > self._limit

    @property
    def is_reported(self) -> bool:
        return self._scripted_usage.reported

    @property
    def input(self) -> int:
        return self._prompt_tokens if self._scripted_usage.input_tokens is None else self._scripted_usage.input_tokens

    @property
    def cached(self) -> int:
        return self._scripted_usage.cached_tokens or 0

    @property
    def cache_writes(self) -> int:
        return self._scripted_usage.cache_write_tokens or 0

    @property
    def thinking(self) -> int:
        return self._thinking if self._scripted_usage.thinking_tokens is None else self._scripted_usage.thinking_tokens

    @property
    def output(self) -> int:
        """Output tokens as OpenAI counts them, including thinking."""
        visible = self._output if self._scripted_usage.output_tokens is None else self._scripted_usage.output_tokens
        return visible + self.thinking
