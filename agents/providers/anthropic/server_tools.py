"""Tools that Anthropic runs itself: how to request them, and how to show their results to people.

The first generation of each tool is used: all models that have such tools accept it without a beta header; later ones need newer models.
Sources: https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools, .../web-search-tool, .../web-fetch-tool,
.../code-execution-tool and the types of anthropic 2.12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.messages import BuiltinTool, ProviderToolCall
from agents.providers.citations import CitedSources

Block = Mapping[str, Any]

MAX_USES = 10  # of one tool in one request: each search is billed
_DECLARATIONS: Mapping[BuiltinTool, Mapping[str, Any]] = {
    BuiltinTool.WEB_SEARCH: {"type": "web_search_20250305", "name": "web_search", "max_uses": MAX_USES},
    BuiltinTool.URL_CONTEXT: {"type": "web_fetch_20250910", "name": "web_fetch", "max_uses": MAX_USES, "citations": {"enabled": True}},
    BuiltinTool.CODE_EXECUTION: {"type": "code_execution_20250825", "name": "code_execution"},
}
_NAMES: Mapping[str, BuiltinTool] = {
    "web_search": BuiltinTool.WEB_SEARCH,
    "web_fetch": BuiltinTool.URL_CONTEXT,
    "code_execution": BuiltinTool.CODE_EXECUTION,
    "bash_code_execution": BuiltinTool.CODE_EXECUTION,
    "text_editor_code_execution": BuiltinTool.CODE_EXECUTION,
}
_RESULT = "_tool_result"  # suffix of a result's type, after the tool's name


def server_tools(tools: Sequence[BuiltinTool]) -> list[dict[str, Any]]:
    """Return the declarations of the wanted tools; tools that Anthropic does not have are left out."""
    return [dict(_DECLARATIONS[tool]) for tool in tools if tool in _DECLARATIONS]


def is_server_tool_block(block: Block) -> bool:
    """Return whether the block is the use or the result of one of these tools."""
    return block.get("name") in _NAMES if block["type"] == "server_tool_use" else is_result(block["type"])


def is_result(kind: str) -> bool:
    """Return whether `kind` is the block type of a server tool's result."""
    return kind.endswith(_RESULT) and kind.removesuffix(_RESULT) in _NAMES


@dataclass(frozen=True, slots=True)
class ServerToolCall:
    """A server tool's use and its result.

    One of them may be missing: while the model waits for a tool of ours, the API postpones its own.
    """

    use: Block | None
    result: Block | None

    @property
    def call(self) -> ProviderToolCall:
        """Return the call as people see it, without the data that goes back to the API."""
        output, is_error = _output(self.result["content"]) if self.result else (None, False)
        if self.use:
            return ProviderToolCall(str(self.use["id"]), _NAMES[self.use["name"]], self.use.get("input") or {}, output, is_error)
        assert self.result, "one of both is there"
        name = _NAMES[self.result["type"].removesuffix(_RESULT)]
        return ProviderToolCall(f"{self.result['tool_use_id']}-result", name, {}, output, is_error)

    def cite(self, sources: CitedSources) -> None:
        """Cite a fetched page. Pages found by a search are cited by the text that relies on them."""
        content = self.result["content"] if self.result else None
        if isinstance(content, Mapping) and content.get("type") == "web_fetch_result":
            sources.cite(content.get("url"), (content.get("content") or {}).get("title"))


def server_tool_calls(blocks: Sequence[Block]) -> Iterator[ServerToolCall]:
    """Yield the calls in the order in which they finished, then those that still wait."""
    uses = {block["id"]: block for block in blocks if block["type"] == "server_tool_use"}
    for block in blocks:
        if is_result(block["type"]):
            yield ServerToolCall(uses.pop(block["tool_use_id"], None), block)
    yield from (ServerToolCall(use, None) for use in uses.values())


def _output(content: Any) -> tuple[Any, bool]:
    """Return what a result shows, and whether the tool failed."""
    if isinstance(content, Mapping):
        if str(content.get("type")).endswith("_error"):
            return str(content.get("error_code") or ""), True
        if "return_code" in content:
            return f"{content.get('stdout') or ''}{content.get('stderr') or ''}", content["return_code"] != 0
        content = [content]
    return [page["url"] for page in content if page.get("url")] or None, False
