"""The public key of an embedded chat: the ids of organization and embed in URL-safe base64. It names, and proves nothing."""

from __future__ import annotations

import base64
import re
from typing import Final
from uuid import UUID

from embed.models import EmbedSite
from tenants.context import tenant_tx
from tenants.errors import NotFound

_KEY: Final = re.compile(r"[A-Za-z0-9_-]{43}")  # 32 bytes without padding


def site_key(site: EmbedSite) -> str:
    assert site.organization_id is not None  # the type stubs call a column with a default nullable
    return base64.urlsafe_b64encode(site.organization_id.bytes + site.pk.bytes).decode().rstrip("=")


def site_ids(key: str) -> tuple[UUID, UUID]:
    """Return the ids of organization and embed in a key. Raises NotFound when the text is none."""
    if not _KEY.fullmatch(key):
        raise NotFound
    both = base64.urlsafe_b64decode(f"{key}=")
    return UUID(bytes=both[:16]), UUID(bytes=both[16:])


def site_find(key: str) -> EmbedSite:
    """Return the embed that is on, with organization and secret. Raises NotFound, alike for unknown ones and those that are off."""
    organization_id, site_id = site_ids(key)
    with tenant_tx(organization_id):
        rows = EmbedSite.objects.select_related("organization", "secret")
        site = rows.filter(pk=site_id, is_active=True, organization__is_active=True).first()
    if site is None:
        raise NotFound
    return site
