"""Who may make an account: what the operator's SIGN_UP allows, by whom they were invited, and the organizations' domains."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from accounts.invitations.session import invitation_of_session, invited_to_sign_up
from accounts.models import ProvenDomain
from accounts.organizations.member_policy import MemberPolicy
from accounts.sso.domains import domain_of
from tenants.context import identity_tx
from tenants.models import Membership, Organization, User

INVITED_EMAIL = "accounts.invited_email"  # in the session of somebody who opened a valid invitation: the address that was invited


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
    return settings.SIGN_UP == "open" or (settings.SIGN_UP == "domain" and organization_of_domain(email) is not None)


def organization_of_domain(email: str) -> Organization | None:
    """Return the organization that lets in everybody who has an address in this domain, which it has proven to be its own."""
    domain = domain_of(email)
    owner = ProvenDomain.objects.select_related("organization").filter(domain=domain, organization__is_active=True).first()
    return (
        owner.organization
        if owner is not None and domain in MemberPolicy.model_validate(owner.organization.policy or {}).sign_up_domains
        else None
    )


def join_by_domain(user: User) -> None:
    """Make the new user, whose address is verified, a member where the address's domain is let in."""
    organization = organization_of_domain(user.email) if settings.SIGN_UP in {"domain", "open"} else None
    if organization is not None:
        with identity_tx(organization.pk, acting_user_id=None):
            Membership.objects.get_or_create(organization=organization, user=user, defaults={"role": Membership.Role.MEMBER})
