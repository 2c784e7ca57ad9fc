"""Reminders that a provider's client secret ends: mails to the owners, and a word on the page. A secret that has ended locks people out."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from accounts.mail.languages import day, reader_language
from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from accounts.members.owners import owners_of
from accounts.models import SignOn
from tenants.context import tenant_tx
from tenants.models import Organization
from tenants.rounds import rows_round

REMIND_DAYS: Final = (1, 7, 30)  # before the end


def today() -> date:
    return timezone.now().date()


def days_left(row: SignOn) -> int | None:
    """Return how many days the client secret is still valid, negative after its end; None if its end is not known."""
    return (row.secret_expires_on - today()).days if row.secret_expires_on else None


def secret_warning(row: SignOn | None) -> str:
    """Return what the page says about the end of the client secret; empty while it is far away."""
    left = days_left(row) if row else None
    if left is None or left > REMIND_DAYS[-1]:
        return ""
    if left < 0:
        return gettext("The client secret has expired, so nobody can sign in by this provider. Make a new one there and enter it here.")
    if left < 2:
        when = gettext("tomorrow") if left else gettext("today")
    else:
        when = ngettext("in %(left)s day", "in %(left)s days", left) % {"left": left}
    return gettext("The client secret expires %(when)s. Make a new one at the provider and enter it here, with its end.") % {"when": when}


def secrets_remind() -> int:
    """Write the mails that are due to the owners; return how many. One that was missed is made up for, and none is written twice."""
    due = _rows_due().order_by("organization_id").values("organization_id", sign_on_id=F("pk"))
    return rows_round(_remind, list(due), failure="secret_not_reminded")


def _rows_due() -> QuerySet[SignOn]:
    last = today() + timedelta(days=REMIND_DAYS[-1])
    rows = SignOn.unscoped.using("system").filter(is_enabled=True, secret_expires_on__gte=today(), secret_expires_on__lte=last)
    return rows.filter(organization__is_active=True)


def _remind(organization_id: UUID, sign_on_id: UUID) -> int:
    row = _rows_due().filter(organization_id=organization_id, pk=sign_on_id).first()
    if row is None:  # changed meanwhile
        return 0
    left = days_left(row)
    assert left is not None  # the query asks for it
    step = next(days for days in REMIND_DAYS if left <= days)
    organization = Organization.objects.using("system").get(pk=organization_id)
    mail_count = 0
    with tenant_tx(organization.pk, using="auth"):
        for owner in owners_of(organization.pk):
            with reader_language(owner.email):
                key = f"sign-on-secret:{row.pk}:{row.secret_expires_on}:{step}:{owner.pk}"
                mail_count += (
                    mail_write(to=owner.email, mail=_mail(row, organization), key=key, organization_id=organization.pk) is not None
                )
    return mail_count


def _mail(row: SignOn, organization: Organization) -> Mail:
    assert row.secret_expires_on is not None
    params = {"organization": organization.name, "provider": str(row), "day": day(row.secret_expires_on)}
    return Mail(
        kind="sign_on_secret",
        subject=gettext("The sign-on of %(organization)s ends on %(day)s") % params,
        paragraphs=[
            gettext("The client secret of %(provider)s expires on %(day)s. After that nobody signs in to %(organization)s by it.") % params,
            gettext("Create a new secret at the provider, and enter it with its end on the page of single sign-on."),
        ],
        button=(gettext("Open single sign-on"), f"{settings.PUBLIC_URL}/o/{organization.slug}/admin/accounts/signon/"),
    )
