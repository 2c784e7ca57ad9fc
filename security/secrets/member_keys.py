"""Members' own provider keys (SPEC 2.5), saved or for one browser session.

Whether they may be used is a policy in admin_config (admin_config.services.own_keys).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.crypto import constant_time_compare

from security.audit import audit
from security.models import MemberKey
from security.secrets.services import secret_create, secret_delete
from tenants.access import Actor
from tenants.context import current_organization_id, tenant_tx
from tenants.members import organizations_of_user
from tenants.models import Session

PURPOSE = "member's key"


@dataclass(frozen=True, slots=True)
class KeySession:
    """The browser session in which a key is entered."""

    id_hash: str  # see tenants.authentication.sessions.session_hash
    auth_hash: str = field(repr=False)  # changes with the password
    expires_at: datetime


def member_key_save(*, actor: Actor, provider: str, value: str, url: str, session: KeySession, session_only: bool) -> MemberKey:
    """Seal the actor's key for the origin of `url`, replacing an older one.

    `session_only`: a saved key is kept, but not used while this one lasts. Needs the organization's `tenant_tx`. Writes audit events.
    Raises BadRequest (no key, or a URL without https) and EgressRefused.
    """
    secret = secret_create(organization_id=current_organization_id(), value=value, url=url, purpose=PURPOSE, actor_user_id=actor.user_id)
    session_hashes = [session.id_hash] if session_only else ["", session.id_hash]
    _remove(_keys_of_actor(actor, provider, session_hashes), actor.user_id)
    key = MemberKey(membership_id=actor.membership_id, provider=provider, secret=secret)
    if session_only:
        key.session_hash, key.auth_hash, key.expires_at = session.id_hash, session.auth_hash, session.expires_at
    key.save(force_insert=True)
    _audit(key, "member_key.save", actor.user_id)
    return key


def member_key_remove(*, actor: Actor, provider: str, session_id_hash: str) -> int:
    """Remove the actor's saved key and this session's key; return how many there were.

    Needs the organization's `tenant_tx`. Writes audit events.
    """
    return _remove(_keys_of_actor(actor, provider, ["", session_id_hash]), actor.user_id)


def member_keys_of(*, membership_id: UUID, session_id_hash: str, provider: str | None = None) -> list[MemberKey]:
    """Return the member's keys that are valid in this session, with their secrets. One query.

    For each provider, the session's key comes before the saved one.
    """
    of_session = Q(session_hash=session_id_hash, expires_at__gt=Now()) if session_id_hash else Q(pk=None)
    keys = MemberKey.objects.filter(Q(session_hash="") | of_session, membership_id=membership_id)
    if provider is not None:
        keys = keys.filter(provider=provider)
    rows = keys.select_related("secret", "membership__user").order_by("provider", "-session_hash")
    return [key for key in rows if not key.is_session_only or _password_is_unchanged(key)]


def session_keys_end(*, user_id: int, session_id_hash: str) -> int:
    """Remove the keys that were entered for a session, in all organizations of its user; return how many."""
    key_count = 0
    for organization in organizations_of_user(user_id=user_id) if session_id_hash else ():
        with tenant_tx(organization.pk):
            key_count += _remove(MemberKey.objects.filter(session_hash=session_id_hash, membership__user_id=user_id), user_id)
    return key_count


def session_keys_overdue(limit: int = 500) -> list[tuple[UUID, UUID]]:
    """Return (organization id, key id) of keys whose session has expired or no longer exists.

    One query over all sessions, on the system alias.
    """
    alive = Exists(Session.objects.using("system").filter(pk=OuterRef("session_hash"), expire_date__gt=Now()))
    overdue = MemberKey.unscoped.using("system").exclude(session_hash="").filter(~alive | Q(expires_at__lte=Now()))
    return list(overdue.values_list("organization_id", "pk")[:limit])


def session_key_expire(*, key_id: UUID) -> int:
    """Remove a key whose session is over; return how many were removed (0 or 1). Needs the organization's `tenant_tx`."""
    return _remove(MemberKey.objects.filter(pk=key_id).exclude(session_hash=""))


def _keys_of_actor(actor: Actor, provider: str, session_hashes: list[str]) -> QuerySet[MemberKey]:
    return MemberKey.objects.filter(membership_id=actor.membership_id, provider=provider, session_hash__in=session_hashes)


def _password_is_unchanged(key: MemberKey) -> bool:
    return constant_time_compare(key.auth_hash, key.membership.user.get_session_auth_hash())


def _remove(keys: QuerySet[MemberKey], actor_user_id: int | None = None) -> int:
    """Delete the keys' secrets; the rows are deleted with them (cascade)."""
    removed = list(keys)
    for key in removed:
        _audit(key, "member_key.remove", actor_user_id)
        secret_delete(secret_id=key.secret_id, actor_user_id=actor_user_id)
    return len(removed)


def _audit(key: MemberKey, action: str, actor_user_id: int | None) -> None:
    audit(
        organization_id=current_organization_id(),
        actor_user_id=actor_user_id,
        action=action,
        object_kind="member_key",
        object_id=key.pk,
        detail={"provider": key.provider, "session_only": key.is_session_only},
    )
