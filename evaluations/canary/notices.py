"""The mails that tell owners and admins what became of a canary."""

from __future__ import annotations

from functools import partial

from django.conf import settings
from django.utils.translation import gettext

from accounts.mail.admin_mails import admins_write
from accounts.mail.message import Mail
from admin_config.models import Canary
from admin_config.models.canaries import reason_text
from evaluations.canary.decisions import Decision
from tenants.models import Organization


def notices_write(canary: Canary, decision: Decision, live_number: int) -> int:
    """Write the mails about a decision of the canary's rules; return how many. `live_number`: of the release that a promotion made live."""
    return admins_write(canary.organization_id, f"canary:{canary.pk}:{decision.act}", partial(_mail, canary, decision, live_number))


def new_number_note(stored_number: int, live_number: int) -> list[str]:
    """Return the paragraph that says why a stored release is live under another number; none when it is not."""
    text = gettext("It is release %(number)d with the keys of today, because a key was changed meanwhile.")
    return [text % {"number": stored_number}] if stored_number != live_number else []


def _mail(canary: Canary, decision: Decision, live_number: int, organization: Organization) -> Mail:
    stored_number = canary.release.number
    number = live_number if decision.act == "promote" else stored_number
    values = {"number": number, "organization": organization.name, "base": canary.base.number}
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
        subject=subjects[decision.act] % values,
        paragraphs=[reason_text(decision.reason, decision.values), means[decision.act] % values, *new_number_note(stored_number, number)],
        button=(gettext("Open the canary"), f"{settings.PUBLIC_URL}/o/{organization.slug}/admin/admin_config/canary/{canary.pk}/change/"),
    )
