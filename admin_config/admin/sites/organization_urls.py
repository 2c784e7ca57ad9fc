"""URLconf below `/o/<slug>/` while admin_config.admin.sites.mount runs the organization's admin."""

from __future__ import annotations

from django.urls import path

from admin_config.admin.sites.organization import organization_site

urlpatterns = [path("admin/", organization_site.urls)]
