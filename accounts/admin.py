"""Registers the pages of accounts on the organization's admin site."""

from __future__ import annotations

from accounts.invitations.admin import InvitationAdmin
from accounts.members.admin import MemberAdmin
from accounts.members.groups_admin import MemberGroupAdmin
from accounts.members.tokens_admin import TokenAdmin
from accounts.models import Invitation
from admin_config.admin.sites import organization_site
from tenants.models import ApiToken, MemberGroup, Membership

organization_site.register(Membership, MemberAdmin)
organization_site.register(Invitation, InvitationAdmin)
organization_site.register(MemberGroup, MemberGroupAdmin)
organization_site.register(ApiToken, TokenAdmin)
