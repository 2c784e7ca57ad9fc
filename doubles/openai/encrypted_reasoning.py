"""Ids and encrypted content of reasoning items: created for each item, and checked when it comes back.

What follows a reasoning item has an id derived from its id (fc_X_1 and msg_X_2 follow rs_X), so the double needs no memory to detect
missing reasoning. Content belongs to the account behind the API key. The double's own key is fixed, because a conversation outlives
its process.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import uuid
from dataclasses import dataclass

_KEY = b"parley provider double"
_ITEM_ID = re.compile(r"(?:fc|msg|ws|ci)_r([0-9a-f]+)_\d+")


def new_reasoning_id() -> str:
    return f"rs_r{uuid.uuid4().hex}"


def item_id_after(prefix: str, reasoning_id: str | None, number: int) -> str:
    """Return the id of an item with `prefix` (fc, msg, ws, ci) that follows the reasoning, or follows none."""
    return f"{prefix}_{reasoning_id.removeprefix('rs_')}_{number}" if reasoning_id else f"{prefix}_{uuid.uuid4().hex}"


def reasoning_id_of(item_id: str) -> str | None:
    """Return the id of the reasoning that an item's id is derived from; None for other ids."""
    match = _ITEM_ID.fullmatch(item_id)
    return f"rs_r{match[1]}" if match else None


@dataclass(frozen=True)
class ContentOwner:
    """To whom encrypted content belongs: a model, for the account of an API key."""

    model: str
    key_hash: bytes


def encrypt(item_id: str, owner: ContentOwner) -> str:
    return "gAAA" + base64.urlsafe_b64encode(_tag(item_id, owner)).decode()


def is_encrypted_by(content: str, item_id: str, owner: ContentOwner) -> bool:
    """Return whether this double made `content` for this item and owner."""
    return hmac.compare_digest(content, encrypt(item_id, owner))


def _tag(item_id: str, owner: ContentOwner) -> bytes:
    return hmac.digest(_KEY + owner.key_hash, f"{owner.model} {item_id}".encode(), hashlib.sha256)
