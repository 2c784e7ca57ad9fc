"""Registers the pages of accounts on both admin sites."""

from __future__ import annotations

from accounts.invitations.admin import InvitationAdmin
from accounts.mail.admin import MailBoxAdmin
from accounts.members.admin import MemberAdmin
from accounts.members.groups_admin import MemberGroupAdmin
from accounts.members.tokens_admin import TokenAdmin
from accounts.models import Invitation, OutgoingMail, SignOn
from accounts.organizations.admin import OrganizationPage
from accounts.organizations.operator_admin import SeededOrganizationsAdmin
from accounts.sso.admin import SignOnPage
from admin_config.admin.sites import operator_site, organization_site
from tenants.models import ApiToken, MemberGroup, Membership, Organization

organization_site.register(Membership, MemberAdmin)
organization_site.register(Invitation, InvitationAdmin)
organization_site.register(MemberGroup, MemberGroupAdmin)
organization_site.register(ApiToken, TokenAdmin)
organization_site.register(Organization, OrganizationPage)
organization_site.register(SignOn, SignOnPage)
operator_site.register(Organization, SeededOrganizationsAdmin)
operator_site.register(OutgoingMail, MailBoxAdmin)
