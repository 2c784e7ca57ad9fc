"""Services that find and make visitors. Each is a membership with the role visitor, of a user without password or address."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

from django.utils import timezone
from django.utils.translation import gettext

from chat.models import Conversation
from embed.host.tokens import HostClaims
from embed.models import EmbedSite, EmbedVisitor
from tenants.context import identity_tx, tenant_tx
from tenants.errors import NotAllowed
from tenants.models import Membership, User

DOMAIN: Final = "visitor.invalid"  # RFC 2606: no mail can ever arrive there, so nobody can prove to own an address
TOKEN_BYTES: Final = 32
SEEN_INTERVAL: Final = timedelta(hours=1)
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class Arrival:
    """A visitor who begins a session. `token`: the new visitor's own, which is shown once; blank for others."""

    visitor: EmbedVisitor
    token: str = ""


def arrive_by_host(site: EmbedSite, claims: HostClaims) -> Arrival:
    """Return the visitor whom the host site signed in, new or known, with the name that the site gives now."""
    visitor = _find_or_make(site, name=claims.name or "Visitor", subject=claims.subject)
    if claims.name and visitor.membership.user.name != claims.name:
        with identity_tx(_organization_id(site), acting_user_id=None):
            User.objects.filter(pk=visitor.membership.user_id).update(name=claims.name)
    return Arrival(visitor)


def arrive_by_token(site: EmbedSite, token: str) -> Arrival:
    """Return the visitor with this token, or a new one with a new token when nobody has it. Raises NotAllowed."""
    if not site.anonymous_allowed:
        raise NotAllowed(gettext("This chat is only for visitors whom the page has signed in."))
    with tenant_tx(_organization_id(site)):
        visitor = visitor_by_token(site, token)
    if visitor is not None:
        return Arrival(visitor)
    new = secrets.token_urlsafe(TOKEN_BYTES)
    digest = _digest(new)
    return Arrival(_find_or_make(site, name=f"Visitor {digest[:4]}", digest=digest), new)


def visitor_by_token(site: EmbedSite, token: str, *, lock: bool = False) -> EmbedVisitor | None:
    """Return the visitor without an account whose token this is. Needs the organization's `tenant_tx`."""
    return _find(site, digest=_digest(token), lock=lock) if _TOKEN.fullmatch(token) else None


def latest_conversation_id(visitor: EmbedVisitor) -> UUID | None:
    """Return the conversation that the visitor goes on with, and note the visit."""
    with tenant_tx(_organization_id(visitor.site)):
        if timezone.now() - visitor.last_seen_at > SEEN_INTERVAL:
            EmbedVisitor.objects.filter(pk=visitor.pk).update(last_seen_at=timezone.now())
        own = Conversation.objects.filter(owner_id=visitor.membership_id, deleted_at=None, archived_at=None, listed=True)
        return own.order_by("-updated_at", "-id").values_list("id", flat=True).first()


def _find_or_make(site: EmbedSite, *, name: str, subject: str = "", digest: str = "") -> EmbedVisitor:
    """The site's lock lets one visitor of two requests be made once. The membership is another role's to write, so it is committed first."""
    organization_id = _organization_id(site)
    with tenant_tx(organization_id):
        if (visitor := _find(site, subject=subject, digest=digest)) is not None:
            return visitor
        _ = EmbedSite.objects.select_for_update(of=("self",), no_key=True).get(pk=site.pk)
        if (visitor := _find(site, subject=subject, digest=digest)) is not None:
            return visitor
        member = _member_make(organization_id, name)
        return EmbedVisitor.objects.create(site=site, membership=member, subject=subject, digest=digest, last_seen_at=timezone.now())


def _member_make(organization_id: UUID, name: str) -> Membership:
    with identity_tx(organization_id, acting_user_id=None):
        user = User.objects.create_user(f"{uuid4().hex}@{DOMAIN}", None, name=name, is_service_account=True)
        return Membership.objects.create(organization_id=organization_id, user=user, role=Membership.Role.VISITOR)


def _find(site: EmbedSite, *, subject: str = "", digest: str = "", lock: bool = False) -> EmbedVisitor | None:
    rows = EmbedVisitor.objects.select_related("membership__user", "site")
    if lock:
        rows = rows.select_for_update(of=("self",))
    return rows.filter(site=site, subject=subject, digest=digest, membership__is_active=True).first()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _organization_id(site: EmbedSite) -> UUID:
    assert site.organization_id is not None  # the type stubs call a column with a default nullable
    return site.organization_id
