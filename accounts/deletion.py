"""What accounts delete of a user beyond what the models' keys say (tenants.deletion)."""

from __future__ import annotations

from accounts.models import OutgoingMail


def mails_delete(user_id: int, address: str) -> dict[str, int]:
    """Delete the mails to the user's address, which hold it and may hold codes."""
    return OutgoingMail.objects.filter(recipient__iexact=address).delete()[1]
