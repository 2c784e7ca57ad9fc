"""What an organization allows its members to share by link, as a key of `Organization.policy`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal
from uuid import UUID

from django.db import connection
from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_lazy

from security.audit import audit
from security.organization_policy import organization_policy_save
from sharing.models import Share, ShareComment
from tenants.access import Actor, actor_refresh
from tenants.context import identity_tx, tenant_tx
from tenants.errors import BadRequest, NotAllowed
from tenants.models import Organization

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

SharingPolicy = Literal["off", "members", "public", "listed"]
POLICY_KEY: Final = "sharing"
DEFAULT: Final[SharingPolicy] = "members"
POLICIES: Final[dict[SharingPolicy, StrOrPromise]] = {
    "off": gettext_lazy("Nobody: sharing is off"),
    "members": gettext_lazy("Members only: a link asks for signing in"),
    "public": gettext_lazy("Anyone, where the member who shares allows it"),
    "listed": gettext_lazy("Anyone, and search engines may list pages where the member who shares allows it"),
}
AUDIENCES: Final[dict[SharingPolicy, tuple[Share.Audience, ...]]] = {
    "off": (),
    "members": (Share.Audience.NAMED, Share.Audience.MEMBERS),
    "public": (Share.Audience.NAMED, Share.Audience.MEMBERS, Share.Audience.PUBLIC),
    "listed": (Share.Audience.NAMED, Share.Audience.MEMBERS, Share.Audience.PUBLIC),
}


LOCK_SPACE: Final = 47  # of the advisory locks of policies


def sharing_policy_hold(organization_id: UUID, *, alone: bool = False) -> None:
    """Until the transaction ends, no links are stopped by a new policy; `alone`: and none is made.

    So a link that is made by the former policy is seen by whoever stops those that the new one does not allow.
    """
    function = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"select {function}(hashtextextended(%s, %s))", [str(organization_id), LOCK_SPACE])


def sharing_policy(organization: Organization) -> SharingPolicy:
    saved_policy = organization.policy.get(POLICY_KEY)
    return next((policy for policy in POLICIES if policy == saved_policy), DEFAULT)


def allowed_audiences(organization: Organization) -> tuple[Share.Audience, ...]:
    return AUDIENCES[sharing_policy(organization)]


def sharing_policy_set(*, actor: Actor, policy: str) -> int:
    """Save the policy and stop all links that it does not allow. Return how many these were. Raises BadRequest, NotAllowed.

    From the first transaction on the page refuses these links; the second one stops them for good, also for a later, wider policy. In the
    same way links that search engines could list are listed no more.
    """
    new_policy = next((candidate for candidate in POLICIES if candidate == policy), None)
    if new_policy is None:
        raise BadRequest(gettext("Choose who may open shared links."))
    with identity_tx(actor.organization_id, acting_user_id=actor.user_id):
        _save(actor, new_policy)
    with tenant_tx(actor.organization_id):
        return _revoke_outside(actor, new_policy)


def _save(actor: Actor, policy: SharingPolicy) -> None:
    if not actor_refresh(actor, lock=True).can_administer:
        raise NotAllowed
    organization_policy_save(
        actor=actor,
        rules={POLICY_KEY: policy},
        former_rules=lambda organization: {POLICY_KEY: sharing_policy(organization)},
        action="share.policy",
        object_kind="sharing",
    )


def _revoke_outside(actor: Actor, policy: SharingPolicy) -> int:
    sharing_policy_hold(actor.organization_id, alone=True)
    if policy != "listed":
        Share.objects.filter(is_listed=True).update(is_listed=False)
    link_count = Share.objects.filter(revoked_at=None).exclude(audience__in=AUDIENCES[policy]).update(revoked_at=Now())
    if link_count:
        ShareComment.objects.filter(share__revoked_at__isnull=False).delete()
        audit(
            organization_id=actor.organization_id,
            actor_user_id=actor.user_id,
            action="share.stop_by_policy",
            object_kind="sharing",
            object_id=actor.organization_id,
            detail={"links": link_count},
        )
    return link_count
