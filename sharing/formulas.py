"""Formulas in Markdown, marked as in the chat (frontend/src/markdown/lexer.ts). They become code, so that Markdown changes nothing in them."""

from __future__ import annotations

import re
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

MAX_FORMULA: Final = 2000  # characters: what looks like a beginning costs no more than the look this far
_BLOCKS: Final = {"$$": "$$", "\\[": "\\]"}
# `$5 and $6` is money: no space inside the dollars, no digit after the last one. Models write `$$x$$` within a sentence, too.
_INSIDE: Final = rf"((?:\\.|[^\\$\n]){{1,{MAX_FORMULA}}}?)"
_DOLLARS: Final = re.compile(rf"\$\$(?!\s*\$){_INSIDE}\$\$|\$(?!\s|\$){_INSIDE}(?<!\s)\$(?!\d)")


def formulas_plugin(parser: MarkdownIt) -> None:
    parser.block.ruler.before("fence", "formula", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.inline.ruler.before("escape", "formula", _inline)


def _block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    start = state.bMarks[first] + state.tShift[first]
    closing = _BLOCKS.get(state.src[start : start + 2])
    if closing is None or state.is_code_block(first):
        return False
    end = state.src.find(closing, start + 3, start + MAX_FORMULA)
    line = next((number for number in range(first, last) if state.eMarks[number] >= end), last) if end >= 0 else last
    if line == last or state.src[end + 2 : state.eMarks[line]].strip():
        return False
    if not silent:
        token = state.push("code_block", "code", 0)
        token.content = state.getLines(first, line + 1, state.sCount[first], False).strip()[2:-2].strip()
        state.line = line + 1
    return True


def _inline(state: StateInline, silent: bool) -> bool:
    if state.src.startswith("\\(", state.pos):
        end = state.src.find("\\)", state.pos + 3, min(state.posMax, state.pos + MAX_FORMULA))
        text, after = state.src[state.pos + 2 : end], end + 2
        if end < 0 or "\n" in text:
            return False
    elif match := _DOLLARS.match(state.src, state.pos, state.posMax):
        text, after = (match[1] or match[2]).strip(), match.end()
    else:
        return False
    if not silent:
        state.push("code_inline", "code", 0).content = text
    state.pos = after
    return True
