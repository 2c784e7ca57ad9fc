"""Signatures of thinking: made for each block, checked when it is sent back.

A signature is bound to the block's text, to the model and, with the newest models, to all that stood before the block. The key is fixed:
a conversation outlives a process.
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
    """`text`: of the thinking, "" when it is hidden or redacted. `prefix`: `prefix_of` what the model was asked."""
    return base64.b64encode(orjson.dumps([model, prefix.hex(), _tag(text, model, prefix)])).decode()


def prefix_of(body: dict[str, Any], length: int) -> bytes:
    """A digest of the system prompt, the tools and the first `length` messages. Marks for the cache do not count."""
    before = [body.get("system"), body.get("tools"), [[message["role"], blocks_of(message)] for message in body["messages"][:length]]]
    return hashlib.sha256(orjson.dumps(_without_cache_control(before), option=orjson.OPT_SORT_KEYS)).digest()


def check_signature(block: dict[str, Any], model: str, prefix: bytes | None, place: str) -> None:
    """Refuse thinking that was altered, or stands in another conversation; `prefix` None: that is not checked.

    What another model thought is passed over, as by the real API.
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
