"""Mails to the owners and admins of an organization, each in its reader's language."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from accounts.mail.languages import reader_language
from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from tenants.access import ADMIN_ROLES
from tenants.context import tenant_tx
from tenants.models import Membership, Organization


def admins_write(organization_id: UUID, key: str, mail_about: Callable[[Organization], Mail]) -> int:
    """Write to the owners and admins; return how many mails. `key` names the matter: each of them gets one mail about it.

    `mail_about` is called once for each reader, with that reader's language active.
    """
    organization = Organization.objects.using("system").get(pk=organization_id)
    mail_count = 0
    with tenant_tx(organization.pk, using="auth"):
        admins = Membership.objects.filter(organization_id=organization.pk, role__in=ADMIN_ROLES, is_active=True, user__is_active=True)
        for member in admins.filter(user__is_service_account=False).select_related("user"):
            with reader_language(member.user.email):
                mail = mail_about(organization)
                mail_count += (
                    mail_write(to=member.user.email, mail=mail, key=f"{key}:{member.user_id}", organization_id=organization.pk) is not None
                )
    return mail_count
