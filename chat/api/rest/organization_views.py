"""REST view of the marks in the switcher of organizations."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Exists, OuterRef

from chat.models import Conversation, Run
from tenants.models import Membership
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView


class UnreadOrganizations(ResponseSchema):
    """Addresses of the user's organizations in which an answer has ended that they have not seen."""

    slugs: list[str]


class UnreadOrganizationsView(RestView):
    scope = "session"

    @operation(
        "listUnreadOrganizations", "Which of your organizations have unread answers", tag="organizations", answer=UnreadOrganizations
    )
    def get(self, request: ActorRequest) -> UnreadOrganizations:
        own = Membership.objects.using("auth").filter(user_id=request.actor.user_id, is_active=True, organization__is_active=True)
        memberships = list(own.select_related("organization"))
        owner_ids = unread_owners(memberships)
        return UnreadOrganizations(slugs=sorted(row.organization.slug for row in memberships if row.pk in owner_ids))


def unread_owners(memberships: Sequence[Membership]) -> set[UUID]:
    """Return the ids of those that own a conversation with an answer that they have not seen. One query across organizations."""
    unseen_runs = Run.unscoped.using("system").filter(
        organization_id=OuterRef("organization_id"), conversation_id=OuterRef("pk"), finished_at__gt=OuterRef("seen_at")
    )
    conversations = Conversation.unscoped.using("system").filter(
        organization_id__in=[row.organization_id for row in memberships],
        owner_id__in=[row.pk for row in memberships],
        deleted_at=None,
        listed=True,
    )
    return set(conversations.filter(Exists(unseen_runs)).values_list("owner_id", flat=True).distinct())
