"""Which roles a role may give and take."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from tenants.models import Membership

Role = Membership.Role

# Never more rights than one's own; only owners make and unmake owners.
GRANTABLE_ROLES: dict[str, tuple[str, ...]] = {
    Role.OWNER: (Role.OWNER, Role.ADMIN, Role.AUDITOR, Role.MEMBER, Role.VIEWER),
    Role.ADMIN: (Role.ADMIN, Role.AUDITOR, Role.MEMBER, Role.VIEWER),
}
ROLE_TEXTS: dict[str, Promise] = {
    Role.OWNER: gettext_lazy("Everything, also making owners, transfer and deletion of the organization."),
    Role.ADMIN: gettext_lazy("Manages agents, keys, members and settings."),
    Role.AUDITOR: gettext_lazy("Reads runs, usage and the audit log; changes nothing and writes no messages."),
    Role.MEMBER: gettext_lazy("Chats, and makes documents and files."),
    Role.VIEWER: gettext_lazy("Reads; writes no messages."),
}


def grantable_roles(role: str) -> tuple[str, ...]:
    return GRANTABLE_ROLES.get(role, ())
