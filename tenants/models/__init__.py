"""Models of users, organizations and memberships, and the base of every row that belongs to an organization.

Import the models from here; each module holds one group.
"""

from __future__ import annotations

from tenants.authentication.sessions import Session
from tenants.managers import TenantManager, TenantQuerySet
from tenants.models.api import MAX_PATH_CHARS, ApiToken, IdempotentAnswer
from tenants.models.base import OrganizationKey, TenantForeignKey, TenantModel
from tenants.models.groups import GroupMember, MemberGroup
from tenants.models.organizations import MAX_PREFERENCES_CHARS, MAX_SUSPENSION_CHARS, FormerSlug, Membership, Organization
from tenants.models.users import User

__all__ = [
    "MAX_PATH_CHARS",
    "MAX_PREFERENCES_CHARS",
    "MAX_SUSPENSION_CHARS",
    "ApiToken",
    "FormerSlug",
    "GroupMember",
    "IdempotentAnswer",
    "MemberGroup",
    "Membership",
    "Organization",
    "OrganizationKey",
    "Session",
    "TenantForeignKey",
    "TenantManager",
    "TenantModel",
    "TenantQuerySet",
    "User",
]
