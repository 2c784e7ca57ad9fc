"""The blocks of tools that the API runs itself.

Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools and the pages of each tool.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Mapping
from typing import Any

from doubles.anthropic.request_schema import SERVER_RESULTS
from doubles.script import ProviderTool

Block = dict[str, Any]

# The name in the tool's declaration, and the name that the model calls.
_NAMES: Mapping[str, tuple[str, str]] = {
    "web_search": ("web_search", "web_search"),
    "url_context": ("web_fetch", "web_fetch"),
    "code_execution": ("code_execution", "bash_code_execution"),
}


def offers(body: Mapping[str, Any], tool: ProviderTool) -> bool:
    """Return whether the model may use the tool on this request."""
    tool_name, _ = _NAMES[tool.tool]
    is_allowed = (body.get("tool_choice") or {}).get("type") != "none"
    return is_allowed and any(each["name"] == tool_name and "input_schema" not in each for each in body.get("tools") or [])


def use_block(tool: ProviderTool) -> Block:
    """Return the block that starts the use. Its arguments follow in deltas."""
    return {"type": "server_tool_use", "id": f"srvtoolu_{uuid.uuid4().hex[:24]}", "name": _NAMES[tool.tool][1], "input": {}}


def result_block(tool: ProviderTool, use: Block) -> Block:
    """Return the block with the result of `use`."""
    kind = SERVER_RESULTS[use["name"]]
    return {"type": kind, "tool_use_id": use["id"], "content": _failure(kind) if tool.failed else _content(tool)}


def citation(url: str, title: str, text: str) -> Block:
    return {"type": "web_search_result_location", "url": url, "title": title, "encrypted_index": _encrypt(url), "cited_text": text[:150]}


def _failure(kind: str) -> Block:
    return {"type": f"{kind}_error", "error_code": "unavailable"}


def _content(tool: ProviderTool) -> Any:
    if tool.tool == "web_search":
        return [
            {"type": "web_search_result", "url": url, "title": title, "encrypted_content": _encrypt(url), "page_age": "2 days ago"}
            for url, title in tool.pages
        ]
    if tool.tool == "url_context":
        [(url, title)] = tool.pages
        document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "A page."}, "title": title}
        return {"type": "web_fetch_result", "url": url, "content": document, "retrieved_at": "2026-11-21T12:00:00Z"}
    return {"type": "bash_code_execution_result", "stdout": tool.output, "stderr": "", "return_code": 0, "content": []}


def _encrypt(text: str) -> str:
    return base64.b64encode(f"encrypted for Claude only: {text}".encode()).decode()
