"""Deletes rows about a user that no foreign key leads to (tenants.deletion)."""

from __future__ import annotations

from uuid import UUID

from accounts.models import Invitation, OutgoingMail, ProvenDomain
from tenants.context import identity_tx


def mails_delete(user_id: int, address: str) -> dict[str, int]:
    """Delete the mails to the user's address, which hold it and may hold codes."""
    return OutgoingMail.objects.filter(recipient__iexact=address).delete()[1]


def invitations_delete(user_id: int, address: str) -> dict[str, int]:
    """Delete the invitations of the user's address in all organizations, used ones too. Links that several people use stay."""
    return Invitation.unscoped.using("system").filter(email=address.lower()).delete()[1] if address else {}


def proven_domains_delete(organization_id: UUID) -> dict[str, int]:
    """Let the organization's domains go, so that another one can prove them."""
    with identity_tx(organization_id, acting_user_id=None):
        return ProvenDomain.objects.filter(organization_id=organization_id).delete()[1]
