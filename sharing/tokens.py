"""The token in a link's address: 16 bytes of the organization's id and 16 random bytes, in URL-safe base64.

Like an API token it names its organization, so that row security also guards the look-up of its digest.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from typing import Final
from uuid import UUID

from django.conf import settings

from security.secrets.vault import VaultError, vault_from_settings
from sharing.models import Share
from tenants.errors import NotFound

SECRET_BYTES: Final = 16  # 128 bits
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")  # 32 bytes without padding


def token_new(organization_id: UUID) -> str:
    return base64.urlsafe_b64encode(organization_id.bytes + secrets.token_bytes(SECRET_BYTES)).decode().rstrip("=")


def token_digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def token_organization(token: str) -> UUID:
    """Return the organization that a token names, without checking the token. Raises NotFound when the text is not a token."""
    if not _TOKEN.fullmatch(token):
        raise NotFound
    return UUID(bytes=base64.urlsafe_b64decode(f"{token}=")[:16])


def token_seal(token: str, share: Share) -> str:
    return vault_from_settings().seal(token, organization_id=share.organization_id, binding=_binding(share))


def share_url(share: Share) -> str:
    """Return the link's address; "" when the key that sealed its token is not among the credential keys any more."""
    try:
        token = vault_from_settings().open(share.sealed_token, organization_id=share.organization_id, binding=_binding(share))
    except VaultError:
        return ""
    return f"{settings.PUBLIC_URL}/s/{token}/"


def _binding(share: Share) -> str:
    return f"share|{share.pk}"
