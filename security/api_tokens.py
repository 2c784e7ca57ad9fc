"""Services that create, list and revoke a member's API tokens (SPEC 1.5). Authentication by token: tenants.tokens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from security.audit import audit
from tenants.access import Actor, actor_refresh
from tenants.errors import BadRequest, NotFound
from tenants.models import ApiToken
from tenants.tokens import SCOPES, token_digest, token_text_new

MAX_LIVE_TOKENS = 50  # per member; revoked tokens don't count
MAX_LIFETIME_DAYS = 3660


def api_tokens_of(*, actor: Actor) -> QuerySet[ApiToken]:
    """Return the actor's tokens that are not revoked, newest first, including expired ones. Needs the organization's `tenant_tx`."""
    return ApiToken.objects.filter(membership_id=actor.membership_id, revoked_at=None).order_by("-created_at", "-id")


def api_token_create(*, actor: Actor, name: str, scopes: Collection[str], days: int | None) -> tuple[ApiToken, str]:
    """Create a token; return its row and its text, which can't be read again.

    `days`: until it expires; None: never. Needs the organization's `tenant_tx`. Writes an audit event. Raises BadRequest.
    """
    wanted = [scope for scope in SCOPES if scope in scopes]
    name = name.replace("\x00", "").strip()
    if not name or len(name) > 60:
        raise BadRequest("Give the token a name of at most 60 characters.")
    if not wanted or len(wanted) != len(set(scopes)):
        raise BadRequest(f"Choose what the token may do: {', '.join(SCOPES)}.")
    if days is not None and not 0 < days <= MAX_LIFETIME_DAYS:
        raise BadRequest(f"A token lasts from 1 to {MAX_LIFETIME_DAYS:,} days, or has no end.")
    actor_refresh(actor, lock=True)
    if api_tokens_of(actor=actor).count() >= MAX_LIVE_TOKENS:
        raise BadRequest(f"You have {MAX_LIVE_TOKENS} tokens. Revoke one that you do not use any more.")
    return _create_token(actor, name, wanted, days)


def api_token_revoke(*, actor: Actor, token_id: UUID) -> None:
    """Revoke the actor's token at once. Needs the organization's `tenant_tx`. Writes an audit event. Raises NotFound."""
    row = api_tokens_of(actor=actor).filter(pk=token_id).first()
    if row is None or not ApiToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=Now()):
        raise NotFound
    _audit(actor, row, "api_token.revoke", {})


def _create_token(actor: Actor, name: str, scopes: Sequence[str], days: int | None) -> tuple[ApiToken, str]:
    text = token_text_new(actor.organization_id)
    row = ApiToken.objects.create(
        membership_id=actor.membership_id,
        name=name,
        digest=token_digest(text),
        last_four=text[-4:],
        scopes=list(scopes),
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    _audit(actor, row, "api_token.create", {"scopes": list(scopes), "days": days})
    return row, text


def _audit(actor: Actor, row: ApiToken, action: str, detail: dict[str, Any]) -> None:
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=action,
        object_kind="api_token",
        object_id=row.pk,
        detail=detail,
    )
