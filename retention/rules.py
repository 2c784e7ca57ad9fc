"""The rules in effect: what an organization's admins decided, within the platform's bounds."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Self

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext

from retention.models import RetentionRule
from security.audit import audit
from tenants.access import Actor, actor_refresh
from tenants.errors import BadRequest, NotAllowed
from tenants.localization.figures import figure

NOTICE: Final = timedelta(days=1)  # from a stricter rule to its first deletion


@dataclass(frozen=True, slots=True)
class Days:
    """After how many days conversations, files and the content of model calls are deleted; None: never."""

    conversations: int | None = None
    files: int | None = None
    calls: int | None = None

    @classmethod
    def of(cls, row: RetentionRule | None) -> Self:
        return cls() if row is None else cls(row.conversation_days, row.file_days, row.call_days)

    @property
    def in_effect(self) -> Self:
        """With the platform's upper bound, which holds for everybody."""
        bound = settings.RETENTION_MAX_DAYS or None
        return replace(self, **{name: _lower(days, bound) for name, days in asdict(self).items()})

    def is_stricter_than(self, other: Days) -> bool:
        own, theirs = asdict(self).values(), asdict(other).values()
        return any(days is not None and (former is None or days < former) for days, former in zip(own, theirs, strict=True))


def days_now(row: RetentionRule | None) -> Days:
    """Return what may be deleted now: of the numbers that were the rule at some time within NOTICE, those that keep most.

    So a stricter number holds a day after it was first saved, or after one at least as strict, however often it is changed meanwhile.
    """
    rules = [Days.of(row)]
    if row is not None:
        rules += [_days(former) for former in row.earlier if _until(former) > timezone.now() - NOTICE]
    longest_days = asdict(rules[0])
    for rule in rules[1:]:
        longest_days = {name: _higher(days, longest_days[name]) for name, days in asdict(rule).items()}
    return Days(**longest_days).in_effect


def rule_read() -> RetentionRule | None:
    """Return the current organization's row. Needs its transaction."""
    return RetentionRule.objects.first()


def rule_set(*, actor: Actor, days: Days) -> None:
    """Save the rule; stricter numbers hold after NOTICE. In the organization's transaction. Raises BadRequest, NotAllowed."""
    if not actor_refresh(actor, lock=True).can_administer:
        raise NotAllowed
    days_check(days)
    row = RetentionRule.objects.select_for_update().first() or RetentionRule()
    former = Days.of(row)
    if former == days:
        return
    now = timezone.now()
    if days.in_effect.is_stricter_than(former.in_effect):
        row.begins_at = now + NOTICE
    row.earlier = [each for each in row.earlier if _until(each) > now - NOTICE]
    row.earlier.append({**asdict(former), "until": now.isoformat()})
    row.conversation_days, row.file_days, row.call_days = days.conversations, days.files, days.calls
    row.save()
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="retention.change",
        object_kind="retention",
        object_id=row.pk,
        before=asdict(former),
        after=asdict(days),
    )


def days_check(days: Days) -> None:
    """Raises BadRequest, if a number is out of the platform's bounds."""
    least, most = settings.RETENTION_MIN_DAYS, settings.RETENTION_MAX_DAYS or 3650
    if any(number is not None and not least <= number <= most for number in asdict(days).values()):
        raise BadRequest(
            gettext("Enter %(least)s to %(most)s days, or leave the field empty.") % {"least": figure(least), "most": figure(most)}
        )


def _lower(days: int | None, bound: int | None) -> int | None:
    return min((each for each in (days, bound) if each is not None), default=None)


def _higher(days: int | None, other: int | None) -> int | None:
    return None if days is None or other is None else max(days, other)


def _days(former: dict[str, Any]) -> Days:
    return Days(former["conversations"], former["files"], former["calls"])


def _until(former: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(former["until"])
