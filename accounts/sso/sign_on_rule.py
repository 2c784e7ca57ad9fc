"""The organization's rule "only by sign-on", as `tenants.authentication.session_proof` reads it with each request: a copy in `Organization.policy`."""

from __future__ import annotations

from uuid import UUID

from accounts.models import ProvenDomain, SignOn
from tenants.authentication.session_proof import SIGN_ON
from tenants.models import Organization


def required_write(organization_id: UUID) -> None:
    """Write the copy anew after a change of the sign-on or its domains. In the `identity_tx` of that change."""
    organization = Organization.objects.select_for_update(no_key=True).get(pk=organization_id)
    sign_on = SignOn.objects.select_related("way_in").first()
    policy = dict(organization.policy or {})
    policy.pop(SIGN_ON, None)
    if sign_on is not None and sign_on.is_enabled and sign_on.is_required:
        domains = ProvenDomain.objects.filter(organization_id=organization_id).order_by("domain").values_list("domain", flat=True)
        way_in = [sign_on.way_in.user_id] if sign_on.way_in else []
        policy[SIGN_ON] = {"domains": [*domains], "way_in": way_in}
    if policy != organization.policy:
        organization.policy = policy
        organization.save(update_fields=["policy"])
