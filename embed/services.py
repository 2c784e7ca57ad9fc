"""What admins change about embedded chats. All need the organization's `tenant_tx`."""

from __future__ import annotations

import secrets
from typing import Final
from uuid import UUID

from embed.models import EmbedSite
from limits.models import RateLimit, Scope
from security.audit import audit
from security.models import Secret
from security.secrets.secret_text import SecretText
from security.secrets.services import secret_delete, signing_secret_create
from tenants.access import Actor
from tenants.errors import NotFound
from tenants.models import Membership

SECRET_BYTES: Final = 32  # RFC 7518, section 3.2: a key of HS256 has at least 256 bits
PURPOSE: Final = "embedded chat"
VISITOR_LIMITS: Final = {"per_minute": 6, "per_hour": 40, "per_day": 100}


def site_save(site: EmbedSite, *, actor: Actor) -> None:
    """Save an embed. A new one gets a secret, which nobody has seen, and the organization a limit for visitors if it has none."""
    secret_id: UUID | None = site.secret_id
    if secret_id is None:
        site.secret = _secret_new(actor)[0]
        visitors = {"scope": Scope.ROLE, "role": Membership.Role.VISITOR}
        _ = RateLimit.objects.get_or_create(
            **visitors, group=None, membership=None, assistant=None, measure="messages", defaults=VISITOR_LIMITS
        )
    site.save()


def site_secret_renew(*, actor: Actor, site_id: UUID) -> tuple[EmbedSite, SecretText]:
    """Give the embed another secret, and return it; tokens made with the former one are refused at once. Raises NotFound."""
    site = EmbedSite.objects.select_for_update(of=("self",)).filter(pk=site_id).first()
    if site is None:
        raise NotFound
    former_id = site.secret_id
    site.secret, value = _secret_new(actor)
    site.save(update_fields=["secret"])
    secret_delete(secret_id=former_id, actor_user_id=actor.user_id)
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="embedsite.rotate",
        object_kind="embedsite",
        object_id=site.pk,
        object_label=site.name,
    )
    return site, value


def site_delete(site: EmbedSite, *, actor: Actor) -> None:
    """Delete an embed with its secret. Its visitors keep nothing that lets them in; the nightly task deletes them (embed.tasks)."""
    secret_id = site.secret_id
    site.delete()
    secret_delete(secret_id=secret_id, actor_user_id=actor.user_id)


def _secret_new(actor: Actor) -> tuple[Secret, SecretText]:
    value = SecretText(secrets.token_urlsafe(SECRET_BYTES))
    row = signing_secret_create(organization_id=actor.organization_id, value=value, purpose=PURPOSE, actor_user_id=actor.user_id)
    return row, value
