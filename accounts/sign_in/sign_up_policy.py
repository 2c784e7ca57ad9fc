"""Who may make an account: what the operator's SIGN_UP allows, by whom they were invited, and the organizations' domains."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from accounts.invitations.session import invitation_of_session, invited_to_sign_up
from tenants.context import identity_tx
from tenants.models import Membership, Organization, User

INVITED_EMAIL = "accounts.invited_email"  # in the session of somebody who opened a valid invitation: the address that was invited
DOMAINS = "sign_up_domains"  # in an organization's policy: people with an address there may join as members


def is_sign_up_open(request: HttpRequest) -> bool:
    """Return whether the sign-up page is there for whoever sends the request."""
    match settings.SIGN_UP:
        case "closed":
            return False
        case "invitation":
            return bool(request.session.get(INVITED_EMAIL)) or invitation_of_session(request) is not None
        case _:
            return True


def may_sign_up(request: HttpRequest, email: str) -> bool:
    """Return whether an account may be made for this address, on a page that is open."""
    if request.session.get(INVITED_EMAIL, "").lower() == email.lower() or invited_to_sign_up(request, email):
        return settings.SIGN_UP != "closed"
    return settings.SIGN_UP == "open" or (settings.SIGN_UP == "domain" and bool(organizations_of_domain(email)))


def organizations_of_domain(email: str) -> list[Organization]:
    """Return the organizations that let in everybody who has an address in its domain."""
    domain = email.rpartition("@")[2].lower()
    return (
        [*Organization.objects.using("auth").filter(is_active=True, **{f"policy__{DOMAINS}__contains": [domain]}).order_by("name")]
        if domain
        else []
    )


def join_by_domain(user: User) -> list[Organization]:
    """Make the new user, whose address is verified, a member where the address's domain is let in; return these organizations."""
    if settings.SIGN_UP not in {"domain", "open"}:
        return []
    organizations = organizations_of_domain(user.email)
    for organization in organizations:
        with identity_tx(organization.pk, acting_user_id=None):
            Membership.objects.get_or_create(organization=organization, user=user, defaults={"role": Membership.Role.MEMBER})
    return organizations
