"""Selects the organizations that a management command works on."""

from __future__ import annotations

from django.core.management.base import CommandError

from tenants.models import Organization


def select_organizations(slug: str | None) -> list[Organization]:
    """Return the organization with this slug, or all without one. Raises CommandError when there is no such organization."""
    found = list(Organization.objects.filter(slug=slug) if slug else Organization.objects.order_by("slug"))
    if slug and not found:
        raise CommandError(f"There is no organization {slug}.")
    return found
