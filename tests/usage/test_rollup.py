"""The sums by day equal a sum over the call log, whenever rows arrive and however the sums were made."""

from __future__ import annotations

import time
from datetime import UTC, date, timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.db.models import Sum
from django.utils import timezone

from chat.models import ModelCall, Project
from tenants.context import tenant_tx
from tests.usage.call_rows import USAGE, LoggedCalls
from usage.call_sums import FIGURES
from usage.models import ConversationSum, MemberSum, ModelSum, UsageConversation, UsageProgress, UsageSum, UsageTime
from usage.reading.percentiles import times_by_key
from usage.reading.query import UsageQuery
from usage.reading.sums import Scope, Sums, sums_by_columns, sums_by_key, total_of
from usage.rollup import days_with_late_calls, usage_fill, usage_rebuild

pytestmark = pytest.mark.django_db(databases=["default", "system"])

TODAY = timezone.now().date()
ALL = {"from": str(TODAY - timedelta(days=60)), "to": str(TODAY + timedelta(days=1))}  # a test may run into midnight

SIZES = ({"by": "agent"}, {"by": "member"}, {"by": "model", "project": "-"})
TABLES = (UsageSum, ModelSum, MemberSum, ConversationSum)


def fill(logged: LoggedCalls) -> int:
    return usage_fill(organization_id=logged.organization_id, until=time.monotonic() + 60)


def in_python(logged: LoggedCalls) -> dict[tuple[date, str], Sums]:
    """The sums of each day and model, from the rows themselves."""
    daily_sums: dict[tuple[date, str], Sums] = {}
    with tenant_tx(logged.organization_id):
        for call in ModelCall.objects.all():
            sums = daily_sums.setdefault((call.created_at.astimezone(UTC).date(), call.model), Sums())
            tokens = call.usage["input_tokens"] + call.usage["output_tokens"] + call.usage["thinking_tokens"]
            sums.calls += 1
            sums.failed_calls += call.error_code not in {"", "stopped"}
            sums.estimated_calls += call.is_estimated
            sums.unpriced_calls += call.cost_usd is None
            sums.unpriced_tokens += tokens if call.cost_usd is None else 0
            for name in USAGE:
                setattr(sums, name, getattr(sums, name) + call.usage[name])
            sums.cost_usd += Decimal(repr(call.cost_usd or 0.0))
    return daily_sums


def summed(logged: LoggedCalls, **query: str) -> dict[tuple[date, str], Sums]:
    """The same, as the pages read it; `answers` is not compared."""
    with tenant_tx(logged.organization_id):
        scope = Scope.of(UsageQuery.of({**ALL, **query}, TODAY))
        period = scope.query.period
        rows = sums_by_columns(scope, ("day", "model"), period.first, period.last)
    for _, sums in rows:
        sums.answers = 0
    return {(day, model): sums for (day, model), sums in rows}


def log_some(logged: LoggedCalls) -> None:
    now = timezone.now()
    for number in range(40):
        logged.call(
            now - number * timedelta(hours=31, minutes=7),
            model=("gemini-2.5-flash", "gemini-2.5-pro", "own-model")[number % 3],
            cost_usd=None if number % 3 == 2 else 0.1 / (number + 1),
            usage={name: tokens * (number + 1) for name, tokens in USAGE.items()},
            error_code="timeout" if number % 7 == 0 else "",
            is_estimated=number % 5 == 0,
        )


def test_the_sums_equal_the_ledger_before_and_after_they_are_stored(acme: LoggedCalls, other: LoggedCalls) -> None:
    log_some(acme)
    other.call(timezone.now() - timedelta(days=3), cost_usd=99.0)
    expected = in_python(acme)
    assert rounded(summed(acme)) == rounded(expected), "read from the calls"
    assert fill(acme) > 30
    assert rounded(summed(acme)) == rounded(expected), "from the sums, and from the calls of the last ten minutes"
    with tenant_tx(acme.organization_id):  # each size of the sums
        totals = [total_of(sums_by_key(Scope.of(UsageQuery.of({**ALL, **by}, TODAY)))[0].values()) for by in SIZES]
    assert totals[1:] == totals[:-1]
    acme.call(timezone.now(), cost_usd=0.5)
    acme.call(timezone.now() - timedelta(days=2), cost_usd=0.25)  # stored late
    assert fill(acme) >= 1
    assert rounded(summed(acme)) == rounded(in_python(acme))
    with tenant_tx(acme.organization_id):
        aggregates = [table.objects.aggregate(**{name: Sum(name) for name in FIGURES}) for table in TABLES]
        assert aggregates[1:] == aggregates[:-1]
        assert days_with_late_calls(TODAY - timedelta(days=60)) == []
        months = {month: Decimal(0) for month in UsageConversation.objects.values_list("month", flat=True)}
        assert sum(UsageConversation.objects.values_list("cost_usd", flat=True), Decimal(0)) == sum(
            UsageSum.objects.values_list("cost_usd", flat=True), Decimal(0)
        )
        assert len(months) >= 2
    assert rounded(summed(other)) == rounded(in_python(other))


def test_days_without_a_call_are_passed_over_at_once(acme: LoggedCalls, other: LoggedCalls) -> None:
    now = timezone.now()
    for logged in (acme, other):
        logged.call(now - timedelta(days=300))
    acme.call(now - timedelta(hours=2))
    assert (fill(acme), fill(other)) == (2, 2)  # the second one only notes until when there was nothing
    for logged, calls in ((acme, 2), (other, 1)):
        with tenant_tx(logged.organization_id):
            assert UsageProgress.objects.get().summed_until > now - timedelta(minutes=11)
            assert ModelSum.objects.aggregate(calls=Sum("calls"))["calls"] == calls


def test_a_rebuild_makes_the_same_sums_and_keeps_what_was_purged(acme: LoggedCalls, capsys: pytest.CaptureFixture[str]) -> None:
    log_some(acme)
    old = acme.call(timezone.now() - timedelta(days=50), cost_usd=7.0)
    fill(acme)
    expected = rounded(summed(acme))
    with tenant_tx(acme.organization_id):
        ModelCall.objects.filter(pk=old.pk).delete()  # as a purge does
        ModelSum.objects.filter(day__gt=TODAY - timedelta(days=40)).update(output_tokens=1)
    assert rounded(summed(acme)) != expected
    call_command("usage_rebuild", organization="acme")
    assert rounded(summed(acme)) == expected
    assert f"Kept, because calls were purged: {old.created_at.date() - timedelta(days=50)}" in capsys.readouterr().out


def test_conversations_keep_what_they_cost_when_calls_are_purged_and_others_come_late(acme: LoggedCalls) -> None:
    middle = (TODAY.replace(day=1) - timedelta(days=2)).replace(day=15)
    at = timezone.now().replace(year=middle.year, month=middle.month, day=15, hour=12)
    purged_chat, thinned_chat, late_chat = (acme.conversation() for _ in range(3))
    for conversation in (purged_chat, thinned_chat, late_chat):
        acme.call(at, conversation=conversation, cost_usd=1.0, kind="title")
        acme.call(at + timedelta(days=1), run=acme.run(conversation, at), cost_usd=2.0)
    fill(acme)
    with tenant_tx(acme.organization_id):
        ModelCall.objects.filter(run__conversation_id__in=[purged_chat.pk, thinned_chat.pk]).delete()  # as a purge does
        ModelCall.objects.filter(conversation_id=purged_chat.pk).delete()
    acme.call(at, conversation=late_chat, cost_usd=4.0, kind="title")
    usage_rebuild(organization_id=acme.organization_id, days=[at.date()])
    with tenant_tx(acme.organization_id):
        costs = dict(UsageConversation.objects.values_list("conversation_id", "cost_usd"))
    assert costs == {purged_chat.pk: 3, thinned_chat.pk: 3, late_chat.pk: 7}


def test_a_round_between_two_statements_of_a_page_counts_no_call_twice(acme: LoggedCalls) -> None:
    log_some(acme)
    with tenant_tx(acme.organization_id):
        scope = Scope.of(UsageQuery.of(ALL, TODAY))
        times = times_by_key(scope)
    fill(acme)
    with tenant_tx(acme.organization_id):
        assert total_of(sums_by_key(scope)[0].values()).calls == 40
        assert times_by_key(scope) == times


def test_each_kind_of_call_and_each_dimension_counts_by_itself(acme: LoggedCalls) -> None:
    at = timezone.now() - timedelta(hours=2)
    token_id = acme.release.pk
    with tenant_tx(acme.organization_id):
        project = Project.objects.create(owner_id=acme.member_id, name="Tea")
    in_project = acme.conversation(project_id=project.pk)
    run = acme.run(in_project, at, assistant="helper", token_id=token_id)
    acme.call(at, run=run)
    acme.call(at, run=run, kind="sub_agent", agent_key="document_agent_google", first_token_ms=4000)
    acme.call(at, run=run, kind="sub_agent", agent_key="own")
    acme.call(at, conversation=in_project, kind="title")
    trial = acme.conversation(trial=True)
    acme.call(at, run=acme.run(trial, at))
    acme.call(at, run=acme.run(trial, at, replay_of=run))
    acme.call(at, conversation=trial, kind="judge")
    for _ in range(2):  # first from the calls, then from the sums
        assert keys(acme, "kind") == {"chat": 1, "artifact_agent": 1, "sub_agent": 1, "title": 1, "trial": 1, "replay": 1, "judge": 1}
        assert keys(acme, "assistant") == {"helper": 3, "-": 4}
        assert keys(acme, "project") == {str(project.pk): 4, "-": 3}
        assert keys(acme, "token") == {str(token_id): 3, "-": 4}
        assert keys(acme, "kind", project=str(project.pk), token="-") == {"title": 1}
        with tenant_tx(acme.organization_id):
            times = times_by_key(Scope.of(UsageQuery.of({**ALL, "by": "agent"}, TODAY)))
        assert times is not None
        assert times["document_agent_google"].first_p50 == pytest.approx(4000, rel=0.05)
        assert times[""].first_p50 == pytest.approx(400, rel=0.05)
        assert times[""].whole_p95 == pytest.approx(2000, rel=0.05)
        fill(acme)
    with tenant_tx(acme.organization_id):
        assert UsageTime.objects.exists()


def keys(logged: LoggedCalls, by: str, **filters: str) -> dict[str, int]:
    with tenant_tx(logged.organization_id):
        now, _ = sums_by_key(Scope.of(UsageQuery.of({**ALL, "by": by, **filters}, TODAY)))
    return {key: sums.calls for key, sums in now.items()}


def test_a_month_is_compared_with_the_same_days_of_the_one_before() -> None:
    query = UsageQuery.of({"period": "month", "month": "2026-03"}, date(2026, 3, 10))
    period = query.period
    assert (period.first, period.last, period.before, period.before_last) == (
        date(2026, 3, 1),
        date(2026, 3, 10),
        date(2026, 2, 1),
        date(2026, 2, 10),
    )
    whole = UsageQuery.of({"period": "month", "month": "2026-02"}, date(2026, 3, 10)).period
    assert (whole.last, whole.before, whole.before_last) == (date(2026, 2, 28), date(2026, 1, 1), date(2026, 1, 31))
    odd = UsageQuery.of({"month": "2026-13", "by": "no", "member": "x", "kind": "\x00"}, date(2026, 3, 10))
    assert (odd.by, odd.filters, odd.period.key) == ("agent", {}, "month")


def rounded(sums: dict[tuple[date, str], Sums]) -> dict[tuple[date, str], str]:
    for one in sums.values():
        one.cost_usd = one.cost_usd.quantize(Decimal("1e-12"))
    return {key: str(one) for key, one in sorted(sums.items())}
