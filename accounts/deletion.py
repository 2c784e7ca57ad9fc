"""What accounts delete of a user beyond what the models' keys say (tenants.deletion)."""

from __future__ import annotations

from accounts.models import Invitation, OutgoingMail


def mails_delete(user_id: int, address: str) -> dict[str, int]:
    """Delete the mails to the user's address, which hold it and may hold codes."""
    return OutgoingMail.objects.using("system").filter(recipient__iexact=address).delete()[1]


def invitations_delete(user_id: int, address: str) -> dict[str, int]:
    """Delete the invitations of the user's address in all organizations, used ones too. Links that several people use stay."""
    return Invitation.unscoped.using("system").filter(email=address.lower()).delete()[1] if address else {}
