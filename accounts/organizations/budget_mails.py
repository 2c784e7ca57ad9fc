"""Tells owners by mail how much of a budget is spent, at each share that an admin chose (limits.alerts).

Each alert is an event of the audit log as well, which webhooks get.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime
from typing import Final, cast
from uuid import UUID

import structlog
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from accounts.mail.languages import day, reader_language
from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from accounts.members.owners import owners_of
from admin_config.services.currencies import currency_on
from limits.alerts import Alert, alerts_claim, alerts_note
from limits.periods import Period, period_start
from limits.sweeps import budgets_to_alert
from security.audit import audit
from tenants.context import tenant_tx
from tenants.localization.currency import currency_shown
from tenants.localization.figures import allowed_money, figure
from tenants.localization.language import date_in_words
from tenants.models import Organization, User

log = structlog.get_logger(__name__)

MAX_NAMED: Final = 20  # accounts in a mail


def budgets_alert(now: datetime | None = None) -> int:
    """Write the mails that are due to the owners of any organization; return how many. None is written twice."""
    now = now or timezone.now()
    return sum(_try_tell(organization_id, budget_id, now) for organization_id, budget_id in budgets_to_alert(now))


def _try_tell(organization_id: UUID, budget_id: UUID, now: datetime) -> int:
    try:
        return _tell(organization_id, budget_id, now)
    except Exception:  # must not keep owners from hearing of other budgets; the next round tries this one again
        log.exception("budget_alert_failed", organization_id=str(organization_id), budget_id=str(budget_id))
        return 0


def _tell(organization_id: UUID, budget_id: UUID, now: datetime) -> int:
    """Write the mails of a budget, their events, and that owners are told, in one transaction: all of it or nothing.

    Each budget has its own, as the limit on mails to an address counts those that are committed.
    """
    organization = Organization.objects.using("system").get(pk=organization_id)
    with tenant_tx(organization_id, using="auth"):
        owners = owners_of(organization_id)
    mail_count, mailed_alerts = 0, list[Alert]()
    with tenant_tx(organization_id):
        currency = currency_on()
        with currency_shown(lambda: currency):
            for alerts in _by_period(alerts_claim(budget_id, now)):
                count = sum(_write(alerts, owner, organization, now) for owner in owners)
                if owners and not count:  # each has had too many mails within the hour: the next round tries again
                    log.warning("budget_alert_waits", budget_id=str(budget_id))
                    continue
                mail_count += count
                mailed_alerts += alerts
        _record(mailed_alerts)
        alerts_note(mailed_alerts)
    return mail_count


def _by_period(alerts: Sequence[Alert]) -> list[list[Alert]]:
    """Return what one mail tells: of a budget in one period."""
    alerts_by_start: defaultdict[date, list[Alert]] = defaultdict(list)
    for alert in alerts:
        alerts_by_start[alert.account.starts_on].append(alert)
    return list(alerts_by_start.values())


def _record(alerts: Sequence[Alert]) -> None:
    for alert in alerts:
        account, budget = alert.account, alert.account.budget
        audit(
            organization_id=account.organization_id,
            actor_user_id=None,
            action="budget.warn",
            object_kind="budget",
            object_id=budget.pk,
            object_label=str(budget),
            detail={
                "alert_percent": alert.reached,
                "percent": alert.percent,
                "spent_usd": str(account.spent_usd),
                "amount_usd": str(budget.amount_usd),
                "starts_on": str(account.starts_on),
                "holder": alert.who,
            },
        )


def _write(alerts: Sequence[Alert], owner: User, organization: Organization, now: datetime) -> bool:
    with reader_language(owner.email):
        return mail_write(to=owner.email, mail=_mail(alerts, organization, now), organization_id=organization.pk) is not None


def _mail(alerts: Sequence[Alert], organization: Organization, now: datetime) -> Mail:
    budget = alerts[0].account.budget
    highest = max(alerts, key=lambda alert: alert.percent)
    subject = (
        gettext("A budget of %(organization)s is used up")
        if highest.percent >= 100
        else gettext("A budget of %(organization)s has reached %(percent)d %%")
    )
    more = len(alerts) - MAX_NAMED
    rest = ngettext("And %(number)s more, on the budget's page.", "And %(number)s more, on the budget's page.", more)
    return Mail(
        kind="budget",
        subject=subject % {"organization": organization.name, "percent": highest.reached},
        paragraphs=[
            *map(_sentence, alerts[:MAX_NAMED]),
            *([rest % {"number": figure(more)}] if more > 0 else []),
            _outlook(highest, now.date()),
        ],
        button=(gettext("Open the budget"), f"{settings.PUBLIC_URL}/o/{organization.slug}/admin/limits/budget/{budget.pk}/change/"),
    )


def _sentence(alert: Alert) -> str:
    account = alert.account
    params = {
        "who": alert.who,
        "spent": allowed_money(account.spent_usd),
        "amount": allowed_money(account.budget.amount_usd),
        "percent": alert.percent,
        "budget": str(account.budget),
        "period": _period(account.budget.period, account.starts_on),
    }
    if alert.who:
        return gettext("%(who)s has spent %(spent)s of %(amount)s (%(percent)d %%) of the budget “%(budget)s”, %(period)s.") % params
    return gettext("%(spent)s of %(amount)s (%(percent)d %%) is spent of the budget “%(budget)s”, %(period)s.") % params


def _period(period: str, starts_on: date) -> str:
    match period:
        case "day":
            return day(starts_on)
        case "month":
            return date_in_words(starts_on, "F Y")
    return gettext("in total")


def _outlook(alert: Alert, today: date) -> str:
    budget = alert.account.budget
    if alert.account.starts_on != period_start(cast(Period, budget.period), today):
        return gettext("It has begun anew since.")
    match alert.percent >= 100, budget.begins_anew is not None and budget.amount_usd > 0:
        case True, True:
            return gettext("Answers end and messages are refused until it begins anew or somebody raises it.")
        case True, False:
            return gettext("Answers end and messages are refused until somebody raises it.")
        case False, True:
            return gettext("When it is used up, answers end and messages are refused until it begins anew or somebody raises it.")
    return gettext("When it is used up, answers end and messages are refused until somebody raises it.")
