"""A member's own provider keys: listing, saving, checking and removing them (SPEC 2.5).

Synchronous functions, to be called inside the organization's `tenant_tx`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_lazy

from admin_config.services.own_keys import KeyDestination, key_destinations, own_keys_allowed, own_keys_check
from agents.runtime.key_lookup import KeySource, key_source, matches_endpoint, select_member_key
from security.audit import audit
from security.models import AuditEvent, MemberKey
from security.secrets.member_keys import KeySession, member_key_remove, member_key_save, member_keys_of
from security.secrets.secret_text import SecretText
from security.secrets.services import secret_open
from tenants.access import Actor, actor_refresh
from tenants.errors import Conflict, NotFound, ParleyError

MAX_CHECKS_PER_MINUTE = 10
CHECK_ACTION = "member_key.check"


class TooManyChecks(ParleyError):
    code = "too_many_checks"
    status = 429
    message = gettext_lazy("Keys can be checked only a few times a minute. Wait a moment and try again.")


@dataclass(frozen=True, slots=True)
class OwnKey:
    """A provider with the actor's own key for it, as the key dialog shows it."""

    provider: str
    place: KeyDestination
    key: MemberKey | None  # the key that a run would use
    source: KeySource | None  # where the key of the next answer comes from

    @property
    def is_stale(self) -> bool:
        """Whether the key was entered for an earlier address of the provider."""
        return self.key is not None and not matches_endpoint(self.key, self.place.endpoint)


@dataclass(frozen=True, slots=True)
class KeyToCheck:
    place: KeyDestination
    value: SecretText


def own_keys(*, actor: Actor, session_id_hash: str) -> list[OwnKey]:
    """Return every provider that accepts keys here, in the usual order. At most four queries."""
    allowed = own_keys_allowed()
    keys = member_keys_of(membership_id=actor.membership_id, session_id_hash=session_id_hash)
    places = key_destinations(organization_id=actor.organization_id)
    return [
        _own_key(provider, place, select_member_key([key for key in keys if key.provider == provider], place.endpoint), allowed=allowed)
        for provider, place in places.items()
    ]


def own_key_save(*, actor: Actor, provider: str, value: str, origin: str, session: KeySession, session_only: bool) -> OwnKey:
    """Save the actor's key for the provider's address.

    `origin`: the address that the actor was shown; empty accepts the current one. Raises OwnKeysNotAllowed, NotFound
    (no such provider here), Conflict (the address has changed), BadRequest, EgressRefused.
    """
    own_keys_check()
    place = _place(actor, provider)
    if origin and origin != place.origin:
        raise Conflict(
            gettext("The address of %(place)s is now %(origin)s. Look at it, and enter your key again.")
            % {"place": place.label, "origin": place.origin}
        )
    key = member_key_save(
        actor=actor, provider=provider, value=value, url=place.endpoint.base_url, session=session, session_only=session_only
    )
    return _own_key(provider, place, key, allowed=True)


def own_key_remove(*, actor: Actor, provider: str, session_id_hash: str) -> None:
    """Remove the actor's saved key and this session's, even where own keys are no longer allowed.

    Raises NotFound when there is none.
    """
    if not member_key_remove(actor=actor, provider=provider, session_id_hash=session_id_hash):
        raise NotFound(gettext("You have no key of your own here."))


def own_key_open(*, actor: Actor, provider: str, session_id_hash: str) -> KeyToCheck:
    """Return the actor's key for a check, which is counted and audited.

    Raises TooManyChecks, OwnKeysNotAllowed, NotFound, Conflict, SecretUnusable.
    """
    own_keys_check()
    place = _place(actor, provider)
    keys = member_keys_of(membership_id=actor.membership_id, session_id_hash=session_id_hash, provider=provider)
    key = select_member_key(keys, place.endpoint)
    if key is None:
        raise NotFound(gettext("You have no key of your own here."))
    if not matches_endpoint(key, place.endpoint):
        raise Conflict(gettext("The address of %(place)s has changed since you entered your key. Enter it again.") % {"place": place.label})
    _count_check(actor, key)
    return KeyToCheck(place, secret_open(key.secret))


def _count_check(actor: Actor, key: MemberKey) -> None:
    """Count and audit one check. Raises TooManyChecks.

    Locks the membership, so that parallel checks are counted one after the other (SECURITY 26).
    """
    actor_refresh(actor, lock=True)
    recent_checks = AuditEvent.objects.filter(action=CHECK_ACTION, actor_user_id=actor.user_id, created_at__gt=Now() - timedelta(minutes=1))
    if recent_checks.count() >= MAX_CHECKS_PER_MINUTE:
        raise TooManyChecks
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=CHECK_ACTION,
        object_kind="member_key",
        object_id=key.pk,
        detail={"provider": key.provider},
    )


def _own_key(provider: str, place: KeyDestination, key: MemberKey | None, *, allowed: bool) -> OwnKey:
    return OwnKey(provider, place, key, key_source(place.endpoint, key if allowed else None))


def _place(actor: Actor, provider: str) -> KeyDestination:
    place = key_destinations(organization_id=actor.organization_id).get(provider)
    if place is None:
        raise NotFound(gettext("This organization has no such provider that takes keys."))
    return place
