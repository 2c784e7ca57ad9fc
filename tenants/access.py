"""Actors: who acts, in which organization and with which role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext

from tenants.authentication.sessions import session_hash
from tenants.errors import NotFound, OrganizationSuspended
from tenants.models import Membership, Organization, User
from tenants.postgres.prepared_statements import read_rows

# Plain SQL, because each request or each send begins with one of them, and the ORM needs up to a millisecond of CPU to compile such a select.
_SESSION_MEMBER = """\
SELECT m.id, m.version, m.role, m.organization_id, s.session_data, s.last_used_at, o.policy -> 'second_factor', o.policy -> 'sign_on', m.created_at, {user_columns}
FROM tenants_session s
JOIN tenants_user u ON u.id = s.user_id AND u.is_active
JOIN tenants_membership m ON m.user_id = u.id AND m.is_active
JOIN tenants_organization o ON o.id = m.organization_id AND o.is_active
WHERE s.session_key = %(session_hash)s AND s.expire_date > STATEMENT_TIMESTAMP() AND o.slug = %(slug)s AND m.role <> 'visitor'
"""
# What the transaction reads after it is planned once for each connection: PostgreSQL would plan it for the values of the first five
# times, which takes longer than all the rest of a send.
_LOCK_MEMBER = """\
SELECT m.version, m.role, o.slug, u.name, m.preferences, o.name, set_config('plan_cache_mode', 'force_generic_plan', true)
FROM tenants_membership m
JOIN tenants_user u ON u.id = m.user_id AND u.is_active
JOIN tenants_organization o ON o.id = m.organization_id AND o.is_active
WHERE m.organization_id = %(organization)s AND m.id = %(membership)s AND m.user_id = %(user)s AND m.is_active
FOR NO KEY UPDATE OF m
"""

# Why a member who began something may not write any more: token, user, organization or role; '' while they may. The fields are columns.
ACCESS_END = """\
CASE
    WHEN {token_id} IS NOT NULL AND NOT EXISTS (
        SELECT FROM tenants_apitoken t WHERE t.organization_id = {organization} AND t.id = {token_id} AND t.membership_id = {membership}
            AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > STATEMENT_TIMESTAMP())
    ) THEN 'token'
    ELSE COALESCE((
        SELECT CASE WHEN NOT (u.is_active AND m.is_active) THEN 'user' WHEN NOT o.is_active THEN 'organization'
            WHEN m.role IN ('viewer', 'auditor') THEN 'role' ELSE '' END
        FROM tenants_membership m JOIN tenants_user u ON u.id = m.user_id JOIN tenants_organization o ON o.id = m.organization_id
        WHERE m.organization_id = {organization} AND m.id = {membership}
    ), 'user')
END"""

# A visitor writes, but only the embedded chat lets visitors in (embed.visitors.bearers): no session and no API token of theirs does.
WRITER_ROLES = frozenset({Membership.Role.OWNER, Membership.Role.ADMIN, Membership.Role.MEMBER, Membership.Role.VISITOR})
ADMIN_ROLES = frozenset({Membership.Role.OWNER, Membership.Role.ADMIN})
AUDIT_ROLES = ADMIN_ROLES | {Membership.Role.AUDITOR}


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

    @property
    def can_audit(self) -> bool:
        """Whether the actor may read everybody's runs, the organization's usage and its audit log."""
        return self.role in AUDIT_ROLES


def actor_for(*, user_id: int, slug: str) -> Actor:
    """Return the user as a member of the organization. The query runs as the auth role, like all before the organization is known.

    Raises OrganizationSuspended, and NotFound alike for foreign and missing ones and for members without access.
    """
    members = Membership.objects.using("auth").of_members().filter(is_active=True, user__is_active=True).select_related("organization")
    member = _membership(members, user_id=user_id, organization__slug=slug)
    raise_if_suspended(member.organization)
    return actor_from_membership(member)


def raise_if_suspended(organization: Organization) -> None:
    """Raise OrganizationSuspended for an organization that is not active. For members of it only."""
    if not organization.is_active:
        raise OrganizationSuspended(suspension_text(organization.name, organization.suspension_message))


def suspension_text(name: str, message: str) -> str:
    """Return what members of a suspended organization read, in the reader's language. Parley's own messages are stored in English."""
    sentence = gettext("%(organization)s is suspended.") % {"organization": name}
    return f"{sentence} {gettext(message)}" if message else sentence


@dataclass(frozen=True, slots=True)
class SessionMember:
    """What one query finds for a session: who acts, and what the organization asks of sessions (tenants.authentication.session_proof)."""

    actor: Actor
    user: User
    session_data: str
    last_used_at: datetime  # the session, to within tenants.authentication.sessions.USE_INTERVAL
    second_factor: Any  # of the organization's policy, as JSON or decoded
    sign_on: Any
    joined_at: datetime


def actor_from_session(*, session_key: str, slug: str) -> SessionMember | None:
    """Return what belongs to a valid session, or None where `actor_for` raises NotFound. One query.

    The query follows the session row's user column, which proves nothing. The caller must check that the signed session data names the same
    user (tenants.authentication.session_auth).
    """
    names = [field.attname for field in User._meta.concrete_fields]
    columns = ", ".join(f'u."{name}"' for name in names)
    rows = read_rows(_SESSION_MEMBER.format(user_columns=columns), {"session_hash": session_hash(session_key), "slug": slug}, using="auth")
    if not rows:
        return None
    membership_id, version, role, organization_id, session_data, last_used_at, second_factor, sign_on, joined_at, *user_values = rows[0]
    user = User.from_db("auth", names, user_values)
    actor = Actor(user.pk, organization_id, slug, membership_id, version, role)
    return SessionMember(actor, user, session_data, last_used_at, second_factor, sign_on, joined_at)


@dataclass(frozen=True, slots=True)
class SessionRules:
    """What an organization asks of a member's session (tenants.authentication.session_proof)."""

    second_factor: Any  # of the organization's policy, as JSON or decoded
    sign_on: Any
    joined_at: datetime
    email: str


def session_rules(actor: Actor) -> SessionRules:
    """Return what the actor's organization asks of their session. Raises NotFound."""
    names = ("organization__policy__second_factor", "organization__policy__sign_on", "created_at", "user__email")
    row = Membership.objects.using("auth").filter(id=actor.membership_id).values_list(*names).first()
    if row is None:
        raise NotFound
    return SessionRules(*row)


def actor_refresh(actor: Actor, *, lock: bool = False) -> Actor:
    """Return the actor with its current role. An unchanged actor equals its refresh. Raises NotFound when access has ended.

    Needs the organization's `tenant_tx`. `lock`: lock the membership's row until the transaction ends, so that limits are counted by one
    transaction at a time.
    """
    memberships = _active_memberships()
    return _actor(_for_update(memberships) if lock else memberships, user_id=actor.user_id, id=actor.membership_id)


@dataclass(frozen=True, slots=True)
class Member:
    """A member with what an agent is told about them."""

    actor: Actor
    user_name: str
    preferences: str
    organization_name: str


def member_lock_select(actor: Actor) -> tuple[str, dict[str, Any]]:
    """Return the select that locks the actor's membership until the transaction ends, for `read_together` and `member_from_rows`."""
    return _LOCK_MEMBER, {"organization": actor.organization_id, "membership": actor.membership_id, "user": actor.user_id}


def member_from_rows(actor: Actor, rows: Sequence[tuple[Any, ...]]) -> Member:
    """Return the member with their current role. Raises NotFound when access has ended."""
    if not rows:
        raise NotFound
    version, role, slug, user_name, preferences, organization_name, _ = rows[0]
    current = Actor(actor.user_id, actor.organization_id, slug, actor.membership_id, version, role)
    return Member(current, user_name, preferences, organization_name)


def actor_of_membership(*, membership_id: UUID, slug: str) -> Actor:
    """Return the member named in a signed URL. Raises NotFound when access has ended or the organization is another one."""
    return _actor(_active_memberships("auth"), id=membership_id, organization__slug=slug)


def _actor(memberships: QuerySet[Membership], **conditions: object) -> Actor:
    return actor_from_membership(_membership(memberships, **conditions))


def _active_memberships(using: str | None = None) -> QuerySet[Membership]:
    active = Membership.objects.using(using).filter(is_active=True, organization__is_active=True, user__is_active=True)
    return active.select_related("organization")


def _for_update(memberships: QuerySet[Membership]) -> QuerySet[Membership]:
    return memberships.select_for_update(of=("self",), no_key=True)


def _membership(memberships: QuerySet[Membership], **conditions: object) -> Membership:
    membership = memberships.filter(**conditions).first()
    if membership is None:
        raise NotFound
    return membership


def actor_from_membership(membership: Membership) -> Actor:
    """Return the actor of a loaded membership, which the caller has checked; its organization is loaded, too."""
    return Actor(
        user_id=membership.user_id,
        organization_id=membership.organization_id,
        organization_slug=membership.organization.slug,
        membership_id=membership.id,
        membership_version=membership.version,
        role=membership.role,
    )
