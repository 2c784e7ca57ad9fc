"""REST view of the marks in the switcher of organizations."""

from __future__ import annotations

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

    @operation("listUnreadOrganizations", "Which of your organizations have unread answers", tag="organizations", answer=UnreadOrganizations)
    def get(self, request: ActorRequest) -> UnreadOrganizations:
        own = Membership.objects.filter(user_id=request.actor.user_id, is_active=True, organization__is_active=True)
        slugs = {pk: slug for pk, slug in own.values_list("pk", "organization__slug")}
        return UnreadOrganizations(slugs=sorted(slugs[pk] for pk in unread_owners(list(own.values_list("organization_id", "pk")))))


def unread_owners(memberships: list[tuple[object, object]]) -> set[object]:
    """Return those of these memberships (with their organizations) that own a conversation with an answer that they have not seen."""
    ended = Run.unscoped.using("system").filter(
        organization_id=OuterRef("organization_id"), conversation_id=OuterRef("pk"), finished_at__gt=OuterRef("seen_at")
    )
    conversations = Conversation.unscoped.using("system").filter(
        organization_id__in=[organization for organization, _ in memberships],
        owner_id__in=[membership for _, membership in memberships],
        deleted_at=None,
        listed=True,
    )
    return set(conversations.filter(Exists(ended)).values_list("owner_id", flat=True).distinct())
