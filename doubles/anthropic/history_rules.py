"""Rules for the `messages` of a Claude request, images and documents included, with the API's error messages where known.

Stricter than the API in one respect: the API joins consecutive messages of one role, this double refuses them, so that nobody relies on it.
Sources: https://platform.claude.com/docs/en/api/messages, .../agents-and-tools/tool-use/handle-tool-calls, .../build-with-claude/thinking,
.../build-with-claude/vision, .../pdf-support and error messages that users of the API report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from doubles.anthropic.config_rules import thinking_type, thinks
from doubles.anthropic.errors import invalid
from doubles.anthropic.models import ModelProfile
from doubles.anthropic.request_schema import SERVER_RESULTS, blocks_of
from doubles.anthropic.signatures import check_signature, prefix_of
from doubles.media import PDF, PdfEncrypted, PdfRefused, decode_or_none, longest_side, matches_media_type, pdf_pages

MAX_IMAGE_CHARS = 5 * 1024 * 1024  # base64 characters
MAX_PAGES = 100  # of a document, and of all documents and images together
MAX_SIDE, MAX_SIDE_OF_MANY, MANY_IMAGES = 8000, 2000, 20  # pixels of any image, and of each one of more than MANY_IMAGES
THINKING = ("thinking", "redacted_thinking")
SERVER_USE = "server_tool_use"
_ONLY_IN = {"tool_use": "assistant", "thinking": "assistant", "redacted_thinking": "assistant", "tool_result": "user"}
_MUST_THINK_FIRST = (
    " When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use`"
    " and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable"
    " `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
)


def check_file(block: dict[str, Any], place: str) -> None:
    """Check the data of an image or document block whose fields are already checked. Raises WireError (400)."""
    source = block["source"]
    at = f"{place}.{block['type']}.source.base64"
    data = decode_or_none(source["data"])
    if data is None:
        raise invalid(f"{at}.data: Invalid base64 data")
    if block["type"] == "image" and (size := len(source["data"])) > MAX_IMAGE_CHARS:
        raise invalid(f"{at}: image exceeds 5 MB maximum: {size} bytes > {MAX_IMAGE_CHARS} bytes")
    if source["media_type"] == PDF:
        _check_pdf(data, f"{at}.data")
    elif not matches_media_type(data, source["media_type"]):
        raise invalid(f"{at}.data: Could not process image")


def _check_pdf(data: bytes, place: str) -> None:
    try:
        pages = pdf_pages(data)
    except PdfEncrypted:
        raise invalid(f"{place}: The PDF specified is password protected.") from None
    except PdfRefused:
        raise invalid(f"{place}: The PDF specified was not valid.") from None
    if pages > MAX_PAGES:
        raise invalid(f"{place}: A maximum of {MAX_PAGES} PDF pages may be provided.")


Message = dict[str, Any]
Block = dict[str, Any]


def check_history(body: dict[str, Any], model: ModelProfile) -> None:
    """Check the messages. Raises WireError (400) for the first broken rule."""
    messages = body["messages"]
    if not messages:
        raise invalid("messages: at least one message is required")
    for index, message in enumerate(messages):
        _check_content(message, index)
    _check_media([block for message in messages for block in blocks_of(message)])
    _check_roles(messages, model)
    _check_ids(messages)
    for index, (before, message) in enumerate(pairwise([{"role": "user", "content": []}, *messages])):
        _check_results(before, message, index)
    _check_unanswered(messages)
    _check_server_tools(messages, has_container=bool(body.get("container")))
    _check_thinking(body, model)


def _check_media(blocks: Sequence[Block]) -> None:
    """Check the pages and images of all messages together, and the images' sides."""
    images = [block for block in blocks if block["type"] == "image"]
    pages = sum(pdf_pages(decode_or_none(block["source"]["data"]) or b"") for block in blocks if block["type"] == "document")
    if pages + len(images) > MAX_PAGES:
        raise invalid(f"Too much media: {pages} document pages + {len(images)} images > {MAX_PAGES}")
    limit, of_what = (MAX_SIDE_OF_MANY, " for many-image requests") if len(images) > MANY_IMAGES else (MAX_SIDE, "")
    if any(longest_side(decode_or_none(image["source"]["data"]) or b"") > limit for image in images):
        raise invalid(f"At least one of the image dimensions exceed max allowed size{of_what}: {limit} pixels")


def _check_content(message: Message, index: int) -> None:
    blocks = blocks_of(message)
    if not blocks:
        raise invalid(f"messages.{index}: all messages must have non-empty content except for the optional final assistant message")
    for number, block in enumerate(blocks):
        place = f"messages.{index}.content.{number}"
        role = _ONLY_IN.get(block["type"])
        if role and role != message["role"]:
            raise invalid(f"{place}: `{block['type']}` blocks can only be in `{role}` messages")
        if block["type"] == "text" and not block["text"].strip():
            raise invalid("messages: text content blocks must " + ("contain non-whitespace text" if block["text"] else "be non-empty"))
        if block["type"] in ("image", "document"):
            check_file(block, place)
        if block["type"] == "tool_result" and block.get("is_error") and not block.get("content"):
            raise invalid(f"{place}.tool_result: content cannot be empty if `is_error` is true")
    if message["role"] == "assistant" and (last := blocks[-1]["type"]) in THINKING:
        raise invalid(f"messages.{index}: The final block in an assistant message cannot be `{last}`.")


def _check_roles(messages: Sequence[Message], model: ModelProfile) -> None:
    if messages[0]["role"] != "user":
        raise invalid('messages: first message must use the "user" role')
    for before, message in pairwise(messages):
        if before["role"] == message["role"]:
            raise invalid(
                f'messages: roles must alternate between "user" and "assistant", but found multiple "{message["role"]}" roles in a row'
            )
    last = messages[-1]
    if last["role"] == "assistant" and not any(block["type"] == SERVER_USE for block in blocks_of(last)):
        _check_prefill(blocks_of(last)[-1], model)


def _check_prefill(block: Block, model: ModelProfile) -> None:
    if not model.takes_prefill and block["type"] != "tool_use":
        raise invalid("This model does not support assistant message prefill. The conversation must end with a user message.")
    if block["type"] == "text" and block["text"] != block["text"].rstrip():
        raise invalid("messages: final assistant content cannot end with trailing whitespace")


def _check_ids(messages: Sequence[Message]) -> None:
    ids = Counter(block["id"] for message in messages for block in _tool_uses(message))
    if any(count > 1 for count in ids.values()):
        raise invalid("messages: `tool_use` ids must be unique")


def _check_results(before: Message, message: Message, index: int) -> None:
    """Check that each result in `message` belongs to a call in the message before."""
    call_ids = {block["id"] for block in _tool_uses(before)}
    result_ids: set[str] = set()
    for number, block in enumerate(blocks_of(message)):
        if block["type"] != "tool_result":
            continue
        place, call_id = f"messages.{index}.content.{number}", block["tool_use_id"]
        if call_id not in call_ids:
            raise invalid(
                f"{place}: unexpected `tool_use_id` found in `tool_result` blocks: {call_id}. Each `tool_result` block must have a"
                " corresponding `tool_use` block in the previous message."
            )
        if call_id in result_ids:
            raise invalid(f"{place}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {call_id}")
        result_ids.add(call_id)


def _check_unanswered(messages: Sequence[Message]) -> None:
    """Check that every call is answered. Only results at the beginning of the next message count."""
    for index, message in enumerate(messages):
        call_ids = [block["id"] for block in _tool_uses(message)]
        answered_ids = set(_first_results(messages[index + 1])) if index + 1 < len(messages) else set()
        if missing := [call_id for call_id in call_ids if call_id not in answered_ids]:
            raise invalid(
                f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(missing)}. Each"
                " `tool_use` block must have a corresponding `tool_result` block in the next message."
            )


def _check_server_tools(messages: Sequence[Message], *, has_container: bool) -> None:
    """Check uses of the API's own tools. Only those of the newest step may lack a result: the API runs them when it continues.

    Code continues in its container (https://github.com/anthropics/anthropic-sdk-python/issues/1801).
    """
    blocks = [(place, block) for place, message in enumerate(messages) for block in blocks_of(message)]
    uses = {block["id"]: (place, block) for place, block in blocks if block["type"] == SERVER_USE}
    done = {block["tool_use_id"] for _, block in blocks if block["type"] in SERVER_RESULTS.values()}
    newest = max((place for place, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
    if unknown := sorted(done - uses.keys()):
        raise invalid(f"messages: no `server_tool_use` block was found for the result with `tool_use_id` {unknown[0]}")
    for use_id, (place, use) in uses.items():
        if use_id not in done and not (place == newest and (place == len(messages) - 1 or _tool_uses(messages[place]))):
            raise invalid(
                f"messages.{place}: `{use['name']}` tool use with id `{use_id}` was found without a corresponding"
                f" `{SERVER_RESULTS[use['name']]}` block"
            )
        if use_id not in done and "code_execution" in use["name"] and not has_container and _tool_uses(messages[place]):
            raise invalid("container_id is required when there are pending tool uses generated by code execution with tools.")


def _first_results(message: Message) -> Iterator[str]:
    for block in blocks_of(message):
        if block["type"] != "tool_result":
            return
        yield block["tool_use_id"]


def _tool_uses(message: Message) -> list[Block]:
    return [block for block in blocks_of(message) if block["type"] == "tool_use"]


def _check_thinking(body: dict[str, Any], model: ModelProfile) -> None:
    messages = body["messages"]
    drops = ((body.get("thinking") or {}).get("block_binding") or {}).get("prefix_mismatch_behavior") == "drop_block"
    for index, message in enumerate(messages):
        for number, block in enumerate(blocks_of(message)):
            if block["type"] in THINKING:
                prefix = prefix_of(body, index) if model.binds_thinking and not drops else None
                check_signature(block, model.name, prefix, f"messages.{index}.content.{number}")
    _check_newest_step(body, model)


def _check_newest_step(body: dict[str, Any], model: ModelProfile) -> None:
    """Check the model's newest message, when it has calls whose results are in the request."""
    messages = body["messages"]
    index = next((place for place in reversed(range(len(messages))) if messages[place]["role"] == "assistant"), None)
    if index is None or not _tool_uses(messages[index]):
        return
    first = blocks_of(messages[index])[0]["type"]
    if thinking_type(body, model) == "enabled" and first not in THINKING:
        raise invalid(
            f"messages.{index}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{first}`.{_MUST_THINK_FIRST}"
        )
    if not thinks(body, model) and first in THINKING:
        raise invalid(
            f"messages.{index}.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain"
            " `thinking`. To use thinking blocks, enable `thinking` in your request."
        )
