"""The REST call that makes an artifact from a template (docs/protocol.md)."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from asgiref.sync import async_to_sync
from pydantic import StringConstraints

from artifacts.schemas import ArtifactDetail, artifact_detail, artifact_notice
from chat.conversations.lists import conversation_items
from chat.from_templates.services import template_use
from chat.runs.announcements import announce_changed
from gallery.shapes import TemplateValues
from tenants.context import tenant_tx
from tenants.redis.notifications import notify_member
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView


class TemplateUse(TemplateValues):
    """`conversation`: its id; null: a new conversation begins with the artifact."""

    conversation: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None


class UseTemplateView(RestView):
    """Makes an artifact from a template."""

    write = True

    @operation("useTemplate", "Make an artifact from a template", tag="templates", answer=ArtifactDetail, status=201, body=TemplateUse)
    def post(self, request: ActorRequest, template_id: UUID) -> ArtifactDetail:
        body, actor = self.body(TemplateUse), request.actor
        with tenant_tx(actor.organization_id):
            version = template_use(actor=actor, template_id=template_id, values=body.values, conversation_key=body.conversation)
            detail = artifact_detail(version.artifact, versions=[version], latest=version)
            items = conversation_items(actor, [detail.conversation_id]) if body.conversation is None else []
        async_to_sync(notify_member)(actor.membership_id, artifact_notice(version))
        if items:
            async_to_sync(announce_changed)(membership_id=actor.membership_id, items=items)
        return detail
