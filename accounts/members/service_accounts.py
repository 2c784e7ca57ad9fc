"""Service accounts: members without a person, for programs that act by tokens alone."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.utils.translation import gettext

from accounts.members.errors import RightsTooHigh
from accounts.members.membership_transactions import membership_tx
from accounts.members.roles import grantable_roles
from accounts.members.services import places_set
from security.api_tokens import api_token_create
from security.audit import audit
from tenants.access import Actor, actor_refresh
from tenants.errors import BadRequest, NotAllowed
from tenants.models import Membership, User

DOMAIN = "service-account.invalid"  # RFC 2606: no mail can ever arrive there, so nobody can prove to own an address


@dataclass(frozen=True)
class ServiceAccountTerms:
    name: str
    role: str
    group_ids: tuple[UUID, ...]
    scopes: tuple[str, ...]
    days: int | None
    networks: tuple[str, ...] = ()


def service_account_create(*, actor: Actor, terms: ServiceAccountTerms) -> tuple[Membership, str]:
    """Make a service account; return its membership and its first token's text. Raises BadRequest, NotAllowed, NotFound."""
    with membership_tx(actor.organization_id, by_user_id=actor.user_id):
        return _create(actor_refresh(actor, lock=True), terms)


def _create(actor: Actor, terms: ServiceAccountTerms) -> tuple[Membership, str]:
    if not actor.can_administer:
        raise NotAllowed(gettext("Only owners and admins make service accounts."))
    if terms.role not in grantable_roles(actor.role) or terms.role == Membership.Role.OWNER:
        raise RightsTooHigh
    name = terms.name.replace("\x00", "").strip()
    if not name:
        raise BadRequest(gettext("Give the service account a name."))
    user = User.objects.create_user(f"{uuid4().hex}@{DOMAIN}", None, name=name, is_service_account=True)
    member = Membership.objects.create(organization_id=actor.organization_id, user=user, role=terms.role)
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="service_account.create",
        object_kind="membership",
        object_id=member.pk,
        detail={"role": terms.role},
    )
    places_set(member=member, group_ids=terms.group_ids, by_user_id=actor.user_id)
    own = Actor(user.pk, actor.organization_id, actor.organization_slug, member.pk, member.version, member.role)
    _, text = api_token_create(
        actor=own, name=name, scopes=terms.scopes, days=terms.days, networks=terms.networks, by_user_id=actor.user_id
    )
    return member, text
