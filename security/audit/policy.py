"""An organization's policy for its audit log: how long events are kept, and how much of addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext, gettext_lazy

from security.audit_sql import DEFAULT_DAYS, MIN_DAYS
from security.organization_policy import organization_policy_save
from tenants.access import Actor
from tenants.context import identity_tx
from tenants.errors import BadRequest
from tenants.localization.figures import figure
from tenants.models import Organization

MAX_DAYS: Final = 3660
ADDRESSES: Final = {
    "full": gettext_lazy("In full"),
    "prefix": gettext_lazy("Shortened to the network (/24, IPv6 /48)"),
    "none": gettext_lazy("Not kept"),
}


@dataclass(frozen=True, slots=True)
class AuditPolicy:
    """The database reads the same keys when it writes and deletes events (security.audit_sql)."""

    days: int
    addresses: str

    @classmethod
    def of(cls, organization: Organization) -> AuditPolicy:
        policy = organization.policy
        return cls(max(MIN_DAYS, int(policy.get("audit_days", DEFAULT_DAYS))), str(policy.get("audit_addresses", "prefix")))

    def as_policy(self) -> dict[str, int | str]:
        return {"audit_days": self.days, "audit_addresses": self.addresses}


def audit_policy_set(*, actor: Actor, policy: AuditPolicy) -> None:
    """Save the policy, and write what it was before. Raises BadRequest."""
    if not MIN_DAYS <= policy.days <= MAX_DAYS:
        raise BadRequest(
            gettext("Events are kept for %(min_days)s to %(max_days)s days.") % {"min_days": MIN_DAYS, "max_days": figure(MAX_DAYS)}
        )
    if policy.addresses not in ADDRESSES:
        raise BadRequest(gettext("Choose how addresses are kept."))
    with identity_tx(actor.organization_id, acting_user_id=actor.user_id):
        organization_policy_save(
            actor=actor,
            rules=policy.as_policy(),
            former_rules=lambda organization: AuditPolicy.of(organization).as_policy(),
            action="audit.policy",
            object_kind="audit_log",
        )
