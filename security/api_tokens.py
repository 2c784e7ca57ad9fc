"""Services that create, list, rotate and revoke a member's API tokens (SPEC 1.5). Authentication by token: tenants.authentication.tokens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from security.audit import audit
from tenants.access import Actor, actor_refresh
from tenants.authentication.tokens import SCOPES, token_digest, token_text_new
from tenants.context import for_acting_member
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.input.networks import networks_read
from tenants.localization.figures import figure
from tenants.models import ApiToken, Organization
from tenants.redis.access_notices import access_notice_send

MAX_LIVE_TOKENS = 50  # per member; revoked tokens don't count
MAX_LIFETIME_DAYS = 3660
MAX_OVERLAP_HOURS = 168
TOKEN_MAX_DAYS_KEY = "token_max_days"  # noqa: S105  a key of Organization.policy


def api_tokens_of(*, actor: Actor) -> QuerySet[ApiToken]:
    """Return the actor's tokens that are not revoked, newest first, including expired ones. Needs the organization's `tenant_tx`."""
    return ApiToken.objects.filter(membership_id=actor.membership_id, revoked_at=None).order_by("-created_at", "-id")


@for_acting_member
def api_token_create(
    *,
    actor: Actor,
    name: str,
    scopes: Collection[str],
    days: int | None,
    networks: Collection[str] = (),
    by_user_id: int | None = None,
) -> tuple[ApiToken, str]:
    """Create a token; return its row and its text, which can't be read again.

    `days`: until it expires; None: never. `networks`: CIDR texts; none: it works from everywhere. `by_user_id`: who makes it, if that is not
    the actor. Writes an audit event. Raises BadRequest.
    """
    valid_scopes = [scope for scope in SCOPES if scope in scopes]
    name = name.replace("\x00", "").strip()
    if not name or len(name) > 60:
        raise BadRequest(gettext("Give the token a name of at most 60 characters."))
    if not valid_scopes or len(valid_scopes) != len(set(scopes)):
        raise BadRequest(gettext("Choose what the token may do: %(scopes)s.") % {"scopes": ", ".join(SCOPES)})
    if days is not None and not 0 < days <= MAX_LIFETIME_DAYS:
        raise BadRequest(
            gettext("A token lasts from 1 to %(max_lifetime_days)s days, or never expires.")
            % {"max_lifetime_days": figure(MAX_LIFETIME_DAYS)}
        )
    allowed = _networks(networks)
    actor_refresh(actor, lock=True)
    _check_lifetime(actor.organization_id, days)
    if api_tokens_of(actor=actor).count() >= MAX_LIVE_TOKENS:
        raise BadRequest(
            gettext("You have %(max_live_tokens)s tokens. Revoke one that you do not use any more.") % {"max_live_tokens": MAX_LIVE_TOKENS}
        )
    return _create_token(actor, name, valid_scopes, days, allowed, by_user_id)


@for_acting_member
def api_token_rotate(*, actor: Actor, token_id: UUID, overlap_hours: int = 24) -> tuple[ApiToken, str]:
    """Create a token like this one; the old one works for `overlap_hours` more, at most until its own end. Returns as `api_token_create`.

    Raises NotFound, BadRequest.
    """
    if not 0 <= overlap_hours <= MAX_OVERLAP_HOURS:
        raise BadRequest(
            gettext("The old token works for 0 to %(max_overlap_hours)s hours more.") % {"max_overlap_hours": MAX_OVERLAP_HOURS}
        )
    actor_refresh(actor, lock=True)
    row = api_tokens_of(actor=actor).select_for_update().filter(pk=token_id).first()
    if row is None:
        raise NotFound
    days = max(1, (row.expires_at - row.created_at).days) if row.expires_at else None
    _check_lifetime(actor.organization_id, days)
    token_and_text = _create_token(actor, row.name, row.scopes, days, row.networks, None)
    if overlap_hours == 0:
        row.revoked_at = timezone.now()
    else:
        end = timezone.now() + timedelta(hours=overlap_hours)
        row.expires_at = min(row.expires_at, end) if row.expires_at else end
    row.save(update_fields=["expires_at", "revoked_at"])
    _audit(actor, row, "api_token.rotate", {"new": str(token_and_text[0].pk), "overlap_hours": overlap_hours})
    return token_and_text


@for_acting_member
def api_token_revoke_of_member(*, actor: Actor, token_id: UUID) -> None:
    """Revoke any member's token, as an owner or admin. Raises NotFound, NotAllowed."""
    if not actor_refresh(actor, lock=True).can_administer:
        raise NotAllowed(gettext("Only owners and admins revoke other members' tokens."))
    row = ApiToken.objects.filter(pk=token_id, revoked_at=None).first()
    if row is None or not ApiToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=Now()):
        raise NotFound
    access_notice_send("token", row.pk)
    _audit(actor, row, "api_token.revoke", {"membership": str(row.membership_id)})


@for_acting_member
def api_token_revoke(*, actor: Actor, token_id: UUID) -> None:
    """Revoke the actor's token at once. Writes an audit event. Raises NotFound."""
    row = api_tokens_of(actor=actor).filter(pk=token_id).first()
    if row is None or not ApiToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=Now()):
        raise NotFound
    access_notice_send("token", row.pk)
    _audit(actor, row, "api_token.revoke", {})


def token_max_days(organization_id: UUID) -> int | None:
    """Return the longest life of a token by the organization's policy, in days; None: any."""
    policy = Organization.objects.values_list("policy", flat=True).get(pk=organization_id) or {}
    days = policy.get(TOKEN_MAX_DAYS_KEY)
    return days if isinstance(days, int) else None


def _check_lifetime(organization_id: UUID, days: int | None) -> None:
    longest = token_max_days(organization_id)
    if longest is not None and (days is None or days > longest):
        raise BadRequest(gettext("Your organization allows tokens for at most %(longest)s days.") % {"longest": figure(longest)})


def _networks(texts: Collection[str]) -> list[str]:
    try:
        return networks_read(texts)
    except ValueError as error:
        raise BadRequest(str(error)) from None


def _create_token(
    actor: Actor, name: str, scopes: Sequence[str], days: int | None, networks: Sequence[str], by_user_id: int | None
) -> tuple[ApiToken, str]:
    text = token_text_new(actor.organization_id)
    row = ApiToken.objects.create(
        membership_id=actor.membership_id,
        name=name,
        digest=token_digest(text),
        last_four=text[-4:],
        scopes=list(scopes),
        networks=list(networks),
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    detail = {"scopes": list(scopes), "days": days, "networks": list(networks)}
    _audit(actor, row, "api_token.create", detail, by_user_id)
    return row, text


def _audit(actor: Actor, row: ApiToken, action: str, detail: dict[str, Any], by_user_id: int | None = None) -> None:
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id if by_user_id is None else by_user_id,
        action=action,
        object_kind="api_token",
        object_id=row.pk,
        detail=detail,
    )
