"""Admin page of organizations on the operator's site."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse

from admin_config.services.configuration import organization_seed
from tenants.admin import OrganizationsAdmin
from tenants.context import tenant_tx
from tenants.models import Organization


class SeededOrganizationsAdmin(OrganizationsAdmin):
    """Organizations; a new one is seeded with the platform's agents, which are published."""

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Seed after the organization is stored: its agents are rows of the app role, in a transaction of their own."""
        response: HttpResponse = super().add_view(request, form_url, extra_context)
        made: UUID | None = getattr(request, "made_organization_id", None)
        if made is not None:
            with tenant_tx(made, using="default"):
                organization_seed(organization_id=made)
        return response

    def save_model(self, request: HttpRequest, obj: Organization, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not change:
            request.made_organization_id = obj.id  # type: ignore[attr-defined]  # read by add_view
