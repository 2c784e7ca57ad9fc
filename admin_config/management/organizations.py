"""Selects the organizations that a management command works on."""

from __future__ import annotations

from django.core.management.base import CommandError

from tenants.models import Organization


def select_organizations(slug: str | None) -> list[Organization]:
    """Return the organization with this slug, or all without one. Raises CommandError when there is no such organization."""
    all_organizations = Organization.objects.using("system").order_by("slug")
    organizations = list(all_organizations.filter(slug=slug) if slug else all_organizations)
    if slug and not organizations:
        raise CommandError(f"There is no organization {slug}.")
    return organizations
