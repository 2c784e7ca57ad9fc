"""Actors: who acts, in which organization and with which role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet
from django.db.models.functions import Now

from tenants.errors import NotFound
from tenants.models import Membership, User
from tenants.postgres.prepared_select import BoundSelect, PreparedSelect

WRITER_ROLES = frozenset({Membership.Role.OWNER, Membership.Role.ADMIN, Membership.Role.MEMBER})
ADMIN_ROLES = frozenset({Membership.Role.OWNER, Membership.Role.ADMIN})


@dataclass(frozen=True)
class Actor:
    """A user's checked membership. Pass this, never a user, to services and selectors."""

    user_id: int
    organization_id: UUID
    organization_slug: str
    membership_id: UUID
    membership_version: int  # grows with every change of the role
    role: str  # one of Membership.Role

    @property
    def can_write(self) -> bool:
        return self.role in WRITER_ROLES

    @property
    def can_administer(self) -> bool:
        return self.role in ADMIN_ROLES


def actor_for(*, user_id: int, slug: str) -> Actor:
    """Return the user as a member of the organization. Raises NotFound alike for foreign, missing and deactivated ones."""
    return _actor(user_id=user_id, organization__slug=slug)


def actor_from_session(*, session_key: str, slug: str) -> tuple[Actor, User, str] | None:
    """Return the actor, the user's row and the session's data for a valid session, or None where `actor_for` raises NotFound. One query.

    The query follows the session row's user column, which proves nothing. The caller must check that the signed session data names the same
    user (tenants.session_auth).
    """
    found: Any = _SESSION_MEMBERSHIP.first(session_key=session_key, slug=slug)
    return None if found is None else (_actor_from_membership(found), found.user, found.session_data)


def actor_refresh(actor: Actor, *, lock: bool = False) -> Actor:
    """Return the actor with its current role. An unchanged actor equals its refresh. Raises NotFound when access has ended.

    `lock`: lock the membership's row until the transaction ends, so that limits are counted by one transaction at a time.
    """
    return _actor(lock=lock, user_id=actor.user_id, id=actor.membership_id)


def membership_lock(actor: Actor) -> tuple[Actor, Membership]:
    """Return `actor_refresh(actor, lock=True)` and the membership's row, with its user and organization."""
    membership = _LOCKED_MEMBERSHIP.first(**_lookup_values(actor))
    if membership is None:
        raise NotFound
    return _actor_from_membership(membership), membership


def membership_lock_select(actor: Actor) -> BoundSelect[Membership]:
    """Return the select of `membership_lock`, for `read_ahead`."""
    return _LOCKED_MEMBERSHIP.bind(**_lookup_values(actor))


def _lookup_values(actor: Actor) -> dict[str, UUID | int]:
    return {"user_id": actor.user_id, "membership_id": actor.membership_id}


def actor_of_membership(*, membership_id: UUID, slug: str) -> Actor:
    """Return the member named in a signed URL. Raises NotFound when access has ended or the organization is another one."""
    return _actor(id=membership_id, organization__slug=slug)


def _actor(*, lock: bool = False, **conditions: object) -> Actor:
    return _actor_from_membership(_membership(_for_update(_active_memberships()) if lock else _active_memberships(), **conditions))


def _active_memberships() -> QuerySet[Membership]:
    return Membership.objects.filter(organization__is_active=True, user__is_active=True).select_related("organization")


def _for_update(memberships: QuerySet[Membership]) -> QuerySet[Membership]:
    return memberships.select_for_update(of=("self",), no_key=True)


def _session_memberships(session_key: str, slug: str) -> QuerySet[Membership]:
    of_session = _active_memberships().select_related("user").filter(user__sessions__pk=session_key, user__sessions__expire_date__gt=Now())
    return of_session.filter(organization__slug=slug).annotate(session_data=F("user__sessions__session_data"))


_SESSION_MEMBERSHIP = PreparedSelect(lambda *, session_key, slug: _session_memberships(session_key, slug)[:1])

# Prepared because every send of a message begins with it.
_LOCKED_MEMBERSHIP = PreparedSelect(
    lambda *, user_id, membership_id: (
        _for_update(_active_memberships()).select_related("user").filter(user_id=user_id, id=membership_id)[:1]
    )
)


def _membership(memberships: QuerySet[Membership], **conditions: object) -> Membership:
    membership = memberships.filter(**conditions).first()
    if membership is None:
        raise NotFound
    return membership


def _actor_from_membership(membership: Membership) -> Actor:
    return Actor(
        user_id=membership.user_id,
        organization_id=membership.organization_id,
        organization_slug=membership.organization.slug,
        membership_id=membership.id,
        membership_version=membership.version,
        role=membership.role,
    )
