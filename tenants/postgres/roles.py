"""The three database roles (SECURITY 5). Imports nothing of Django's, because the settings build it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DatabaseRoles:
    """app: one organization's rows. system: listed cross-tenant jobs. owner: owns the tables and migrates."""

    app: str
    owner: str
    system: str
