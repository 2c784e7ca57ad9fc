"""Tells owners by mail that a limit or budget refuses again and again: once a day for each limit."""

from __future__ import annotations

from uuid import UUID

import structlog
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext

from accounts.mail.languages import reader_language
from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from accounts.members.owners import owners_of
from limits.violations.reading import Refusals, organizations_with_refusals, repeated_refusals
from tenants.context import tenant_tx
from tenants.localization.figures import figure
from tenants.models import Organization

log = structlog.get_logger(__name__)


def refusals_warn() -> int:
    """Write the mails that are due to the owners of any organization; return how many. None is written twice in a day."""
    return sum(map(_try_warn, organizations_with_refusals()))


def _try_warn(organization_id: UUID) -> int:
    try:
        return _warn(organization_id)
    except Exception:  # must not keep the others' owners from being told; the next round tries this one again
        log.exception("refusals_warning_failed", organization_id=str(organization_id))
        return 0


def _warn(organization_id: UUID) -> int:
    organization = Organization.objects.using("system").get(pk=organization_id)
    with tenant_tx(organization_id):
        repeated = repeated_refusals()
    mail_count = 0
    with tenant_tx(organization_id, using="auth"):
        for owner in owners_of(organization_id) if repeated else ():
            with reader_language(owner.email):
                for refusals in repeated:
                    key = f"refusals:{organization_id}:{refusals.limit}:{timezone.now():%Y-%m-%d}:{owner.pk}"
                    mail_count += (
                        mail_write(to=owner.email, mail=_mail(refusals, organization), key=key, organization_id=organization_id) is not None
                    )
    return mail_count


def _mail(refusals: Refusals, organization: Organization) -> Mail:
    params = {
        "organization": organization.name,
        "limit": refusals.words,
        "count": figure(refusals.count),
        "members": figure(refusals.members),
    }
    return Mail(
        kind="refusals",
        subject=gettext("A limit of %(organization)s refuses again and again") % params,
        paragraphs=[
            gettext("“%(limit)s” refused %(count)s times within an hour. Members who met it: %(members)s.") % params,
            gettext("You hear of each limit at most once a day. How many refusals it takes is in the settings of your organization."),
        ],
        button=(
            gettext("See what was refused"),
            f"{settings.PUBLIC_URL}/o/{organization.slug}/admin/limits/ratelimit/violations/?q={refusals.limit}",
        ),
    )
