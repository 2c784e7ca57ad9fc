"""The four database roles (SECURITY 5). Imports nothing from Django, because the settings build it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DatabaseRoles:
    """The names of the four logins."""

    app: str  # sees one organization's rows, and no passwords or sessions
    auth: str  # signs people in, and changes users, memberships and organizations
    owner: str  # owns the tables and migrates
    system: str  # for the listed cross-tenant jobs
