"""The chat page."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from chat.api.boot import boot_data
from security.csp import PERMISSIONS_WITH_MICROPHONE
from tenants.rest.http import OrganizationRequest, organization_view


@require_GET
@organization_view(scope="session")
def chat_page(
    request: OrganizationRequest,
    conversation_id: UUID | None = None,
    project_id: UUID | None = None,
    template_id: UUID | None = None,
    share_id: UUID | None = None,
) -> HttpResponse:
    """Render the application's shell. The page fetches the rest itself. It alone may use the microphone, to write by voice."""
    boot = boot_data(request, conversation_id=conversation_id)
    response = render(request, "chat/app.html", {"boot": boot.model_dump(mode="json", by_alias=True)})
    response["Permissions-Policy"] = PERMISSIONS_WITH_MICROPHONE
    return response
