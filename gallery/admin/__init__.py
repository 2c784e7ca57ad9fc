"""Admin pages of templates, on an organization's site: what waits for review, what is published, and the organization's own."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from admin_config.admin.sites import organization_site
from gallery.admin.pages import TemplateAdmin
from gallery.models import Template
from gallery.reviews import templates_waiting


def waiting_count(request: HttpRequest) -> int:
    return templates_waiting().count()


def overview_part(request: HttpRequest) -> dict[str, Any]:
    return {"templates_waiting": waiting_count(request)}


organization_site.register(Template, TemplateAdmin)
organization_site.overview_parts.append(overview_part)
organization_site.badges["gallery_template_changelist"] = waiting_count
