"""Estimates what a call used when its provider gave no final figure: the call was stopped or cut, or the server does not count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.context.tokens import estimate_prompt, estimate_text, estimate_tokens
from agents.messages import AnswerEvent, ModelRequest, ReasoningDelta, TextDelta, Usage

_MIN_SHARE = 0.5  # a count below this share of what was shown is of the answer's beginning (Anthropic's message_start), not of the whole


def estimated_usage(usage: Usage, request: ModelRequest, events: Sequence[AnswerEvent]) -> Usage:
    """Return `usage` with estimates, from what was sent and shown, for what it does not count. Equal to `usage` when it counts all."""
    shown_text = "".join(delta.text for delta in events if isinstance(delta, TextDelta))
    thought = "".join(delta.text for delta in events if isinstance(delta, ReasoningDelta))
    return replace(
        usage,
        input_tokens=usage.input_tokens or prompt_tokens(request),
        output_tokens=_plausible_count(usage.output_tokens, estimate_text(shown_text)),
        thinking_tokens=_plausible_count(usage.thinking_tokens, estimate_text(thought)),
    )


def prompt_tokens(request: ModelRequest) -> int:
    """Return the estimate of what is sent. It is made once for a call, as it looks at each entry."""
    meter = request.meter
    if meter.prompt_tokens is None:
        meter.prompt_tokens = estimate_prompt(request.system, request.tools) + sum(map(estimate_tokens, request.entries))
    return meter.prompt_tokens


def _plausible_count(count: int, estimate: int) -> int:
    return count if count and count >= estimate * _MIN_SHARE else estimate
