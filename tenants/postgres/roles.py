"""The three database roles (SECURITY 5). Imports nothing from Django, because the settings build it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DatabaseRoles:
    """The names of the three logins."""

    app: str  # sees one organization's rows
    owner: str  # owns the tables and migrates
    system: str  # for the listed cross-tenant jobs
