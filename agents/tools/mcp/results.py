"""Converts a server's result into text for a model: limited in size, without keys, with notes for anything but text."""

from __future__ import annotations

from mcp_types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from agents.engine.ports import ToolOutcome
from agents.tools.mcp.server import McpServer
from security.redaction import redact
from tenants.json_encoding import json_bytes

MAX_RESULT_BYTES = 64 * 1024  # SECURITY 29
MAX_KEY_CHARS = 16 * 1024  # the longest key that is looked for
TRUNCATED_NOTE = "\n[cut: the answer has {total:,} bytes, the first {limit:,} are shown]"
NO_CONTENT_TEXT = "The tool answered without any content."


def tool_outcome(result: CallToolResult, server: McpServer) -> ToolOutcome:
    """Return the outcome. Its text is untrusted: keys are removed, including `server`'s own, and it is cut at 64 KB."""
    return ToolOutcome(_bounded_text(server.hidden(text_of(result))), is_error=result.is_error)


def _bounded_text(text: str) -> str:
    """Redact and cut the text.

    Looking for keys takes half a second per megabyte, so only what may be shown is searched, plus a margin as long as the longest key:
    a key that crosses the limit is either found or not shown.
    """
    if len(text) <= MAX_RESULT_BYTES + MAX_KEY_CHARS:
        return truncate(redact(text))
    return truncate(redact(text[: MAX_RESULT_BYTES + MAX_KEY_CHARS])[:-MAX_KEY_CHARS], total=len(text.encode()))


def text_of(result: CallToolResult) -> str:
    """Return all text of the result. Structured content is included when there is no text."""
    texts = [text for block in result.content if (text := _block_text(block))]
    has_text = any(isinstance(block, TextContent | EmbeddedResource) for block in result.content)
    if result.structured_content is not None and not has_text:
        texts.append(json_bytes(result.structured_content).decode())
    return "\n\n".join(texts) or NO_CONTENT_TEXT


def truncate(text: str, limit: int = MAX_RESULT_BYTES, total: int = 0) -> str:
    """Return at most `limit` bytes of UTF-8, including the note. `total`: the original size in bytes, when `text` is not all of it."""
    content = text.encode()
    if len(content) <= limit and not total:
        return text
    note = TRUNCATED_NOTE.format(total=total or len(content), limit=limit)
    return content[: limit - len(note)].decode(errors="ignore") + note


def _block_text(block: ContentBlock) -> str:
    match block:
        case TextContent():
            return block.text
        case ImageContent() | AudioContent():
            return f"[{'image' if isinstance(block, ImageContent) else 'audio'}, {block.mime_type}, not shown]"
        case ResourceLink():
            return f"[resource {block.title or block.name}: {block.uri}]"
        case EmbeddedResource(resource=TextResourceContents() as resource):
            return f"[resource {resource.uri}]\n{resource.text}"
        case EmbeddedResource(resource=resource):
            return f"[resource {resource.uri}, {resource.mime_type or 'unknown type'}, not text]"
