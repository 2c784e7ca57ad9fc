"""What the sign-on's page shows besides its forms."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import redis
from django.db.models import Count, Q, Sum
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, ngettext

from accounts.models import SignOn, SignOnDomain, SignOnIdentity
from accounts.sso.domains import record_name, record_value
from accounts.sso.forms import RequireForm
from accounts.sso.metadata import cached_metadata, keys_count
from accounts.sso.trial import is_tested
from security.models import AuditEvent
from tenants.models import Membership

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

WEEK = timedelta(days=7)
STEPS = (
    gettext_lazy("Identity provider"),
    gettext_lazy("Domains"),
    gettext_lazy("Roles and groups"),
    gettext_lazy("Test"),
    gettext_lazy("Require it"),
)


@dataclass(frozen=True)
class Step:
    """A step of the set-up, as the head of the page shows it."""

    number: int
    name: StrOrPromise
    state: str  # done, now, later


@dataclass(frozen=True)
class DomainLine:
    """A domain and what to do for it."""

    row: SignOnDomain
    record: str  # as it is pasted into a zone file
    members: int


def steps_of(row: SignOn | None) -> list[Step]:
    """Return the steps of the set-up; the first that is open is the one to do now. One query."""
    has_domain = SignOnDomain.objects.filter(proven_at__isnull=False, missing_since__isnull=True).exists()
    done = [row is not None, has_domain, row is not None, row is not None and is_tested(row), row is not None and row.is_required]
    now = done.index(False) if False in done else len(done)
    return [Step(index + 1, name, "done" if done[index] else "now" if index == now else "later") for index, name in enumerate(STEPS)]


def can_require(row: SignOn, form: RequireForm) -> bool:
    """Return whether it can be required now: tested, with a proven domain and with a way in. One query."""
    has_way_in = len(form.fields["way_in"].choices) > 1  # type: ignore[attr-defined]
    return is_tested(row) and has_way_in and SignOnDomain.objects.filter(proven_at__isnull=False).exists()


def provider_facts(row: SignOn | None) -> str:
    """Return what the provider said of itself within the last minutes; empty if it was not asked. Asks the cache only."""
    try:
        metadata = cached_metadata(row.issuer) if row else None
        count = keys_count(metadata) if metadata else 0
    except redis.RedisError:
        return ""
    if metadata is None:
        return ""
    keys = [ngettext("%(count)s signing key", "%(count)s signing keys", count) % {"count": count}] if count else []
    return ", ".join(["issuer", *keys, *(["sign-out"] if metadata.end_session_endpoint else [])])


def domain_lines(organization_id: UUID) -> list[DomainLine]:
    """Return the domains with how many members have an address there. Two queries."""
    rows = [*SignOnDomain.objects.all()]
    if not rows:
        return []
    counts = {f"at_{number}": Count("pk", filter=Q(user__email__endswith=f"@{row.domain}")) for number, row in enumerate(rows)}
    numbers = Membership.objects.filter(organization_id=organization_id, is_active=True).aggregate(**counts)
    texts = [
        gettext('%(record_name)s TXT "%(record_value)s"') % {"record_name": record_name(row.domain), "record_value": record_value(row)}
        for row in rows
    ]
    return [DomainLine(row, texts[number], numbers[f"at_{number}"]) for number, row in enumerate(rows)]


def tested_at(row: SignOn | None) -> datetime | None:
    return datetime.fromisoformat(row.test_report["at"]) if row and row.test_report.get("at") else None


def week_of() -> list[tuple[str, str]]:
    """Return what happened at the sign-on within seven days, as labels and texts. Two queries."""
    since = timezone.now() - WEEK
    events = AuditEvent.objects.filter(created_at__gte=since, object_kind__in=("sso", "membership"))
    counts: dict[tuple[str, str], Any] = {}
    rows = events.filter(action__in=("sso.refuse", "sso.link")).values_list("action", "object_id")
    for action, object_id, count in rows.annotate(total=Sum("count")).order_by("-total"):
        key = (action, object_id if action == "sso.refuse" else "")
        counts[key] = counts.get(key, 0) + count
    refusals = [f"{count} {reason.replace('_', ' ')}" for (action, reason), count in counts.items() if action == "sso.refuse"]
    return [
        (gettext("People signed in"), str(SignOnIdentity.objects.filter(last_used_at__gte=since).count())),
        (gettext("New people"), str(counts.get(("sso.link", ""), 0))),
        (gettext("Refused"), ", ".join(refusals[:5]) or "0"),
    ]
