"""The audit log with a million events: each list reads an index, and old events go in batches by the policy."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from security.audit import audit, platform_audit, retention
from security.audit.reading import AuditFilters, after_cursor, audit_rows
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Organization, User
from tenants.postgres.partitions import partitions_create
from tenants.rest.pagination import time_cursor
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events, platform_events

pytestmark = pytest.mark.django_db(databases=["default", "system", "owner"], transaction=True)

# As many as the plans need to be those of a million (make test-nightly makes a million).
ROWS = 30_000
TABLE = "security_auditevent"
_FILL = """
insert into security_auditevent (id, organization_id, actor_user_id, actor_kind, action, category, outcome, object_kind, object_id,
    object_label, object_key, detail, before, after, count, address, user_agent, session_hash, request_id, created_at)
select rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7', 32, md5(random()::text))::uuid, %s, n %% 50, 'user', 'run.read',
    (array['runs', 'keys', 'data', 'agents'])[n %% 4 + 1],
    case when n %% 200 = 0 then 'refused' else 'done' end, (array['run', 'secret', 'file'])[n %% 3 + 1], 'object ' || n %% 1000,
    'Name ' || n, 'name ' || n, '{}', '{}', '{}', 1, '10.0.' || n %% 200 || '.0/24', '', '', md5(n::text), at
from generate_series(1, %s) n, lateral (select now() - n * interval '1 minute' as at) time
"""
_INDEXES = """
select indexname, replace(indexdef, ' ON ONLY ', ' ON ') from pg_indexes
join pg_class on relname = indexname join pg_index on indexrelid = pg_class.oid
where tablename = 'security_auditevent' and not indisunique
"""
VIEWS = {
    "newest": AuditFilters(period="all"),
    "week": AuditFilters(),
    "who": AuditFilters(period="all", who="7"),
    "category": AuditFilters(period="all", what="keys"),
    "kind": AuditFilters(period="all", kind="secret"),
    "refused": AuditFilters(period="all", outcome="refused"),
    "not done": AuditFilters(period="all", outcome="not_done"),
    "name": AuditFilters(period="all", q="name 77"),
    "no such name": AuditFilters(period="all", q="nothing"),
    "address": AuditFilters(period="all", q="10.0.77."),
    "object": AuditFilters(period="all", q="00000000-0000-0000-0000-000000000001"),
}


def fill(cast: Cast, rows: int) -> None:
    """Give Acme so many events of the last minutes, and the other organization a tenth of that."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("set statement_timeout = 0")
        first = timezone.now() - timedelta(minutes=rows)
        partitions_create(TABLE, using="owner", first=first.date(), months=2 + rows // 40_000)
        cursor.execute(_INDEXES)
        indexes = cursor.fetchall()
        for name, _ in indexes:  # filling them row by row takes minutes
            cursor.execute(f'drop index "{name}"')
        cursor.execute("alter table security_auditevent disable trigger user")
        for organization, share in ((cast.acme, rows), (cast.other, rows // 10)):
            cursor.execute(_FILL, [organization.pk, share])
        cursor.execute("alter table security_auditevent enable trigger user")
        for _, definition in indexes:
            cursor.execute(definition)
        cursor.execute("analyze security_auditevent")
    connections["owner"].close()


def plan(filters: AuditFilters, cursor: str = "") -> tuple[str, float]:
    """The plan of a page's query, and its time in milliseconds."""
    rows = after_cursor(audit_rows(AuditEvent.objects.all(), filters, people=User.objects.all()), cursor)[:51]
    plan_text = rows.explain(analyze=True, buffers=False)
    return plan_text, float(plan_text.rsplit("Execution Time: ", 1)[1].split(" ms")[0])


def test_every_list_reads_an_index(cast: Cast, request: pytest.FixtureRequest) -> None:
    fill(cast, 1_000_000 if request.config.getoption("nightly") else ROWS)
    slow: dict[str, tuple[float, str]] = {}
    with connections["owner"].cursor() as owner:
        owner.execute(f"select distinct tableoid::regclass::text from {TABLE}")
        partitions = [part for (part,) in owner.fetchall()]
    with tenant_tx(cast.acme.pk):
        cursors = {"first": "", "deep": time_cursor(timezone.now() - timedelta(minutes=ROWS // 2), cast.acme.pk)}
        for name, filters in VIEWS.items():
            for page, cursor in cursors.items():
                plan_text, took_ms = plan(filters, cursor)
                if any(f"Seq Scan on {part} " in plan_text for part in partitions) or took_ms > 250:
                    slow[f"{name}, {page}"] = (took_ms, plan_text)
                print(f"{name}, {page}: {took_ms:.1f} ms")
    assert slow == {}


def test_old_events_go_in_batches_and_by_the_policy(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(cast, 5000)
    monkeypatch.setattr(retention, "BATCH", 3)
    Organization.objects.filter(pk=cast.other.pk).update(policy={"audit_days": 1})  # less than the least counts as the least
    with connections["owner"].cursor() as cursor:
        for organization, name, days in ((cast.acme, "1", 500), (cast.other, "2", 29), (cast.other, "1", 31)):
            cursor.execute(
                "update security_auditevent set created_at = now() - make_interval(days => %s) where organization_id = %s and object_id = %s",
                [days, organization.pk, f"object {name}"],
            )
        cursor.execute(
            "insert into security_platformevent (id, actor_kind, action, category, outcome, object_kind, object_id, object_label, detail, before,"
            " after, count, address, user_agent, session_hash, request_id, created_at)"
            " values (gen_random_uuid(), 'user', 'x', 'other', 'done', '', '', '', '{}', '{}', '{}', 1, '', '', '', '', now() - interval '500 days')"
        )
    platform_audit(actor_user_id=None, action="user.sign_in", object_kind="user", object_id=1)
    audit(organization_id=cast.acme.pk, actor_user_id=None, action="run.read", object_kind="run", object_id="new")
    retention.audit_retain()
    object_ids = {event.object_id for event in events(cast.acme)}
    assert "object 1" not in object_ids
    assert {"object 2", "new"} <= object_ids
    object_ids = {event.object_id for event in events(cast.other)}
    assert "object 1" not in object_ids
    assert "object 2" in object_ids
    assert [event["action"] for event in platform_events()] == ["user.sign_in"]
