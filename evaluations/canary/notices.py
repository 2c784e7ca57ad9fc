"""The mails that tell owners and admins what became of a canary. Each is written once, by its key."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext

from accounts.mail.languages import reader_language
from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from admin_config.models import Canary
from evaluations.canary.decisions import Decision
from tenants.access import ADMIN_ROLES
from tenants.context import tenant_tx
from tenants.models import Membership, Organization


def notices_write(canary: Canary, decision: Decision) -> int:
    """Write the mails about a decision of the canary's rules; return how many."""
    organization = Organization.objects.using("system").get(pk=canary.organization_id)
    written = 0
    with tenant_tx(organization.pk, using="auth"):
        admins = Membership.objects.filter(organization_id=organization.pk, role__in=ADMIN_ROLES, is_active=True, user__is_active=True)
        for member in admins.filter(user__is_service_account=False).select_related("user"):
            with reader_language(member.user.email):
                key = f"canary:{canary.pk}:{decision.act}:{member.user_id}"
                mail = _mail(canary, decision, organization)
                written += mail_write(to=member.user.email, mail=mail, key=key, organization_id=organization.pk) is not None
    return written


def _mail(canary: Canary, decision: Decision, organization: Organization) -> Mail:
    named = {"number": canary.release.number, "organization": organization.name, "base": canary.base.number}
    subjects = {
        "take_back": gettext("Release %(number)d of %(organization)s was taken back"),
        "promote": gettext("Release %(number)d of %(organization)s is live for everyone"),
        "ask": gettext("Release %(number)d of %(organization)s waits for you"),
    }
    means = {
        "take_back": gettext("All members are on release %(base)d again. What was changed is still in the draft."),
        "promote": gettext("The rules of the canary promoted it."),
        "ask": gettext("Promote it or take it back. Until then some members have it and all others don't."),
    }
    return Mail(
        kind="canary",
        subject=subjects[decision.act] % named,
        paragraphs=[decision.reason, means[decision.act] % named],
        button=(gettext("Open the canary"), f"{settings.PUBLIC_URL}/o/{organization.slug}/admin/admin_config/canary/{canary.pk}/change/"),
    )
