"""Signatures of thinking blocks: created for each block, and checked when it comes back.

A signature is bound to the block's text, to the model and, for the newest models, to everything before the block. The key is fixed,
because a conversation outlives a process.
Sources: https://platform.claude.com/docs/en/build-with-claude/thinking, .../preserved-thinking/prefix-checks.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from typing import Any

import orjson

from doubles.anthropic.errors import invalid
from doubles.anthropic.request_schema import blocks_of

_KEY = b"parley provider double"
_WRONG_CONVERSATION = (
    ' The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
    " That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header."
)


def sign(text: str, model: str, prefix: bytes) -> str:
    """Return a signature. `text`: the thinking, "" when hidden or redacted. `prefix`: the `prefix_of` of the request."""
    return base64.b64encode(orjson.dumps([model, prefix.hex(), _tag(text, model, prefix)])).decode()


def prefix_of(body: dict[str, Any], length: int) -> bytes:
    """Return a digest of the system prompt, the tools and the first `length` messages, without cache marks."""
    before = [body.get("system"), body.get("tools"), [[message["role"], blocks_of(message)] for message in body["messages"][:length]]]
    return hashlib.sha256(orjson.dumps(_without_cache_control(before), option=orjson.OPT_SORT_KEYS)).digest()


def check_signature(block: dict[str, Any], model: str, prefix: bytes | None, place: str) -> None:
    """Refuse thinking that was altered or belongs to another conversation. With `prefix` None, the conversation is not checked.

    Another model's thinking is ignored, as by the real API.
    """
    kind = block["type"]
    try:
        maker, made_after, tag = orjson.loads(base64.b64decode(block["signature" if kind == "thinking" else "data"], validate=True))
        before = bytes.fromhex(made_after)
    except (binascii.Error, ValueError, TypeError) as error:
        raise _signature_error(kind, place) from error
    if maker != model:
        return
    if not hmac.compare_digest(str(tag), _tag(block.get("thinking", ""), model, before)):
        raise _signature_error(kind, place)
    if prefix is not None and prefix != before:
        raise _signature_error(kind, place, _WRONG_CONVERSATION)


def _signature_error(kind: str, place: str, why: str = "") -> Exception:
    field = "signature" if kind == "thinking" else "data"
    return invalid(f"{place}: Invalid `{field}` in `{kind}` block.{why}")


def _tag(text: str, model: str, prefix: bytes) -> str:
    return hmac.digest(_KEY, orjson.dumps([text, model, prefix.hex()]), hashlib.sha256).hex()


def _without_cache_control(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_cache_control(item) for name, item in value.items() if name != "cache_control"}
    return [_without_cache_control(item) for item in value] if isinstance(value, list) else value
