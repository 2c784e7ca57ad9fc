"""Admin page of organizations on the operator's site."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from admin_config.services.configuration import organization_seed
from tenants.admin import OrganizationsAdmin
from tenants.context import tenant_tx
from tenants.models import Organization


class SeededOrganizationsAdmin(OrganizationsAdmin):
    """Organizations; a new one is seeded with the platform's agents, which are published."""

    def save_model(self, request: HttpRequest, obj: Organization, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not change:
            with tenant_tx(obj.id):
                organization_seed(organization_id=obj.id)
