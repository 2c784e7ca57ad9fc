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
from django.db import transaction

from security.secrets.lost_keys import LostSeals, lost_seals
from security.secrets.resealing import Rotation, reseal_in_batches
from security.secrets.vault import VERSION, VaultError, vault_from_settings
from sharing.models import Share
from tenants.errors import NotFound

BATCH: Final = 200  # links that are sealed anew in one transaction
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
        return f"{settings.PUBLIC_URL}/s/{_open(share)}/"
    except VaultError:
        return ""


def tokens_reseal() -> Rotation:
    """Seal the tokens of all links under the current key, in batches of one transaction each."""
    return reseal_in_batches(_reseal_batch, name="link", first_id=UUID(int=0))


@transaction.atomic(using="system")
def tokens_lost() -> LostSeals:
    """Return how many links' addresses can't be shown again."""
    return lost_seals(Share.unscoped.using("system"), "sealed_token", lambda share: bool(share_url(share)))


@transaction.atomic(using="system")
def _reseal_batch(after: UUID) -> list[tuple[UUID, bool]]:
    """Return the ids of the next links under an old key, in order of id, and whether each was sealed again."""
    current = f"{VERSION}.{vault_from_settings().current}."
    rows = Share.unscoped.using("system").select_for_update().filter(id__gt=after).exclude(sealed_token__startswith=current)
    batch = list(rows.order_by("id")[:BATCH])
    outcome = [(share.pk, _reseal(share)) for share in batch]
    Share.unscoped.using("system").bulk_update(batch, ["sealed_token"])
    return outcome


def _reseal(share: Share) -> bool:
    try:
        share.sealed_token = token_seal(_open(share), share)
    except VaultError:
        return False
    return True


def _open(share: Share) -> str:
    return vault_from_settings().open(share.sealed_token, organization_id=share.organization_id, binding=_binding(share))


def _binding(share: Share) -> str:
    return f"share|{share.pk}"
