"""The chat page and the data that it starts with (docs/protocol.md, element `boot`)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from admin_config.defaults.platform import PROVIDERS, is_demo
from admin_config.errors import RunConfigError
from admin_config.release import ReleaseSnapshot
from admin_config.services.github_endpoints import github_source
from admin_config.services.selectors import live_release
from files.kinds import MAX_FILE_BYTES, MAX_MESSAGE_BYTES, MAX_MESSAGE_FILES
from tenants.context import tenant_tx
from tenants.models import Membership
from tenants.rest.http import OrganizationRequest, organization_view

WELCOME = {
    "title": "What shall we work on?",
    "prompts": [
        {"title": "Write a document", "text": "Write a document about the history of tea, with a short table of the main kinds."},
        {"title": "Explain something", "text": "Explain how a database index works, with a small example in SQL."},
        {"title": "Compare options", "text": "Compare three ways to store passwords in a table, and say which one to choose."},
        {"title": "Draft a letter", "text": "Draft a friendly letter that asks a supplier for a better delivery date."},
    ],
}


def boot_data(request: OrganizationRequest, *, conversation_id: UUID | None) -> dict[str, Any]:
    """Return the JSON of the page's `boot` element (docs/protocol.md)."""
    actor = request.actor
    memberships = list(
        Membership.objects.filter(user_id=actor.user_id, organization__is_active=True)
        .select_related("organization", "user")
        .order_by("organization__name")
    )
    own = next(membership for membership in memberships if membership.pk == actor.membership_id)
    base = f"/o/{actor.organization_slug}"
    return {
        "organization": {"slug": own.organization.slug, "name": own.organization.name},
        "organizations": [{"slug": m.organization.slug, "name": m.organization.name} for m in memberships],
        "user": {"name": own.user.name or own.user.email, "email": own.user.email},
        "role": actor.role,
        "csrfToken": get_token(request),
        "api": f"{base}/api",
        "socketUrl": f"{base}/ws/chat/",
        "notifyUrl": f"{base}/ws/notify/",
        "adminUrl": f"{base}/admin/" if actor.can_administer else None,
        "logoutUrl": reverse("logout"),
        **_provider_data(actor.organization_id),
        "welcome": WELCOME,
        "files": {"maxFiles": MAX_MESSAGE_FILES, "maxBytes": MAX_FILE_BYTES, "maxMessageBytes": MAX_MESSAGE_BYTES},
        "conversationId": str(conversation_id) if conversation_id else None,
    }


def _provider_data(organization_id: UUID) -> dict[str, Any]:
    """Return `provider`, `models` and `usesGithub` (whether files of repositories can be attached).

    They are empty while the organization's configuration is incomplete.
    """
    try:
        with tenant_tx(organization_id):
            snapshot = live_release(organization_id=organization_id).snapshot
        default_id = snapshot.chat_model(None)[1].id
    except RunConfigError:
        return {"provider": None, "models": [], "usesGithub": False}
    name = snapshot.active_provider
    return {
        "provider": {"name": name, "label": PROVIDERS[name].label, "isDemo": is_demo(name)},
        "models": _models(snapshot, default_id),
        "usesGithub": github_source(snapshot) is not None,
    }


def _models(snapshot: ReleaseSnapshot, default_id: UUID) -> list[dict[str, Any]]:
    return [
        {
            "id": str(model.id),
            "name": model.display_name,
            "provider": model.provider,
            "providerLabel": PROVIDERS[model.provider].label,
            "supportsThinking": model.supports_thinking,
            "isDefault": model.id == default_id,
        }
        for model in snapshot.models_offered()
    ]


@require_GET
@organization_view(scope="session")
def chat_page(request: OrganizationRequest, conversation_id: UUID | None = None) -> HttpResponse:
    """Render the application's shell. The page fetches the conversation itself."""
    return render(request, "chat/app.html", {"boot": boot_data(request, conversation_id=conversation_id)})
