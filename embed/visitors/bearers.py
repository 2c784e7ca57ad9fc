"""The bearer of a visitor: 15 minutes for one embed, sent in a header or in the first frame of a socket, and never in an address."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.core import signing
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from embed.keys import site_ids, site_key
from embed.models import EmbedSite, EmbedVisitor
from tenants.access import Actor, actor_from_membership
from tenants.context import tenant_tx
from tenants.errors import NotSignedIn, ParleyError
from tenants.request_context import note_actor

LIFE_S: Final = 15 * 60
MAX_CHARS: Final = 500
SCHEME: Final = "bearer"


class BearerRefused(NotSignedIn):
    """The frame of the chat begins a new session."""

    code = "bearer_refused"
    message = gettext_lazy("This chat's session has ended. Reload the page.")


class TooManyVisits(ParleyError):
    code = "too_many_visits"
    status = 429
    message = gettext_lazy("Too many chats were opened from your network. Try again in a minute.")


@dataclass(frozen=True, slots=True)
class Visit:
    """A visitor who is let in, with the embed."""

    actor: Actor
    site: EmbedSite
    ends_at: int  # seconds since 1970


def bearer_new(visitor: EmbedVisitor) -> str:
    return signing.dumps({"visitor": visitor.pk.hex, "ends": int(time.time()) + LIFE_S}, salt=_salt(site_key(visitor.site)))


def visit_by_bearer(bearer: str, key: str) -> Visit:
    """Return who has this bearer for the embed with this key. One query. Raises BearerRefused, and NotFound for a text that is no key."""
    organization_id, site_id = site_ids(key)
    visitor_id, ends_at = _open(bearer, key)
    with tenant_tx(organization_id):
        rows = EmbedVisitor.objects.select_related("membership__organization", "site")
        visitor = rows.filter(
            pk=visitor_id,
            site_id=site_id,
            site__is_active=True,
            membership__is_active=True,
            membership__user__is_active=True,
            membership__organization__is_active=True,
        ).first()
    if visitor is None:
        raise BearerRefused
    actor = actor_from_membership(visitor.membership)
    note_actor(actor.organization_id, actor.user_id)
    return Visit(actor, visitor.site, ends_at)


def request_visit(request: HttpRequest, key: str) -> Visit:
    """Return who makes the request, by its header alone: cookies count for nothing here. Raises BearerRefused, NotFound."""
    scheme, _, bearer = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != SCHEME:
        raise BearerRefused
    return visit_by_bearer(bearer.strip(), key)


def _open(bearer: str, key: str) -> tuple[UUID, int]:
    """Return the visitor's id and when the bearer ends. One for another embed has another salt."""
    if len(bearer) > MAX_CHARS:
        raise BearerRefused
    try:
        content: Any = signing.loads(bearer, salt=_salt(key), max_age=LIFE_S)
    except signing.BadSignature:
        raise BearerRefused from None
    return UUID(content["visitor"]), int(content["ends"])


def _salt(key: str) -> str:
    return f"embed.bearer.{key}"
