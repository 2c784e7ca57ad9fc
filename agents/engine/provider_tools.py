"""What the user reads when the provider's own tools are off: they can't ask before they send something out (SECURITY 27)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agents.engine.messages import BuiltinTool, Entry, Notice

TOOLS_OFF: Final = "provider_tools_off"
_WORDS: Final = {
    BuiltinTool.WEB_SEARCH.value: "web search",
    BuiltinTool.URL_CONTEXT.value: "opening web pages",
    BuiltinTool.CODE_EXECUTION.value: "running code",
}
_TEXT: Final = (
    "Off in this chat: {tools}. The chat contains files, web pages or answers of tools, and the model's provider can't ask you "
    "before it sends something out. Start a new chat to use it there."
)


def tools_off_notices(wanted: Sequence[str], offered: Sequence[str], entries: Sequence[Entry]) -> list[Notice]:
    """Return the notice that tools which an agent has are off. Once for the same tools: what a chat has read stays in it.

    Pages alone are off after each search, and are no news: a search goes on, and our own tool asks before it opens one.
    """
    off = [_WORDS[tool] for tool in wanted if tool in _WORDS and tool not in offered]
    notice = Notice(TOOLS_OFF, _TEXT.format(tools=", ".join(off)))
    return [notice] if off not in ([], [_WORDS[BuiltinTool.URL_CONTEXT.value]]) and notice not in entries else []
