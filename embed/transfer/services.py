"""The move of a visitor's conversations with their documents and files. Each is one transaction; answers under way go on.

Only `conversations_hand_over` knows what a conversation consists of. Nothing leaves the organization: both sides are rows of its own.
"""

from __future__ import annotations

from uuid import UUID

from chat.conversations.ownership import conversations_hand_over
from chat.models import Conversation
from chat.storage.cancel_waiting import cancel_waiting_runs
from embed.models import EmbedSite, EmbedVisitor
from embed.visitors.services import visitor_by_token
from security.audit import audit
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import NotAllowed


def transfer_to_visitor(stranger_token: str, to: EmbedVisitor) -> None:
    """Give what this browser's stranger wrote in the same embed to the visitor whom the page has signed in."""
    site = to.site
    assert site.organization_id is not None  # the type stubs call a column with a default nullable
    with tenant_tx(site.organization_id):
        stranger = visitor_by_token(site, stranger_token, lock=True)  # nobody forgets them, and what they wrote, meanwhile
        if stranger is not None and stranger.pk != to.pk:
            _ = _move(site, stranger, to=to.membership_id, actor_user_id=to.membership.user_id)


def transfer_to_member(visitor: EmbedVisitor, *, site: EmbedSite, actor: Actor) -> list[UUID]:
    """Give the visitor's conversations to a member. Return their ids, newest first; none when there is nothing.

    What waits for the page around the chat is ended, as no other page can do it. Needs the organization's `tenant_tx`. Raises NotAllowed for
    a member who may not write.
    """
    if not actor.can_write:
        raise NotAllowed
    ids = _move(site, visitor, to=actor.membership_id, actor_user_id=actor.user_id)
    cancel_waiting_runs(ids)
    return ids


def _move(site: EmbedSite, visitor: EmbedVisitor, *, to: UUID, actor_user_id: int) -> list[UUID]:
    own = Conversation.objects.filter(owner_id=visitor.membership_id, deleted_at=None, expires_at=None)
    rows = own.select_for_update(of=("self",)).order_by("pk")  # as `conversations_hand_over` locks them
    ids = [pk for _, pk in sorted(rows.values_list("updated_at", "pk"), reverse=True)]
    if ids:
        assert site.organization_id is not None  # the type stubs call a column with a default nullable
        conversations_hand_over(visitor.membership_id, to)
        audit(
            organization_id=site.organization_id,
            actor_user_id=actor_user_id,
            action="conversation.take_over",
            object_kind="embedsite",
            object_id=site.pk,
            object_label=site.name,
            detail={"conversations": len(ids), "from": str(visitor.membership_id), "to": str(to)},
        )
    return ids
