"""The public keys that a host site publishes at an address (a JWKS, RFC 7517), fetched through security.egress and kept in the cache.

What it gave holds for 15 minutes, and for an hour while the address gives nothing. A token with an unknown key lets the address be
asked at most once a minute, as hosts change their keys without notice and strangers can invent key ids. Nothing here runs in a transaction.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import asdict, dataclass
from typing import Any, Final

import jwt
import structlog
from asgiref.sync import async_to_sync
from django.core.cache import cache
from django.utils.translation import gettext, gettext_lazy

from embed.host.key_sets import key_set_sift, signing_key
from embed.models import EmbedSite
from security.egress import EgressRefused, FetchFailed, call
from tenants.errors import ParleyError, Unavailable
from tenants.redis.clients import unavailable_without_redis

log = structlog.get_logger(__name__)

FRESH_S: Final = 15 * 60
KEEP_S: Final = 60 * 60
ASK_AGAIN_S: Final = 60
TIMEOUT_S: Final = 10.0
MAX_BYTES: Final = 100_000


class KeysUnusable(ParleyError):
    """The address gives no keys. The message is for admins."""

    code = "keys_unusable"
    status = 502


class KeysUnavailable(Unavailable):
    """What a visitor reads then, which says nothing of the address."""

    message = gettext_lazy("This page's sign-in can't be checked right now. Try again in a minute.")


@dataclass(frozen=True, slots=True)
class FetchedKeys:
    """`keys`: those that can be used. `problems`: why the others can't, for admins."""

    keys: list[dict[str, Any]]
    problems: list[str]
    fetched_at: float  # seconds since 1970


def keys_fetch(site: EmbedSite) -> FetchedKeys:
    """Ask the address now, and keep what it gives. Raises KeysUnusable, Unavailable."""
    try:
        answer = async_to_sync(call)("GET", site.key_set_url, content=None, headers={"accept": "application/json"}, timeout_s=TIMEOUT_S)
    except (EgressRefused, FetchFailed) as error:
        raise KeysUnusable(error.message) from error
    if answer.status != 200:
        raise KeysUnusable(gettext("The address answers with HTTP %(status)s in place of a key set.") % {"status": answer.status})
    if len(answer.content) > MAX_BYTES:
        raise KeysUnusable(gettext("The answer of the address is larger than %(kb)s KB.") % {"kb": MAX_BYTES // 1000})
    try:
        keys, problems = key_set_sift(answer.content.decode())
    except ValueError as error:
        is_ours = not isinstance(error, UnicodeDecodeError)
        raise KeysUnusable(str(error) if is_ours else gettext("The answer of the address is not text.")) from error
    key_set = FetchedKeys(keys, problems, time.time())
    with unavailable_without_redis():
        cache.set(_place(site), asdict(key_set), KEEP_S)
    return key_set


def cached_keys(site: EmbedSite) -> FetchedKeys | None:
    """Return what the address gave last, at most an hour ago, without asking it. Raises Unavailable."""
    with unavailable_without_redis():
        entry = cache.get(_place(site))
    return FetchedKeys(**entry) if entry else None


def published_key(site: EmbedSite, key_id: object) -> jwt.PyJWK | None:
    """Return the host's key with this id; without an id the only one. None: there is no such key. Raises KeysUnavailable, Unavailable."""
    key_set = cached_keys(site)
    key = signing_key(key_set.keys, key_id) if key_set else None
    if key_set and key and time.time() - key_set.fetched_at < FRESH_S:
        return key
    with unavailable_without_redis():
        is_mine_to_ask = cache.add(f"{_place(site)}:asked", 1, ASK_AGAIN_S)
    if is_mine_to_ask:
        try:
            return signing_key(keys_fetch(site).keys, key_id)
        except KeysUnusable as error:
            log.warning("host_keys_unusable", site_id=str(site.pk), problem=str(error))
    if key_set is None:
        raise KeysUnavailable
    return key


def _place(site: EmbedSite) -> str:
    return f"embed:key-set:{site.organization_id}:{hashlib.sha256(site.key_set_url.encode()).hexdigest()}"
