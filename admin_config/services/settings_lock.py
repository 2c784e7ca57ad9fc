"""The lock that whoever writes an organization's configuration holds."""

from __future__ import annotations

from uuid import UUID

from admin_config.models import AppSettings


def settings_lock(organization_id: UUID) -> AppSettings:
    """Return the organization's settings, locked so that one publication or discard runs at a time."""
    return AppSettings.objects.select_for_update().get(organization_id=organization_id)
