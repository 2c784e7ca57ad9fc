"""Where people enter by an organization's sign-on."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from accounts.models import ProvenDomain, SignOn
from accounts.sso.domains import domain_of
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tenants.models import Organization


@dataclass(frozen=True)
class EntryPoint:
    """An organization's sign-on that people can use."""

    organization: Organization
    sign_on: SignOn


def entry_point_of_organization(organization_id: UUID, *, is_test: bool = False) -> EntryPoint:
    """Return the sign-on of an organization; for a test also one that is switched off. Raises NotFound."""
    organization = Organization.objects.using("auth").filter(pk=organization_id, is_active=True).first()
    if organization is None:
        raise NotFound
    with tenant_tx(organization_id):
        sign_on = SignOn.objects.select_related("way_in").first()
    if sign_on is None or not (sign_on.is_enabled or is_test):
        raise NotFound
    return EntryPoint(organization, sign_on)


def entry_point_of_address(email: str) -> EntryPoint | None:
    """Return the sign-on that speaks for the address, by its domain alone: whether it has an account makes no difference."""
    owner = ProvenDomain.objects.filter(domain=domain_of(email)).first()
    if owner is None:
        return None
    try:
        return entry_point_of_organization(owner.organization_id)
    except NotFound:
        return None
