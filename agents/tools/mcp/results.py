"""Converts a server's result into text for a model, limited in size and without keys, and into images. Notes stand for all else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from agents.engine.ports import ToolOutcome
from agents.messages import TOOL_SOURCE, AnswerFile, File
from agents.runtime.files import RunAnswerFiles
from agents.tools.mcp.server import McpServer
from files.selectors import IMAGE_NOTE
from security.redaction import redact
from tenants.json_encoding import json_bytes

MAX_RESULT_BYTES = 64 * 1024  # SECURITY 29
MAX_KEY_CHARS = 16 * 1024  # the longest key that is looked for
TRUNCATED_NOTE = "\n[cut: the answer has {total:,} bytes, the first {limit:,} are shown]"
MAX_RESULT_IMAGES = 4
TOO_MANY_IMAGES = f"One result can have at most {MAX_RESULT_IMAGES} images."
SHOWN_IMAGE = "[image {name}: the user sees it. If you can read images, it follows the results.]"
NOT_SHOWN_IMAGE = "[image, {media_type}, not shown: {problem}]"
NO_CONTENT_TEXT = "The tool answered without any content."


async def stored_images(result: CallToolResult, store: RunAnswerFiles | None) -> tuple[AnswerFile, ...]:
    """Return the result's images, stored or with the reason why not, in order. Empty without a store."""
    if store is None:
        return ()
    images = [image for block in result.content if (image := _image(block))]
    files = [await store.store(image) for image in images[:MAX_RESULT_IMAGES]]
    return (*files, *(replace(image, unsaved_base64="", problem=TOO_MANY_IMAGES) for image in images[MAX_RESULT_IMAGES:]))


def tool_outcome(result: CallToolResult, server: McpServer, images: Sequence[AnswerFile] = ()) -> ToolOutcome:
    """Return the outcome. Its text is untrusted: keys are removed, including `server`'s own, and it is cut at 64 KB.

    `images`: those of the result, as `stored_images` returns them. They follow the result, for the user and for models that read images.
    """
    text = _bounded_text(server.hide_keys(text_of(result, images)))
    files = (File(image.id, image.name, image.media_type, image.size_bytes, IMAGE_NOTE, TOOL_SOURCE) for image in images if image.id)
    return ToolOutcome(text, is_error=result.is_error, entries=tuple(files))


def _bounded_text(text: str) -> str:
    """Redact and cut the text.

    Looking for keys takes half a second per megabyte, so only what may be shown is searched, plus a margin as long as the longest key:
    a key that crosses the limit is either found or not shown.
    """
    if len(text) <= MAX_RESULT_BYTES + MAX_KEY_CHARS:
        return truncate(redact(text))
    return truncate(redact(text[: MAX_RESULT_BYTES + MAX_KEY_CHARS])[:-MAX_KEY_CHARS], total=len(text.encode()))


def text_of(result: CallToolResult, images: Sequence[AnswerFile] = ()) -> str:
    """Return all text of the result, with notes on its images. Structured content is included when there is no text."""
    notes = map(_image_note, images)
    texts = [text for block in result.content if (text := (_image(block) and next(notes, "")) or _block_text(block))]
    has_text = any(isinstance(block, TextContent | EmbeddedResource) for block in result.content)
    if result.structured_content is not None and not has_text:
        texts.append(json_bytes(result.structured_content).decode())
    return "\n\n".join(texts) or NO_CONTENT_TEXT


def _image_note(image: AnswerFile) -> str:
    return SHOWN_IMAGE.format(name=image.name) if image.id else NOT_SHOWN_IMAGE.format(media_type=image.media_type, problem=image.problem)


def _image(block: ContentBlock) -> AnswerFile | None:
    match block:
        case ImageContent(data=data, mime_type=media_type):
            return AnswerFile("", "", media_type, unsaved_base64=data)
        case EmbeddedResource(resource=BlobResourceContents(mime_type=str(media_type), blob=data)) if media_type.startswith("image/"):
            return AnswerFile("", "", media_type, unsaved_base64=data)
        case _:
            return None


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
