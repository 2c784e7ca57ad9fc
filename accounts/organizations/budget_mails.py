"""Tells owners by mail that a budget goes to its end, once in each of its periods: of a budget for each of many, of the first.

Each warning is an event of the audit log as well, which webhooks get.
"""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext

from accounts.mail.languages import reader_language
from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from accounts.members.owners import owners_of
from admin_config.services.currencies import currency_on
from limits.models import BudgetAccount
from limits.spending import accounts_near_end, holder_names, share_percent
from limits.sweeps import organizations_to_warn
from security.audit import audit
from tenants.context import tenant_tx
from tenants.localization.currency import currency_shown
from tenants.localization.figures import allowed_money
from tenants.models import Organization


def budgets_warn() -> int:
    """Write the mails that are due to the owners of any organization; return how many. None is written twice."""
    return sum(map(_warn, organizations_to_warn()))


def _warn(organization_id: UUID) -> int:
    organization = Organization.objects.using("system").get(pk=organization_id)
    with tenant_tx(organization_id):
        accounts = list(accounts_near_end().filter(warned_at=None))
        first = {account.budget_id: account for account in reversed(accounts)}.values()  # the one with the most spent
        mails, currency = [(account, _holder(account)) for account in first], currency_on()
    with currency_shown(lambda: currency):
        written = sum(_mails_write(account, who, organization) for account, who in mails)
    with tenant_tx(organization_id):  # after the mails, whose keys keep them from being written again
        for account, _ in mails:
            _note(account)
        BudgetAccount.objects.filter(pk__in=[account.pk for account in accounts]).update(warned_at=timezone.now())
    return written


def _note(account: BudgetAccount) -> None:
    budget = account.budget
    audit(
        organization_id=account.organization_id,
        actor_user_id=None,
        action="budget.warn",
        object_kind="budget",
        object_id=budget.pk,
        object_label=str(budget),
        detail={
            "percent": share_percent(account.spent_usd, budget.amount_usd),
            "spent_usd": str(account.spent_usd),
            "amount_usd": str(budget.amount_usd),
            "starts_on": str(account.starts_on),
        },
    )


def _holder(account: BudgetAccount) -> str:
    """Return whose account it is, if the budget has several."""
    return "" if account.budget.is_for_one else holder_names(account.budget, [account.subject_id]).get(account.subject_id, "")


def _mails_write(account: BudgetAccount, who: str, organization: Organization) -> int:
    written = 0
    with tenant_tx(organization.pk, using="auth"):
        for owner in owners_of(organization.pk):
            with reader_language(owner.email):
                key = f"budget:{account.budget_id}:{account.starts_on}:{owner.pk}"
                mail = _mail(account, who, organization)
                written += mail_write(to=owner.email, mail=mail, key=key, organization_id=organization.pk) is not None
    return written


def _mail(account: BudgetAccount, who: str, organization: Organization) -> Mail:
    budget = account.budget
    named = {
        "organization": organization.name,
        "budget": str(budget),
        "percent": share_percent(account.spent_usd, budget.amount_usd),
        "spent": allowed_money(account.spent_usd),
        "amount": allowed_money(budget.amount_usd),
        "who": who,
    }
    return Mail(
        kind="budget",
        subject=gettext("A budget of %(organization)s is %(percent)d %% spent") % named,
        paragraphs=[
            _sentence(who) % named,
            gettext("When it is used up, answers end and messages are refused until it begins anew or somebody raises it."),
        ],
        button=(gettext("Open the budget"), f"{settings.PUBLIC_URL}/o/{organization.slug}/admin/limits/budget/{budget.pk}/change/"),
    )


def _sentence(who: str) -> str:
    if who:
        return gettext("%(who)s has spent %(spent)s of %(amount)s of the budget “%(budget)s”.")
    return gettext("%(spent)s of %(amount)s is spent of the budget “%(budget)s”.")
