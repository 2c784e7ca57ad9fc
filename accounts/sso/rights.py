"""Who may change how people sign in."""

from __future__ import annotations

from django.utils.translation import gettext

from tenants.access import Actor, actor_refresh
from tenants.errors import NotAllowed
from tenants.models import Membership


def owner_check(actor: Actor) -> Actor:
    """Return the actor with their current role. Needs the organization's transaction, and locks the membership in it. Raises NotAllowed for all but owners.

    Who sets the provider or its domains can come in as anybody with such an address, so an admin who sets them would be an owner.
    """
    actor = actor_refresh(actor, lock=True)
    if actor.role != Membership.Role.OWNER:
        raise NotAllowed(gettext("Only an owner can change how people sign in."))
    return actor
