"""Personal API tokens: their format, and authentication by token.

The text is `parley_` and 48 bytes in base62: 16 bytes of the organization's id, so that row security also protects the lookup, and 32
random bytes. Creating, listing and revoking: security.api_tokens.
"""

from __future__ import annotations

import hashlib
import secrets
import string
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, get_args
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from tenants.access import Actor, raise_if_suspended
from tenants.context import tenant_tx
from tenants.errors import NotSignedIn
from tenants.members import member_use_note
from tenants.models import ApiToken, Membership

Scope = Literal["read", "write", "chat"]
SCOPES: tuple[Scope, ...] = get_args(Scope)

TOKEN_PREFIX = "parley_"  # noqa: S105  a prefix, not a password
SECRET_BYTES = 32
LAST_USED_INTERVAL = timedelta(minutes=1)

_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase
_LENGTH = 65  # base62 digits of 48 bytes
_BYTES = 16 + SECRET_BYTES


@dataclass(frozen=True, slots=True)
class TokenActor:
    """The member whose token a request carries, with the current role, and the token's scopes."""

    token_id: UUID
    actor: Actor
    scopes: frozenset[str]
    networks: tuple[str, ...] = ()  # from which it works; empty: from everywhere


def token_text_new(organization_id: UUID) -> str:
    """Return the text of a new token of this organization."""
    number = int.from_bytes(organization_id.bytes + secrets.token_bytes(SECRET_BYTES))
    digits = []
    for _ in range(_LENGTH):
        number, digit = divmod(number, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return TOKEN_PREFIX + "".join(reversed(digits))


def token_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def bearer_token(authorization: str | None) -> str | None:
    """Return the token in an Authorization header, or None when it holds none of ours."""
    scheme, _, text = (authorization or "").partition(" ")
    return text.strip() if scheme.lower() == "bearer" and text.strip().startswith(TOKEN_PREFIX) else None


def token_organization(text: str) -> UUID:
    """Return the organization that a token names, without checking the token. Raises NotSignedIn when the text is not a token."""
    digits = text.removeprefix(TOKEN_PREFIX)
    if len(digits) != _LENGTH or not set(digits) <= set(_DIGITS):
        raise _invalid_token_error()
    number = 0
    for digit in digits:
        number = number * len(_DIGITS) + _DIGITS.index(digit)
    if number.bit_length() > _BYTES * 8:
        raise _invalid_token_error()
    return UUID(bytes=number.to_bytes(_BYTES)[:16])


def token_actor(authorization: str) -> TokenActor:
    """Return who acts by the token in this Authorization header. One indexed query.

    Raises NotSignedIn when the token is unknown, expired or revoked, or when its user or membership is no longer active; OrganizationSuspended.
    """
    text = bearer_token(authorization)
    if text is None:
        raise _invalid_token_error()
    with tenant_tx(token_organization(text)):
        row = _valid_tokens(ApiToken.objects.select_related("membership__organization")).filter(digest=token_digest(text)).first()
        if row is None:
            raise _invalid_token_error()
        raise_if_suspended(row.membership.organization)
        _touch_last_used(row)
    return TokenActor(row.pk, _actor(row), frozenset(row.scopes), tuple(row.networks))


def tokens_still_valid(token_ids: Collection[UUID]) -> set[UUID]:
    """Return those of these tokens that are still valid. One query across organizations, for `in_db(..., using="system")`."""
    return set(_valid(ApiToken.unscoped.using("system")).filter(pk__in=token_ids).values_list("pk", flat=True))


def _valid(tokens: QuerySet[ApiToken]) -> QuerySet[ApiToken]:
    return _valid_tokens(tokens).filter(membership__organization__is_active=True)


def _valid_tokens(tokens: QuerySet[ApiToken]) -> QuerySet[ApiToken]:
    alive = Q(expires_at=None) | Q(expires_at__gt=Now())
    alive &= Q(revoked_at=None, membership__is_active=True, membership__user__is_active=True)
    return tokens.filter(alive).exclude(membership__role=Membership.Role.VISITOR)


def _touch_last_used(row: ApiToken) -> None:
    """Update the date of last use, at most once a minute: it is shown to people only."""
    if row.last_used_at is None or timezone.now() - row.last_used_at > LAST_USED_INTERVAL:
        ApiToken.objects.filter(pk=row.pk).update(last_used_at=Now())
        member_use_note(row.membership)


def _actor(row: ApiToken) -> Actor:
    membership = row.membership
    return Actor(
        user_id=membership.user_id,
        organization_id=membership.organization_id,
        organization_slug=membership.organization.slug,
        membership_id=membership.pk,
        membership_version=membership.version,
        role=membership.role,
    )


def _invalid_token_error() -> NotSignedIn:
    return NotSignedIn(gettext("This API token is unknown, expired or revoked."))
