"""Thought signatures: created for each signed part, and checked when the part comes back.

A signature is bound to the model and, for a function call, to the call's name and arguments, so an altered or misplaced one is
detected. The key is fixed, because a conversation outlives the demo provider's process.
Source: https://ai.google.dev/gemini-api/docs/thought-signatures.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import Any

import orjson

from doubles.gemini.errors import invalid
from doubles.gemini.proto import decode_base64

_KEY = b"parley provider double"
# What Google documents for histories without valid signatures; sent as plain text or in base64.
_SKIP = b"skip_thought_signature_validator"


def sign(part: dict[str, Any], model: str) -> str:
    """Return the signature of an outgoing part, in base64."""
    return base64.b64encode(_tag(part, model)).decode()


def check_signature(part: dict[str, Any], model: str, place: str) -> None:
    """Refuse a signature that this double did not make for this part and model."""
    signature = part["thoughtSignature"]
    raw = decode_base64(signature)
    if signature == _SKIP.decode() or raw == _SKIP:
        return
    if not hmac.compare_digest(raw, _tag(part, model)):
        raise invalid(f"Corrupted thought signature at '{place}'.")


def _tag(part: dict[str, Any], model: str) -> bytes:
    call = part.get("functionCall")
    # Text is bound to its kind only: a client may join several parts of the stream into one.
    fields = ["call", call["name"], call.get("args") or {}] if call else ["text"]
    if image := part.get("inlineData"):
        fields = ["image", hashlib.sha256(decode_base64(image["data"])).hexdigest()]
    content = orjson.dumps([model, *fields], option=orjson.OPT_SORT_KEYS)
    return hmac.digest(_KEY, content, hashlib.sha256)
