"""What an organization asks of its members' sign-in: a second factor, of whom, and from when on.

The organization's page shows and saves it here. tenants.authentication.session_proof turns away who has none.
"""

from __future__ import annotations

from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from security.audit import audit
from tenants.access import Actor, actor_refresh
from tenants.context import identity_tx
from tenants.errors import BadRequest, NotAllowed
from tenants.models import Membership, Organization

MAX_GRACE_DAYS: Final = 90
DEFAULT_GRACE_DAYS: Final = 7
ADMINS: Final = [Membership.Role.OWNER.value, Membership.Role.ADMIN.value]
NOBODY, OF_ADMINS, OF_ALL = "nobody", "admins", "everybody"
CHOICES: Final = {NOBODY: gettext_lazy("Nobody"), OF_ADMINS: gettext_lazy("Owners and admins"), OF_ALL: gettext_lazy("Everybody")}


def second_factor_form_values(organization: Organization) -> dict[str, Any]:
    """Return the rule as its form shows it: `asked_of`, a key of CHOICES, and `grace_days`."""
    rule = organization.policy.get("second_factor")
    if not rule:
        return {"asked_of": NOBODY, "grace_days": DEFAULT_GRACE_DAYS}
    return {"asked_of": OF_ADMINS if rule.get("roles") else OF_ALL, "grace_days": rule.get("grace_days", 0)}


def second_factor_set(*, actor: Actor, asked_of: str, grace_days: int) -> None:
    """Save the rule. Members have so many days from now, or from joining, to set a second factor up. Raises NotAllowed, BadRequest."""
    if asked_of not in CHOICES or not 0 <= grace_days <= MAX_GRACE_DAYS:
        raise BadRequest(gettext("Choose of whom a second factor is asked."))
    with identity_tx(actor.organization_id, acting_user_id=actor.user_id):
        if not actor_refresh(actor, lock=True).can_administer:
            raise NotAllowed
        organization = Organization.objects.select_for_update(no_key=True).get(pk=actor.organization_id)
        before, after = second_factor_form_values(organization), {"asked_of": asked_of, "grace_days": grace_days}
        if before == after:
            return
        roles = {"roles": ADMINS} if asked_of == OF_ADMINS else {}
        rule = {**roles, "since": timezone.now().isoformat(), "grace_days": grace_days} if asked_of != NOBODY else None
        organization.policy = {**organization.policy, "second_factor": rule}
        organization.save(update_fields=["policy"])
        audit(
            organization_id=organization.pk,
            actor_user_id=actor.user_id,
            action="organization.second_factor",
            object_kind="organization",
            object_id=organization.pk,
            before=before,
            after=after,
        )
