"""The text of an invitation's token: 16 bytes of the organization's id and 32 random bytes, in URL-safe base64.

Like an API token it names its organization, so that row security also protects the lookup.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from uuid import UUID

from django.conf import settings

from tenants.errors import NotFound

SECRET_BYTES = 32


def token_new(organization_id: UUID) -> str:
    return base64.urlsafe_b64encode(organization_id.bytes + secrets.token_bytes(SECRET_BYTES)).decode()


def token_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def token_organization(text: str) -> UUID:
    """Return the organization that a token names, without checking the token. Raises NotFound when the text is not a token."""
    try:
        content = base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError, ValueError):
        raise NotFound from None
    if len(content) != 16 + SECRET_BYTES:
        raise NotFound
    return UUID(bytes=content[:16])


def invitation_url(text: str) -> str:
    return f"{settings.PUBLIC_URL}/invitation/{text}/"
