"""The owner who may come in directly where an organization asks for its sign-on: each such sign-in is told to the other owners."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext

from accounts.mail.languages import moment, reader_language
from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from accounts.members.owners import owners_of
from security.audit import audit
from tenants.authentication.session_proof import SIGN_ON, is_by_sign_on, is_way_in
from tenants.context import tenant_tx
from tenants.members import organizations_of_user
from tenants.models import Organization, User


def direct_sign_in_notify(request: HttpRequest, user: User, *, address: str, device: str) -> None:
    """Write into the audit log, and mail to the other owners, that somebody has just signed in past an organization's sign-on.

    Written at the sign-in, even if no second factor follows and the organization is never opened: rather too soon than too late.
    """
    for organization in organizations_of_user(user_id=user.pk):
        rule = (organization.policy or {}).get(SIGN_ON)
        if is_way_in(rule, user_id=user.pk, email=user.email) and not is_by_sign_on(request.session, organization.pk):
            _notify(organization, user, address=address, device=device)


def _notify(organization: Organization, user: User, *, address: str, device: str) -> None:
    with tenant_tx(organization.pk, using="auth"):
        audit(
            organization_id=organization.pk,
            actor_user_id=user.pk,
            action="sso.way_in",
            object_kind="user",
            object_id=user.pk,
            object_label=str(user),
        )
        for owner in owners_of(organization.pk):
            if owner.pk != user.pk:
                with reader_language(owner.email):
                    mail = _mail(organization, user, timezone.now(), address=address, device=device)
                    mail_write(to=owner.email, mail=mail, organization_id=organization.pk)


def _mail(organization: Organization, user: User, at: datetime, *, address: str, device: str) -> Mail:
    params = {"user": f"{user} ({user.email})", "organization": organization.name}
    place = ", ".join(filter(None, [moment(at), gettext("from %(address)s") % {"address": address} if address else ""]))
    return Mail(
        kind="way_in",
        subject=gettext("Direct sign-in to %(organization)s") % params,
        paragraphs=[
            gettext(
                "%(user)s signed in directly, although %(organization)s asks for single sign-on. As a way in when it is down, they may."
            )
            % params,
            f"{place} ({device}).",
        ],
        button=(gettext("Open the audit log"), f"{settings.PUBLIC_URL}/o/{organization.slug}/admin/security/auditevent/"),
        closing=[gettext("If you don't know why, ask them, and end their access if it wasn't them.")],
    )
