"""Limits what the tool calls of one step bring into a model's context: no result may fill the window (SPEC 3.8).

agents.runtime.specs says how much of the window a result may take. What is stored and shown stays whole. The cut depends on the step's
entries and the policy alone, so every request that contains the step contains the same cut.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

from agents.context.policy import ContextPolicy
from agents.context.tokens import IMAGE_TOKENS, output_text, output_tokens
from agents.messages import Entry, File, ToolResult

CUT_NOTE = "\n[Cut to fit your context: these are the first {shown:,} of {total:,} characters of this result. The user sees all of it.]"
NOTE_TOKENS = output_tokens(CUT_NOTE.format(shown=10**6, total=10**6))


def fit_results(results: Sequence[ToolResult], policy: ContextPolicy, mask: Callable[[Entry], Entry]) -> Sequence[ToolResult]:
    """Return the results of one step as the model is sent them. Results that fit stay the same objects.

    `mask` removes secrets before a result is cut: a truncated secret could no longer be found.
    """
    if policy.max_result_tokens is None:
        return results
    sizes = [output_tokens(result.output) for result in results]
    limit = _limit_of_each(sizes, policy.max_result_tokens, policy.max_step_result_tokens)
    return [_cut(mask(result), limit) if size > limit else result for result, size in zip(results, sizes, strict=True)]


def fit_images(entries: Sequence[Entry], policy: ContextPolicy) -> Sequence[Entry]:
    """Return the entries after the results of one step. Of the tools' images only the first ones stay: as many as one result may take."""
    images = [entry for entry in entries if isinstance(entry, File) and entry.from_tool]
    if not images or policy.max_result_tokens is None:
        return entries
    left_out = images[policy.max_result_tokens // IMAGE_TOKENS :]
    return [entry for entry in entries if entry not in left_out]


def _limit_of_each(sizes: Sequence[int], limit: int, total: int) -> int:
    """Return the largest limit, at most `limit`, with which all results together take at most `total`.

    Results that need less leave their room to the larger ones.
    """
    for index, size in enumerate(sorted(sizes)):
        share = total // (len(sizes) - index)
        if min(size, limit) > share:
            return share
        total -= min(size, limit)
    return limit


def _cut(result: Entry, limit: int) -> ToolResult:
    assert isinstance(result, ToolResult), "a mask keeps the kind"
    text = output_text(result.output)
    # as many characters as fit beside the note
    char_count = bisect_right(range(1, len(text) + 1), max(limit - NOTE_TOKENS, 0), key=lambda length: output_tokens(text[:length]))
    return replace(result, output=text[:char_count] + CUT_NOTE.format(shown=char_count, total=len(text)))
