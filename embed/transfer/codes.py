"""A code that names a visitor to the page on which a member takes the conversations over. It is in the cache alone, works once and ten minutes.

Only its hash is kept. It lets nobody read anything: who uses it is signed in as a member of the visitor's organization.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Final
from uuid import UUID

from django.core.cache import cache

from embed.keys import site_find
from embed.models import EmbedSite, EmbedVisitor
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tenants.redis.clients import unavailable_without_redis

LIFE_S: Final = 10 * 60
CODE_BYTES: Final = 32


def transfer_code_new(site_key: str, membership_id: UUID) -> str:
    """Return a code for a visitor of this embed. Raises Unavailable."""
    code = secrets.token_urlsafe(CODE_BYTES)
    with unavailable_without_redis():
        cache.set(_place(site_key, code), membership_id.hex, LIFE_S)
    return code


def visitor_of_code(site_key: str, code: str) -> tuple[EmbedSite, EmbedVisitor]:
    """Return whom the code names, without using it up. Raises NotFound, Unavailable."""
    site = site_find(site_key)
    with unavailable_without_redis():
        membership = cache.get(_place(site_key, code))
    assert site.organization_id is not None  # the type stubs call a column with a default nullable
    with tenant_tx(site.organization_id):
        visitor = EmbedVisitor.objects.filter(site=site, membership_id=UUID(membership)).first() if membership else None
    if visitor is None or not site.members_may_keep:
        raise NotFound
    return site, visitor


def transfer_code_use_up(site_key: str, code: str) -> None:
    """Raises NotFound when somebody else did, Unavailable."""
    with unavailable_without_redis():
        is_mine = cache.delete(_place(site_key, code))
    if not is_mine:
        raise NotFound


def _place(site_key: str, code: str) -> str:
    return f"embed:transfer:{site_key}:{hashlib.sha256(code.encode()).hexdigest()}"
